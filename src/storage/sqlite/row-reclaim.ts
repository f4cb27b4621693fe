import type { Statements } from './statements.ts';

/** Rows given back at a time, between other work. */
const rowsMax = 500;
/** What a table costs by itself, in rows. */
const rowsOfTable = 10;

export interface RowReclaimOptions {
  readonly statements: Statements;
  /** Runs work inside a transaction. */
  readonly write: (work: () => { kind: 'more' | 'none' }) => Promise<{ kind: 'more' | 'none' }>;
  readonly isOpen: () => boolean;
}

/** Gives back the rows of deleted tables, a few a turn, until none are left; goes on after a restart. */
export class RowReclaim {
  readonly #options: RowReclaimOptions;
  #turn: NodeJS.Immediate | undefined;

  constructor(options: RowReclaimOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#turn) return;
    const { write, isOpen } = this.#options;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      void write(() => this.#reclaimSome()).then(({ kind }) => {
        if (kind === 'more' && isOpen()) this.start();
      }, ignoreUntilNextStart);
    });
    this.#turn.unref();
  }

  stop(): void {
    if (this.#turn) clearImmediate(this.#turn);
  }

  #reclaimSome(): { kind: 'more' | 'none' } {
    const { nextDropped, reclaimEntities, forgetDropped } = this.#options.statements;
    for (let rowsLeft = rowsMax; rowsLeft > 0; rowsLeft -= rowsOfTable) {
      const dropped = nextDropped.get() as { tableId: number } | undefined;
      if (!dropped) return { kind: 'none' };
      const { changes } = reclaimEntities.run(dropped.tableId, rowsLeft);
      if (changes < rowsLeft) forgetDropped.run(dropped.tableId);
      rowsLeft -= changes;
    }
    return { kind: 'more' };
  }
}

/** Nothing is wrong with the data when rows of a deleted table stay a while longer. */
function ignoreUntilNextStart(): void {}

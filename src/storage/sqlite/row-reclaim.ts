import type { Participant } from './participant.ts';
import type { Statements } from './statements.ts';

/** Rows deleted in one step, and the approximate size of their properties. */
const rowsMax = 500;
const bytesMax = 4 * 1_048_576;
/** The cost of a table itself, in rows. */
const rowsOfTable = 10;

export interface RowReclaimOptions {
  readonly statements: Statements;
  /** Runs work inside a transaction. */
  readonly write: (work: () => Progress) => Promise<Progress>;
  readonly isOpen: () => boolean;
  /** Ids whose rows stay: of loads in progress and of views. */
  readonly keptIds: () => readonly number[];
  /** Whether other work goes first; `start` is to be called when it has ended. */
  readonly isPaused: () => boolean;
}

interface Progress {
  readonly kind: 'more' | 'none';
}

/** Deletes the rows of deleted tables in small steps, until none are left. Continues after a restart. */
export class RowReclaim implements Participant {
  readonly #options: RowReclaimOptions;
  #turn: NodeJS.Immediate | undefined;

  constructor(options: RowReclaimOptions) {
    this.#options = options;
  }

  /** Whether no further step is planned. */
  get isIdle(): boolean {
    return !this.#turn;
  }

  start(): void {
    const { write, isOpen, isPaused } = this.#options;
    if (this.#turn || isPaused()) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      void write(() => this.#reclaimSome()).then(({ kind }) => {
        if (kind === 'more' && isOpen()) this.start();
      }, ignoreUntilNextStart);
    });
    this.#turn.unref();
  }

  /** The step itself rejects; what it deleted is there again. */
  rolledBack(): void {}

  /** Reclaiming goes on when the account is opened again. */
  close(): void {
    if (this.#turn) clearImmediate(this.#turn);
  }

  #reclaimSome(): Progress {
    const { statements, keptIds } = this.#options;
    const { nextDropped, forgetDropped } = statements;
    const kept = JSON.stringify(keptIds());
    let [rowsLeft, bytesLeft] = [rowsMax, bytesMax];
    while (rowsLeft > 0 && bytesLeft > 0) {
      const dropped = nextDropped.get(kept) as { tableId: number } | undefined;
      if (!dropped) return { kind: 'none' };
      const { rows, bytes, isEmpty } = this.#reclaimFrom(dropped.tableId, rowsLeft, bytesLeft);
      if (isEmpty) forgetDropped.run(dropped.tableId);
      rowsLeft -= rows + rowsOfTable;
      bytesLeft -= bytes;
    }
    return { kind: 'more' };
  }

  /** Deletes rows of a table until one of the two limits is reached. */
  #reclaimFrom(
    tableId: number,
    rowsLeft: number,
    bytesLeft: number,
  ): { rows: number; bytes: number; isEmpty: boolean } {
    const { listReclaimable, deleteEntity } = this.#options.statements;
    const found = listReclaimable.all(tableId, rowsLeft) as { id: number; bytes: number }[];
    let [rows, bytes] = [0, 0];
    for (const row of found) {
      if (bytes >= bytesLeft) break;
      deleteEntity.run(row.id);
      rows += 1;
      bytes += row.bytes;
    }
    return { rows, bytes, isEmpty: rows === found.length && found.length < rowsLeft };
  }
}

/** It does no harm if the rows of a deleted table stay longer. */
function ignoreUntilNextStart(): void {}

import type { Cancel, MachineTime } from '../../model/time.ts';
import type { Database } from './database.ts';
import type { Statements } from './statements.ts';

export interface RowReclaimOptions {
  readonly database: Database;
  readonly statements: Statements;
  readonly machineTime: Pick<MachineTime, 'after'>;
}

/** Rows in one transaction. */
const rowsMax = 1_000;
/** Between two transactions, so that other work goes first. */
const stepDelayMs = 20;
/** Until the next look at what other nodes, or ended loads, have left. */
const idleDelayMs = 30_000;

/** Deletes the rows of dropped tables in small steps; one node at a time for each table. */
export class RowReclaim {
  readonly #options: RowReclaimOptions;
  #cancel: Cancel | undefined;
  #isStepping = false;
  #isClosed = false;

  constructor(options: RowReclaimOptions) {
    this.#options = options;
  }

  /** Begins soon. */
  start(): void {
    this.#schedule(stepDelayMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#isStepping) return;
    this.#cancel?.();
    this.#cancel = this.#options.machineTime.after(delayMs, () => void this.#step());
  }

  async #step(): Promise<void> {
    this.#isStepping = true;
    // The database may be away; what is left is found later.
    const isMore = await this.#reclaimSome().catch(() => false);
    this.#isStepping = false;
    this.#schedule(isMore ? stepDelayMs : idleDelayMs);
  }

  /** Returns whether there may be more. */
  #reclaimSome(): Promise<boolean> {
    const { database, statements } = this.#options;
    return database.transaction<boolean>(async (run) => {
      const [row] = await run(statements.nextDropped, []);
      if (!row) return false;
      const tableId = row[0] as string;
      const deleted = await run(statements.reclaim, [tableId, rowsMax]);
      // A load that comes back to the table must find that rows of it are gone.
      if (deleted.length > 0) await run(statements.releaseTables, [[tableId]]);
      else await run(statements.forgetDropped, [tableId]);
      return true;
    });
  }
}

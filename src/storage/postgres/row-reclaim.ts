import type { Cancel, MachineTime } from '../../model/time.ts';
import type { Database } from './database.ts';
import type { PostgresStatements } from './statements.ts';

export interface PostgresRowReclaimOptions {
  readonly database: Database;
  readonly statements: PostgresStatements;
  readonly machineTime: Pick<MachineTime, 'after'>;
}

/** The most rows deleted in one transaction. */
const rowsMax = 1_000;
/** The cost of deleting a table without rows, expressed in rows. */
const rowsOfTable = 10;
/** Pause between two transactions, so that other work goes first. */
const stepDelayMs = 20;
/** Time until the next check for rows that other nodes or ended loads have left. */
const idleDelayMs = 30_000;

/**
 * Deletes the rows of dropped tables in small steps. Only one node at a time deletes the rows of a given table. An
 * operation that writes complete tables also deletes rows of dropped tables, about as many as it writes. So the size of
 * the database stays limited even if tables are replaced quickly.
 */
export class PostgresRowReclaim {
  readonly #options: PostgresRowReclaimOptions;
  #cancel: Cancel | undefined;
  #isStepping = false;
  /** Whether a step follows soon. While a step runs, this means the step after it. */
  #isSoon = false;
  /** Rows that were written, and for which no rows have been deleted yet. */
  #rowsOwed = 0;
  #isClosed = false;

  constructor(options: PostgresRowReclaimOptions) {
    this.#options = options;
  }

  /** Plans a step soon. */
  start(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#schedule(stepDelayMs);
  }

  /**
   * Deletes about as many rows of dropped tables as the caller has written. Does nothing until `rowsMax` rows are due,
   * and stops early if no such rows are left. Never rejects: after an error, a later step deletes the remaining rows.
   */
  async payFor({ rows, tables = 0 }: { readonly rows: number; readonly tables?: number }): Promise<void> {
    this.#rowsOwed += rows + tables * rowsOfTable;
    if (this.#rowsOwed < rowsMax) return;
    while (this.#rowsOwed >= rowsMax && !this.#isClosed) {
      this.#rowsOwed -= rowsMax;
      const isMore = await this.#reclaimSome().catch(() => false);
      if (!isMore) this.#rowsOwed = 0;
    }
    // A step may have skipped the table because it was in use here.
    this.start();
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
    this.#isSoon = false;
    // The database may be unavailable. The remaining rows are found later.
    const isMore = await this.#reclaimSome().catch(() => false);
    this.#isStepping = false;
    this.#isSoon ||= isMore;
    this.#schedule(this.#isSoon ? stepDelayMs : idleDelayMs);
  }

  /** Deletes up to `rowsMax` rows of dropped tables. Returns whether there may be more. */
  #reclaimSome(): Promise<boolean> {
    const { database, statements } = this.#options;
    return database.transaction<boolean>(async (run) => {
      for (let rowsLeft = rowsMax; rowsLeft > 0; rowsLeft -= rowsOfTable) {
        const [row] = await run(statements.nextDropped, []);
        if (!row) return false;
        const tableId = row[0] as string;
        const deleted = await run(statements.reclaim, [tableId, rowsLeft]);
        // A load that continues with the table must notice that its rows are gone.
        if (deleted.length === rowsLeft) await run(statements.releaseTables, [[tableId]]);
        else await run(statements.forgetDropped, [tableId]);
        rowsLeft -= deleted.length;
      }
      return true;
    });
  }
}

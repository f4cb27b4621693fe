import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { Cancel } from '../../../model/time.ts';
import type { DiskSpace } from '../file/disk-reserve.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';

/** The most rows deleted in one step, and the approximate size of their properties. */
const rowsMax = 500;
const bytesMax = 4 * 1_048_576;
/** The most rows deleted in one step while space is short, when a step must write little. */
const rowsMaxOfTight = 64;
/** The cost of deleting a table without rows, expressed in rows. */
const rowsOfTable = 10;
/**
 * `payFor` deletes nothing until this number of rows is due, because finding a table costs as much as deleting a few
 * rows.
 */
const paidRowsMin = 64;

export interface RowReclaimOptions {
  readonly statements: Statements;
  /** Runs work inside a transaction. */
  readonly write: (work: () => Progress) => Promise<Progress>;
  readonly isOpen: () => boolean;
  /** Ids whose rows must not be reclaimed: those of loads in progress and of views. */
  readonly keptIds: () => readonly number[];
  /** The number of rows that the current transaction has written. */
  readonly rowsWritten: () => number;
  /** Whether other work goes first. `start` must be called when that work has ended. */
  readonly isPaused: () => boolean;
  /** Absent if the disk cannot become full. */
  readonly disk?: Pick<DiskSpace, 'isTight'> | undefined;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'> | undefined;
}

interface Progress {
  readonly kind: 'more' | 'none';
}

/**
 * Deletes the rows of deleted tables in small steps until none are left, and continues after a restart. An operation
 * that writes rows also deletes the same number of rows of deleted tables. So the size of the file stays limited even
 * if no step can run between the writes.
 */
export class RowReclaim implements Participant {
  readonly #options: RowReclaimOptions;
  #cancelTurn: Cancel | undefined;
  /** Whether there may be rows to delete. */
  #isOwing = true;
  /** Rows that were written, and for which no rows have been deleted yet. */
  #rowsOwed = 0;

  constructor(options: RowReclaimOptions) {
    this.#options = options;
  }

  /** Whether no further step is planned. */
  get isIdle(): boolean {
    return !this.#cancelTurn;
  }

  /** Must be called when rows may no longer be needed. */
  start(): void {
    const { write, isOpen, isPaused, disk, schedule = systemSchedule } = this.#options;
    this.#isOwing = true;
    if (this.#cancelTurn || isPaused()) return;
    this.#cancelTurn = schedule.nextTurn(() => {
      this.#cancelTurn = undefined;
      void write(() => this.#reclaimSome(disk?.isTight ? rowsMaxOfTight : rowsMax)).then(({ kind }) => {
        if (kind === 'more' && isOpen()) this.start();
      }, ignoreUntilNextStart);
    });
  }

  /**
   * Deletes rows of deleted tables, but no more rows than were written. Runs inside the transaction, but outside
   * savepoints.
   */
  payFor(rows: number): void {
    if (!this.#isOwing) return;
    this.#rowsOwed += rows;
    if (this.#rowsOwed < paidRowsMin) return;
    const { kind } = this.#reclaimSome(this.#rowsOwed);
    this.#rowsOwed = 0;
    if (kind === 'none') this.#isOwing = false;
  }

  beforeCommit(): void {
    this.payFor(this.#options.rowsWritten());
  }

  /** After a rollback, the deleted rows exist again. */
  rolledBack(): void {
    this.#isOwing = true;
  }

  /** Reclaiming continues when the account is opened again. */
  close(): void {
    this.#cancelTurn?.();
  }

  #reclaimSome(rows: number): Progress {
    const { statements, keptIds } = this.#options;
    const { nextDropped, forgetDropped } = statements;
    const kept = JSON.stringify(keptIds());
    let [rowsLeft, bytesLeft] = [rows, bytesMax];
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

/** Rows of a deleted table may stay longer without harm. */
function ignoreUntilNextStart(): void {}

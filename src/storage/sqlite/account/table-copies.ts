import type { MachineTime } from '../../../model/time.ts';
import type { Checkpoints } from '../file/checkpoints.ts';
import type { WriteOptions } from '../file/group-commit.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';
import type { RowReclaim } from './row-reclaim.ts';
import type { TableChanges } from './table-changes.ts';

/**
 * How long one step of a copy may take. The first step may take longer, so that it copies a table of about 10,000 rows
 * completely.
 */
const stepMs = 4;
const firstStepMs = 16;
/**
 * The number of rows that one statement copies. The first statement copies few rows, because rows may be large. For
 * each copied row, `payFor` may also have to delete a row of a deleted table.
 */
const firstRows = 64;
const rowsMax = 1_024;

export interface TableCopiesOptions {
  readonly statements: Statements;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  /** Runs work inside a transaction; resolves after COMMIT. */
  readonly write: <T extends { kind: string }>(work: () => T, growth: Pick<WriteOptions, 'grows'>) => Promise<T>;
  readonly reclaim: Pick<RowReclaim, 'start' | 'payFor'>;
  /** The checkpoints of a file, which a copy needs because it writes much; undefined for memory. */
  readonly checkpoints: Pick<Checkpoints, 'makeRoom' | 'expectBulk'> | undefined;
  readonly tables: Pick<TableChanges, 'recordReplaced'>;
}

/** A copy in progress. */
interface Copy {
  readonly tableId: number;
  /** The last key copied; undefined if there is none yet. */
  readonly last: StoredKey | undefined;
}

interface StoredKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

type Step = { readonly kind: 'more'; readonly copy: Copy } | { readonly kind: 'done' };

/**
 * Gives a table its own rows if a snapshot or a view holds the current rows. Copies the rows in steps, with other work
 * between the steps. During the copy, readers use the old rows. Writers wait for `copy`, because the old rows must not
 * change.
 */
export class TableCopies implements Participant {
  readonly #options: TableCopiesOptions;
  /** The copies in progress, by the id of the table that is copied. */
  readonly #running = new Map<number, Promise<void>>();
  #rows = firstRows;

  constructor(options: TableCopiesOptions) {
    this.#options = options;
    const { statements, write } = options;
    // Removes copies that a crash left. If this fails, the next start tries again.
    if (statements.listCopies.get()) void write(() => this.#dropCopies(), { grows: false }).catch(() => undefined);
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  has(tableId: number): boolean {
    return this.#running.has(tableId);
  }

  /** Resolves when the table has its own rows, or is gone. */
  copy(tableId: number): Promise<void> {
    const running = this.#running.get(tableId);
    if (running) return running;
    const copying = this.#run(tableId).finally(() => {
      this.#running.delete(tableId);
      this.#options.checkpoints?.expectBulk();
      this.#options.reclaim.start();
    });
    this.#running.set(tableId, copying);
    return copying;
  }

  /** Nothing to do: a rolled back step rejects, which ends its copy. */
  rolledBack(): void {}

  async settled(): Promise<void> {
    while (!this.isIdle) await Promise.allSettled(this.#running.values());
  }

  async #run(from: number): Promise<void> {
    const { write, checkpoints } = this.#options;
    let copy: Copy | undefined;
    await checkpoints?.makeRoom();
    try {
      for (;;) {
        const step = await write((): Step => this.#advance(from, copy), { grows: true });
        if (step.kind === 'done') return;
        copy = step.copy;
      }
    } catch (error) {
      if (copy) await this.#giveUp(copy);
      throw error;
    }
  }

  /** Copies rows for the time of one step, and completes the copy when no rows are left. */
  #advance(from: number, begun: Copy | undefined): Step {
    const { statements, machineTime } = this.#options;
    if (!statements.isLive.get(from)) {
      if (begun) this.#drop(begun.tableId);
      return { kind: 'done' };
    }
    const tableId = begun?.tableId ?? (statements.reserveTableId.get() as Pick<Copy, 'tableId'>).tableId;
    let last = begun?.last;
    const untilMs = machineTime.monotonicMs() + (begun ? stepMs : firstStepMs);
    do {
      const next = this.#copyRows(from, { tableId, last });
      if (!next) {
        this.#complete(from, tableId);
        return { kind: 'done' };
      }
      last = next;
    } while (machineTime.monotonicMs() < untilMs);
    if (!begun) statements.noteCopy.run(tableId);
    return { kind: 'more', copy: { tableId, last } };
  }

  /** Returns the last key copied; undefined when nothing is left to copy. */
  #copyRows(from: number, { tableId, last }: Copy): StoredKey | undefined {
    const { statements, machineTime, reclaim } = this.#options;
    const { copyRows, copyFirstRows, lastKey } = statements;
    const startMs = machineTime.monotonicMs();
    const rows = this.#rows;
    reclaim.payFor(rows);
    const { changes } = last
      ? copyRows.run(tableId, from, last.partitionKey, last.rowKey, rows)
      : copyFirstRows.run(tableId, from, rows);
    const tookMs = machineTime.monotonicMs() - startMs;
    if (tookMs > stepMs / 2) this.#rows = Math.max(1, rows >> 1);
    else if (tookMs < stepMs / 8) this.#rows = Math.min(rowsMax, rows * 2);
    return changes < rows ? undefined : (lastKey.get(tableId) as StoredKey);
  }

  #complete(from: number, tableId: number): void {
    const { statements, tables } = this.#options;
    statements.moveTable.run(tableId, from);
    // The snapshot may have been deleted in the meantime.
    statements.markDropped.run(from);
    statements.forgetCopy.run(tableId);
    tables.recordReplaced([from]);
  }

  #drop(tableId: number): void {
    const { markDropped, forgetCopy } = this.#options.statements;
    markDropped.run(tableId);
    forgetCopy.run(tableId);
  }

  #dropCopies(): Step {
    for (const { tableId } of this.#options.statements.listCopies.all() as Copy[]) this.#drop(tableId);
    return { kind: 'done' };
  }

  /** If this fails too, the next start reclaims the rows. */
  async #giveUp({ tableId }: Copy): Promise<void> {
    const giveUp = (): Step => {
      this.#drop(tableId);
      return { kind: 'done' };
    };
    await this.#options.write(giveUp, { grows: false }).catch(() => undefined);
  }
}

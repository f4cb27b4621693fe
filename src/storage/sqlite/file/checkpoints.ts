import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { Participant } from '../participant.ts';
import type { CheckpointOutcome, CheckpointRequest, CheckpointThread, TruncateOutcome } from './checkpoint-thread.ts';
import type { DiskSpace } from './disk-reserve.ts';
import { FileShrink, type FileShrinkOptions } from './file-shrink.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './statements.ts';

/** The thread starts when the WAL has this number of pages, so that it is ready at the first checkpoint. */
const preparedPages = 250;
/**
 * A checkpoint begins when the number of pages that are only in the WAL has grown by this much since the last
 * checkpoint. SQLite's own default is also 1,000 pages (4 MiB).
 */
const duePages = 1_000;
/**
 * When the WAL has this number of pages (about 16 MiB), writes wait until SQLite starts the WAL over. With a limit of
 * 1,000 pages, writes would wait too often (ADR 0012).
 */
const fullPages = 4_000;
/** The number of pages (256 KiB) by which the WAL may grow while space is short. Then the WAL is emptied. */
const tightPages = 64;
/** From this number of pages on, operations that write much, such as a copy of a table, wait. */
const roomPages = 1_000;
/**
 * When the WAL has this number of pages (about 64 MiB), writes wait for the checkpoint in progress, even if that
 * checkpoint has just begun. The WAL reaches this size only if the disk is slower than the writes.
 */
const walPagesMax = 16_000;

export interface CheckpointsOptions extends Omit<FileShrinkOptions, 'checkpoints'> {
  readonly thread: Pick<CheckpointThread, 'prepare' | 'checkpoint'>;
  readonly disk: DiskSpace | undefined;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'> | undefined;
}

/**
 * Keeps the WAL of one database small. SQLite starts a WAL over, from the beginning of its file, only after a
 * checkpoint has copied all pages. A checkpoint copies only the pages that were written before it began. While writes
 * continue, newer pages always remain. So when the WAL is large, writes wait for one more checkpoint, which has few
 * pages left to copy.
 */
export class Checkpoints implements Participant {
  readonly #statements: Statements;
  readonly #writer: Pick<GroupCommit, 'pauseWhile'>;
  readonly #thread: CheckpointsOptions['thread'];
  readonly #disk: CheckpointsOptions['disk'];
  readonly #schedule: Pick<Schedule, 'nextTurn'>;
  readonly #endReads: () => void;
  readonly #shrink: FileShrink;
  readonly #target: Pick<CheckpointRequest, 'file' | 'synchronous'>;
  #running: Promise<void> | undefined;
  /** The state of the WAL at the last commit, because SQLite does not report it inside a transaction. */
  #wal: WalState = { log: 0, checkpointed: 0 };
  /** The number of pages at which a checkpoint is due. Undefined after a checkpoint, until the next commit. */
  #dueAt: number | undefined = duePages;
  #onTooLarge: (() => void) | undefined;
  /** The most pages that the WAL has had since it was last truncated. */
  #filePages = 0;
  /** The number of pages of the WAL at which to check the free space. If space is short, the WAL is then emptied. */
  #tightAt = tightPages;
  #hasPrepared = false;
  /** The number of pages of the database after the last commit; 0 if it is not known. */
  #pages = 0;
  /** Whether a job of the current transaction may store more data. */
  #grows = false;
  #isLeftToSqlite = false;
  /** Whether the current transaction may use the reserve of a full disk. */
  #hasReserve = false;

  constructor(options: CheckpointsOptions) {
    const { statements, writer, thread, disk, machineTime, schedule = systemSchedule, endReads } = options;
    const { database } = statements.walState;
    this.#statements = statements;
    this.#writer = writer;
    this.#thread = thread;
    this.#disk = disk;
    this.#schedule = schedule;
    this.#endReads = endReads;
    this.#target = { file: database.name, synchronous: String(database.pragma('synchronous', { simple: true })) };
    this.#shrink = new FileShrink({ statements, machineTime, writer, checkpoints: this, disk, endReads });
    database.pragma('wal_autocheckpoint = 0');
  }

  get isIdle(): boolean {
    return !this.#running && this.#shrink.isIdle;
  }

  /** Resolves when no checkpoint is running, and the file is not being shrunk. Never rejects. */
  async settled(): Promise<void> {
    await this.#shrink.settled();
    await this.#running;
  }

  close(): void {
    this.#shrink.close();
  }

  /**
   * Returns the error that refuses a write because the disk is full. Returns undefined if there is room, or if the
   * write frees space. Runs inside the transaction of the write.
   */
  refuse({ grows }: { readonly grows: boolean }): Error | undefined {
    const refusal = grows && this.#disk?.isFull && !this.keepsFreePages ? this.#disk.refuseGrowth() : undefined;
    if (refusal) return refusal;
    this.#grows ||= grows;
    if (!this.#disk?.isFull) return undefined;
    this.#disk.lend();
    this.#hasReserve = true;
    return undefined;
  }

  /**
   * Rolls a large transaction back if its checkpoint would find no room. A checkpoint that fails keeps the space that it
   * has used, even that of the reserve, so nothing could be deleted afterwards.
   */
  beforeCommit(): void {
    const pages = this.#statements.pageCount.get() as number;
    const isLarge = this.#grows && pages > this.#pages + tightPages;
    this.#pages = pages;
    this.#grows = false;
    if (!isLarge) return;
    const { database } = this.#statements.pageCount;
    const refusal = this.#disk?.refuseSize(
      database.name,
      pages * Number(database.pragma('page_size', { simple: true })),
    );
    if (refusal) throw refusal;
  }

  get keepsFreePages(): boolean {
    return this.#shrink.keepsFreePages;
  }

  /** Must be called when the disk is full: returns the free space in the files to the disk. */
  hurry(): void {
    this.#shrink.hurry();
  }

  /** Begins a checkpoint if one is due. */
  committed(): void {
    if (this.#disk?.isFull && !this.#hasReserve) return; // Nothing was written.
    this.#shrink.countCommit();
    if (this.#hasReserve) this.#empty();
    if (this.#isLeftToSqlite) return;
    try {
      this.#wal = this.#statements.walState.get() as WalState;
    } catch {
      return; // The commit has succeeded.
    }
    this.#filePages = Math.max(this.#filePages, this.#wal.log);
    const isTooLarge = this.#isTooLargeForDisk();
    if (this.#running) {
      if (isTooLarge || this.#wal.log >= walPagesMax) this.#onTooLarge?.();
      return;
    }
    if (!this.#hasPrepared && (isTooLarge || this.#wal.log >= preparedPages)) this.#prepare();
    if (isTooLarge) {
      void this.truncate({ isNeeded: true });
      return;
    }
    const left = this.#wal.log - this.#wal.checkpointed;
    // If another program's transaction keeps pages in the WAL, they must not cause a checkpoint at every commit.
    this.#dueAt ??= left + duePages;
    if (left >= this.#dueAt) this.#begin(this.#wal.log);
  }

  /** Whether space is short, and the WAL has grown by `tightPages` since this was last asked. */
  #isTooLargeForDisk(): boolean {
    // The WAL may have started over without having been emptied.
    this.#tightAt = Math.min(this.#tightAt, this.#wal.log + tightPages);
    if (this.#wal.log < this.#tightAt) return false;
    // A reader can keep the WAL in use. It must not cause a checkpoint at every commit.
    this.#tightAt = this.#wal.log + tightPages;
    return this.#disk?.isTight === true && !this.#disk.isFull;
  }

  /** Must be called after many writes, when a pause may follow: copies the pages in the WAL. */
  expectBulk(): void {
    const left = this.#wal.log - this.#wal.checkpointed;
    if (!this.#running && !this.#isLeftToSqlite && left >= preparedPages) this.#begin(this.#wal.log);
  }

  /**
   * Waits until the WAL has room for many writes, so that these writes need not enlarge the WAL file. Never rejects.
   */
  async makeRoom(): Promise<void> {
    await this.#running;
    if (this.#wal.log < roomPages || this.#running || this.#isLeftToSqlite) return;
    this.#begin(this.#wal.log, roomPages);
    await this.#running;
  }

  /**
   * Copies all pages of the WAL into the database file, then empties the WAL file. The database file gets smaller only
   * after both steps. If `isNeeded` is false, a small WAL is left as it is. Resolves with `inUse` or `full` if the
   * caller has to try again. Never rejects.
   */
  async truncate({ isNeeded }: { readonly isNeeded: boolean }): Promise<TruncateOutcome> {
    do await this.#running;
    while (this.#running && this.#disk?.isFull);
    if (this.#running) return 'inUse';
    const isFull = this.#disk?.isFull === true;
    if (!isFull && (this.#isLeftToSqlite || (!isNeeded && this.#filePages < this.#smallPages))) return 'done';
    let outcome = 'failed' as CheckpointOutcome;
    const truncating = this.#writer.pauseWhile(async () => {
      outcome = isFull ? this.#empty() : await this.#copy(this.#wal.log, true);
      if (outcome === 'done') this.#recordEmpty();
    });
    this.#running = truncating.finally(() => {
      this.#running = undefined;
      this.#dueAt = undefined;
    });
    await this.#running;
    return outcome === 'failed' ? 'done' : outcome;
  }

  /**
   * Gives the reserve back. If possible, also begins a checkpoint, because the transaction may have been rolled back
   * for lack of room in the WAL. After a checkpoint, SQLite may start the WAL over.
   */
  rolledBack(): void {
    this.#pages = 0;
    this.#grows = false;
    if (this.#hasReserve) this.#returnReserve();
    // The length of the WAL is not known now, because another process may have written.
    if (!this.#running && !this.#isLeftToSqlite && !this.#disk?.isFull && this.#wal.log > 0) this.#begin(0);
  }

  /**
   * Enlarges the reserve and starts the thread, both in the next turn. Starting a thread takes a millisecond, and the
   * writes of this turn are answered first.
   */
  #prepare(): void {
    this.#hasPrepared = true;
    this.#schedule.nextTurn(() => {
      this.#disk?.enlarge();
      this.#thread.prepare();
    });
  }

  /**
   * Begins a checkpoint of a WAL that has at least `pages` pages. If the WAL has `pagesMax` pages or more, writes wait
   * until the WAL starts over.
   */
  #begin(pages: number, pagesMax = fullPages): void {
    this.#running = this.#run(pages, pagesMax).finally(() => {
      this.#running = undefined;
      this.#dueAt = undefined;
    });
  }

  async #run(pages: number, pagesMax: number): Promise<void> {
    const first = this.#copy(pages).then(() => false);
    const tooLarge = new Promise<boolean>((resolve) => {
      this.#onTooLarge = () => resolve(true);
    });
    const isTooLarge = await Promise.race([first, tooLarge]);
    this.#onTooLarge = undefined;
    if (!isTooLarge && (this.#wal.log < pagesMax || this.#isLeftToSqlite)) return;
    await this.#writer.pauseWhile(async () => {
      await first;
      if (!this.#isLeftToSqlite) await this.#copy(this.#wal.log);
    });
  }

  async #copy(pages: number, truncates = false): Promise<CheckpointOutcome> {
    const outcome = await this.#thread.checkpoint({ ...this.#target, pages, truncates });
    if (outcome === 'done' || outcome === 'inUse') return outcome;
    // The thread fails if the WAL has too few pages. The account may have emptied its WAL while the request waited.
    if (outcome === 'failed' && this.#wal.log < pages) return 'done';
    if (this.#disk && (outcome === 'full' || this.#disk.isUsedUp())) {
      this.#disk.markFull();
      return 'full';
    }
    this.#leaveToSqlite();
    return outcome;
  }

  /** The number of pages below which an idle account keeps its WAL. */
  get #smallPages(): number {
    return this.#disk?.isTight ? tightPages : preparedPages;
  }

  #recordEmpty(): void {
    this.#wal = { log: 0, checkpointed: 0 };
    this.#filePages = 0;
    this.#dueAt = undefined;
    this.#tightAt = tightPages;
  }

  /**
   * Truncates the WAL on a full disk. Runs in one turn, so that other programs have no time to take the space of the
   * reserve or the space that becomes free.
   */
  #empty(): CheckpointOutcome {
    this.#endReads();
    let outcome = this.#truncateHere();
    if (outcome === 'full') {
      this.#disk?.lend(Number.POSITIVE_INFINITY);
      outcome = this.#truncateHere();
    }
    if (outcome === 'done') this.#recordEmpty();
    this.#returnReserve();
    return outcome;
  }

  #returnReserve(): void {
    this.#hasReserve = false;
    this.#disk?.takeBack();
  }

  /** May run only between transactions. Returns `full` for any failure. */
  #truncateHere(): CheckpointOutcome {
    try {
      const [{ busy }] = this.#statements.walState.database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
      return busy ? 'inUse' : 'done';
    } catch {
      return 'full';
    }
  }

  /**
   * Lets SQLite itself make the checkpoints, within commits, until the account is opened again. This is necessary in
   * three cases: the thread cannot run, the thread cannot open or write the file, or the file was moved or replaced.
   */
  #leaveToSqlite(): void {
    this.#isLeftToSqlite = true;
    try {
      this.#statements.walState.database.pragma(`wal_autocheckpoint = ${duePages}`);
    } catch {
      // The database has failed. The next statement will report it.
    }
  }
}

/** The number of pages in the WAL, and how many of them have been copied into the database file. */
interface WalState {
  readonly log: number;
  readonly checkpointed: number;
}

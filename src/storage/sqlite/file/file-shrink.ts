// Makes an account's file smaller: gives its free space to the system when the account is idle, or immediately if the
// disk is full. Deleted rows leave free pages in the file, and later writes use these pages first. The remaining free
// pages are returned in small steps. Then the write-ahead log is emptied.

import type { Cancel, MachineTime } from '../../../model/time.ts';
import type { TruncateOutcome } from './checkpoint-thread.ts';
import type { DiskSpace } from './disk-reserve.ts';
import type { GroupCommit, Work } from './group-commit.ts';
import type { Statements } from './statements.ts';

/** An account counts as idle when nothing was written to it for this time, or up to twice this time. */
const restMs = 1_000;
/** On a full disk, the pages that deletions within this time have freed are returned together. */
const restMsOfFull = 100;
/** About 1 MiB of free pages stays for later writes. On a full disk, nothing stays: other accounts may need it. */
const keptPages = 256;
/** Pages that one step returns to the system. The step moves other pages into their place. */
const stepPages = 256;
/** Pages that one step returns while space is short, when a step must write little. */
const stepPagesOfTight = 32;
/**
 * A file of an older layout is rewritten completely if it has at most this many pages in use (about 16 MiB). The
 * account cannot be used during the rewrite.
 */
const rewrittenPagesMax = 4_096;

export interface FileShrinkOptions {
  readonly statements: Statements;
  readonly machineTime: Pick<MachineTime, 'after'>;
  readonly writer: Pick<GroupCommit, 'write' | 'pauseWhile'>;
  /**
   * Copies the write-ahead log into the file, then empties the log. The file gets smaller only after both steps.
   * Resolves with `inUse` or `full` if the caller has to try again.
   */
  readonly checkpoints: { truncate(options: { readonly isNeeded: boolean }): Promise<TruncateOutcome> };
  /** Absent if the disk cannot become full. */
  readonly disk?: Pick<DiskSpace, 'isFull' | 'isTight'> | undefined;
  /** Ends the transaction that reads share. */
  readonly endReads: () => void;
}

export class FileShrink {
  readonly #options: FileShrinkOptions;
  #commits = 0;
  #cancel: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isInterrupted = false;
  /** Whether pages were freed, so that the next truncation makes the file smaller. */
  #hasFreed = false;
  #isClosed = false;

  constructor(options: FileShrinkOptions) {
    this.#options = options;
    this.#wait();
  }

  get isIdle(): boolean {
    return !this.#running;
  }

  /** Ends the work in progress after its next step. The rest is done later. */
  async settled(): Promise<void> {
    this.#isInterrupted = true;
    await this.#running;
    this.#isInterrupted = false;
  }

  countCommit(): void {
    this.#commits += 1;
    this.#wait();
  }

  /** Must be called when the disk is full: begins without waiting for the account to be idle. */
  hurry(): void {
    this.#commits += 1;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#wait(this.#isDiskFull ? 0 : restMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  get #isDiskFull(): boolean {
    return this.#options.disk?.isFull === true;
  }

  get #isSpaceShort(): boolean {
    return this.#options.disk?.isTight === true;
  }

  #wait(delayMs = this.#isDiskFull ? restMsOfFull : restMs): void {
    if (this.#running || this.#cancel || this.#isClosed) return;
    const seen = this.#commits;
    this.#cancel = this.#options.machineTime.after(delayMs, () => {
      this.#cancel = undefined;
      if (this.#commits !== seen && !this.#isSpaceShort) this.#wait();
      else this.#begin();
    });
  }

  #begin(): void {
    const seen = this.#commits;
    this.#running = this.#run()
      // The disk has failed, or is full. Files that stay larger do harm only on a full disk.
      .catch(() => !this.#isDiskFull)
      .then((isOver) => {
        this.#running = undefined;
        // Writes in the meantime may have left free pages too.
        if (!isOver) this.#wait(restMs);
        else if (this.#commits !== seen) this.#wait();
      });
  }

  /** Returns false if something else was written in between, or read at the end. */
  async #run(): Promise<boolean> {
    const { checkpoints } = this.#options;
    // While a reader needs the WAL, each step would make the WAL larger, and use up the reserve.
    if (this.#isDiskFull && (await checkpoints.truncate({ isNeeded: true })) === 'inUse') return false;
    // On a disk with little space, VACUUM may fail: it writes every page of the file into the WAL.
    if (this.#freePages > keptPages && !this.#canMovePages && !this.#isSpaceShort) await this.#rewrite();
    for (let left = this.#canMovePages ? this.#freePages : 0; left > this.#keptPages; ) {
      const seen = this.#commits;
      const freed = await this.#giveBackSome();
      if (freed > 0) this.#hasFreed = true;
      if (this.#isInterrupted || (this.#commits !== seen + 1 && !this.#isSpaceShort)) return false;
      if (freed === 0) break;
      left -= freed;
    }
    const isOver = (await checkpoints.truncate({ isNeeded: this.#hasFreed })) === 'done';
    if (isOver) this.#hasFreed = false;
    return isOver;
  }

  /** Whether rows can be stored on a full disk, in free pages that will not be returned. */
  get keepsFreePages(): boolean {
    return !this.#canMovePages && this.#freePages > 2 * keptPages;
  }

  get #keptPages(): number {
    return this.#isDiskFull ? 0 : keptPages;
  }

  get #canMovePages(): boolean {
    const { database } = this.#options.statements.commit;
    return database.pragma('auto_vacuum', { simple: true }) !== noAutoVacuum;
  }

  get #freePages(): number {
    return this.#options.statements.freePages.get() as number;
  }

  /** Resolves with the number of pages by which the file has shrunk. */
  #giveBackSome(): Promise<number> {
    const { writer, statements } = this.#options;
    const work: Work<number> = () => {
      const before = this.#freePages;
      // Writes in the meantime may have used the pages. Without a positive number, the pragma returns all free pages.
      const most = before - this.#keptPages;
      if (most <= 0) return { keep: true, result: 0 };
      // The pragma produces one row for each page that it returns to the system. `run` of a prepared statement would
      // stop at the first row, so this code uses `exec`.
      const pages = Math.min(this.#isSpaceShort ? stepPagesOfTight : stepPages, most);
      statements.commit.database.exec(`PRAGMA incremental_vacuum(${pages})`);
      return { keep: true, result: before - this.#freePages };
    };
    return writer.write(work, { needsSavepoint: false, grows: false });
  }

  /**
   * Rewrites a small file of an older layout in the current layout. A larger file keeps its size and uses its free
   * pages again.
   */
  async #rewrite(): Promise<void> {
    const { writer, statements, endReads } = this.#options;
    const { database } = statements.commit;
    await writer.pauseWhile(async () => {
      const pages = (database.pragma('page_count', { simple: true }) as number) - this.#freePages;
      if (pages > rewrittenPagesMax) return;
      endReads();
      database.pragma('auto_vacuum = INCREMENTAL');
      database.exec('VACUUM');
      this.#hasFreed = true;
    });
  }
}

/** Value of `PRAGMA auto_vacuum` for a file whose pages cannot be moved one by one. */
const noAutoVacuum = 0;

// Gives space back when an account has rested. Deleted rows leave free pages in its file, which later writes use first; what is
// then left goes back to the system in small steps, and after it the write-ahead log.

import type { Cancel, MachineTime } from '../../model/time.ts';
import type { GroupCommit, Work } from './group-commit.ts';
import type { Statements } from './statements.ts';

/** An account rests when it has not been written for this long, or up to twice as long. */
const restMs = 1_000;
/** About 1 MiB of free pages stays for what is written next. */
const keptPages = 256;
/** Pages that one step gives back. It moves others into their place. */
const stepPages = 256;
/** A file of an older layout is written as a whole, up to about 16 MiB, since nothing can use the account meanwhile. */
const rewrittenPagesMax = 4_096;

export interface FileShrinkOptions {
  readonly statements: Statements;
  readonly machineTime: Pick<MachineTime, 'after'>;
  readonly writer: Pick<GroupCommit, 'write' | 'pauseWhile'>;
  /** Copies the write-ahead log into the file, which gets smaller only then, and empties the log. Returns whether it could. */
  readonly checkpoints: { truncate(options: { readonly isNeeded: boolean }): Promise<boolean> };
  /** Ends the transaction that reads share. */
  readonly endReads: () => void;
}

export class FileShrink {
  readonly #options: FileShrinkOptions;
  #commits = 0;
  #cancel: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isInterrupted = false;
  /** Whether the file can be shorter than it is. */
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

  noteCommit(): void {
    this.#commits += 1;
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #wait(): void {
    if (this.#running || this.#cancel || this.#isClosed) return;
    const seen = this.#commits;
    this.#cancel = this.#options.machineTime.after(restMs, () => {
      this.#cancel = undefined;
      if (this.#commits !== seen) this.#wait();
      else this.#begin();
    });
  }

  #begin(): void {
    const seen = this.#commits;
    this.#running = this.#run()
      .catch(() => true) // The disk has failed, or is full. It does no harm if the files stay larger.
      .then((isOver) => {
        this.#running = undefined;
        // What was written meanwhile may leave free pages, too.
        if (!isOver || this.#commits !== seen) this.#wait();
      });
  }

  /** Returns false if something else was written in between, or read at the end. */
  async #run(): Promise<boolean> {
    const { database } = this.#options.statements.commit;
    if (this.#freePages > keptPages && database.pragma('auto_vacuum', { simple: true }) === noAutoVacuum) {
      await this.#rewrite();
    }
    for (let left = this.#freePages; left > keptPages; ) {
      const seen = this.#commits;
      const freed = await this.#giveBackSome();
      if (freed > 0) this.#hasFreed = true;
      if (this.#isInterrupted || this.#commits !== seen + 1) return false;
      if (freed === 0) break;
      left -= freed;
    }
    const isOver = await this.#options.checkpoints.truncate({ isNeeded: this.#hasFreed });
    if (isOver) this.#hasFreed = false;
    return isOver;
  }

  get #freePages(): number {
    return this.#options.statements.freePages.get() as number;
  }

  /** Returns how many pages the file has fewer. */
  #giveBackSome(): Promise<number> {
    const { writer, statements } = this.#options;
    const work: Work<number> = () => {
      const before = this.#freePages;
      // Not a prepared statement: each row that it returns is a page given back, and `run` stops at the first.
      statements.commit.database.exec(`PRAGMA incremental_vacuum(${Math.min(stepPages, before - keptPages)})`);
      return { keep: true, result: before - this.#freePages };
    };
    return writer.write(work, { needsSavepoint: false });
  }

  /** Gives a small file of an older layout the present one. Larger ones use their free pages again, and keep their size. */
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

import type { Database } from 'better-sqlite3';
import type { Statements } from './statements.ts';

/** A group ends when it has worked this long, so that reads are not kept waiting (DESIGN: about 5 ms). */
const groupMsMax = 5;

interface Job {
  /** Runs inside the group's transaction; returns whether to keep what it did. */
  readonly work: () => { keep: boolean };
  readonly settle: (error?: unknown) => void;
  readonly needsSavepoint: boolean;
}

export interface WriteOptions {
  /** More than one statement may change data, so that undoing the job alone takes a savepoint. */
  readonly needsSavepoint: boolean;
}

/**
 * The one writer of a database. Jobs that arrive in one turn of the event loop share a transaction, and every one of
 * them, refusals too, is answered only after COMMIT: a refusal may rest on a neighbour that would not have survived.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #beforeBegin: () => void;
  readonly #beforeCommit: () => void;
  readonly #afterCommit: () => void;
  readonly #onRollback: () => void;
  #queue: Job[] = [];
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(options: {
    database: Database;
    statements: Statements;
    /** Runs before each transaction: the connection must be in none. */
    beforeBegin: () => void;
    /** Runs inside each transaction, last. */
    beforeCommit: () => void;
    /** Runs once a transaction is committed, before anybody is answered. */
    afterCommit: () => void;
    /** Runs when a transaction is lost: what was remembered from inside it is no longer true. */
    onRollback: () => void;
  }) {
    this.#database = options.database;
    this.#statements = options.statements;
    this.#beforeBegin = options.beforeBegin;
    this.#beforeCommit = options.beforeCommit;
    this.#afterCommit = options.afterCommit;
    this.#onRollback = options.onRollback;
  }

  /** Resolves with the job's result once it is committed; rejects when that cannot be said. */
  write<T>(work: () => { keep: boolean; result: T }, { needsSavepoint }: WriteOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#queue.push({
        work: () => {
          const done = work();
          result = done.result;
          return done;
        },
        settle: (error) => (error === undefined ? resolve(result) : reject(error)),
        needsSavepoint,
      });
      this.#schedule();
    });
  }

  /** Resolves when nothing is waiting to be written. */
  async drained(): Promise<void> {
    if (this.#queue.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#commitGroup());
  }

  #commitGroup(): void {
    const jobs = this.#queue;
    const done: Job[] = [];
    let failure: unknown;
    try {
      this.#beforeBegin();
      this.#statements.begin.run();
      const deadline = performance.now() + groupMsMax;
      for (const job of jobs) {
        if (done.length > 0 && performance.now() > deadline) break;
        done.push(job);
        this.#run(job);
      }
      this.#beforeCommit();
      this.#statements.commit.run();
      this.#afterCommit();
    } catch (error) {
      failure = error ?? new Error('write failed');
      this.#abandon();
      if (done.length === 0) done.push(...jobs);
    }
    this.#queue = jobs.slice(done.length);
    this.#scheduled = false;
    for (const job of done) job.settle(failure);
    if (this.#queue.length > 0) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** An engine error inside a job fails the whole group: its neighbours cannot tell what they rested on. */
  #run(job: Job): void {
    if (!job.needsSavepoint) {
      job.work();
      return;
    }
    this.#statements.savepoint.run();
    const { keep } = job.work();
    if (!keep) this.#statements.rollbackTo.run();
    this.#statements.release.run();
  }

  #abandon(): void {
    this.#onRollback();
    try {
      if (this.#database.inTransaction) this.#statements.rollback.run();
    } catch {
      // The failure that led here is the one to report; a transaction that cannot be rolled back is not committed.
    }
  }
}

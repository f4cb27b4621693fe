import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { MachineTime } from '../../../model/time.ts';
import { StoreUnavailable } from '../../store-unavailable.ts';
import type { Participant } from '../participant.ts';
import { rollBack, type Statements } from './statements.ts';

/** A group starts no further job after this time, and a job that takes longer continues in the next turn. */
const sliceMs = 5;
/** How long a group waits for another process that holds the write lock, and how often it tries. */
const lockWaitMsMax = 5_000;
const lockRetryMs = 20;

/**
 * Does the work of a job inside the group's transaction. Returns undefined if time ran out before the work was
 * complete. The same function is then called again later.
 */
export type Work<T> = (isTimeOver: () => boolean) => WorkDone<T> | undefined;

export interface WorkDone<T> {
  /** Whether to keep what the job wrote. */
  readonly keep: boolean;
  readonly result: T;
}

interface Job {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly needsSavepoint: boolean;
  readonly grows: boolean;
}

export interface WriteOptions {
  /** Whether the job may store more data, which needs space. If false, the job frees space, now or later. */
  readonly grows: boolean;
  /** Whether more than one statement may change data, so that undoing the job alone needs a savepoint. */
  readonly needsSavepoint: boolean;
}

export interface GroupCommitOptions {
  readonly statements: Statements;
  readonly machineTime: MachineTime;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'>;
  /**
   * Runs before each job. If there is no space for the job, returns an error: the job does not run and rejects with
   * this error.
   */
  readonly refuse?: (job: Pick<WriteOptions, 'grows'>) => Error | undefined;
  /** Runs before each transaction; must end any other transaction of the connection. */
  readonly beforeBegin: () => void;
  /** Runs at the end of each transaction, before COMMIT. */
  readonly beforeCommit: () => void;
  /** Runs after COMMIT, before the promises of the jobs resolve. Never throws. */
  readonly afterCommit: () => void;
  /**
   * Runs after a transaction was rolled back. Everything that was cached inside the transaction is then invalid.
   * Returns the error with which the transaction's jobs reject. Never throws.
   */
  readonly onRollback: (error: unknown) => unknown;
}

/** One open transaction. Its jobs are the first of the queue. */
interface Group {
  /** Results of the completed jobs. */
  readonly results: unknown[];
  /** Number of jobs started; at most one of them is not complete. */
  begun: number;
}

/**
 * The only writer of a database. Jobs that arrive in one turn of the event loop share a transaction. A job's promise
 * resolves only after COMMIT, even if the job is refused: the refusal may be based on changes by another job of the
 * group, and these changes could still be rolled back.
 *
 * If a job takes longer than a slice, the transaction stays open between turns. Nothing else may use the connection
 * during that time, so reads use another connection (committed-reads.ts).
 */
export class GroupCommit implements Participant {
  readonly #options: GroupCommitOptions;
  #queue: Job[] = [];
  #isScheduled = false;
  #group: Group | undefined;
  /** Since when another process has held the write lock. */
  #lockedSinceMs: number | undefined;
  #onClosed: (() => void)[] = [];
  #onIdle: (() => void)[] = [];
  /** The number of pauses that have not ended: a checkpoint and the rewriting of a file may overlap. */
  #pauses = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Resolves with the job's result after COMMIT; rejects if the commit failed or its outcome is unknown. */
  write<T>(work: Work<T>, { needsSavepoint, grows }: WriteOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as Job['resolve'], reject, needsSavepoint, grows });
      this.#schedule();
    });
  }

  /** Whether a transaction is open. It may stay open between turns. */
  get isOpen(): boolean {
    return this.#group !== undefined;
  }

  /** Undefined if no transaction is open; otherwise a promise that resolves when the transaction has ended. */
  whenClosed(): Promise<void> | undefined {
    return this.#group && new Promise((resolve) => this.#onClosed.push(resolve));
  }

  /** Nothing to do: its jobs reject. */
  rolledBack(): void {}

  /** Resolves when the queue is empty. */
  async settled(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /**
   * Waits until no transaction is open, then runs `work`. If a job arrives during `work`, the job waits until all
   * pauses have ended.
   */
  async pauseWhile(work: () => Promise<unknown>): Promise<void> {
    while (this.#group) await this.whenClosed();
    this.#pauses += 1;
    try {
      await work();
    } finally {
      this.#pauses -= 1;
      // Time spent paused does not count as waiting for another process's lock.
      this.#lockedSinceMs = undefined;
      if (!this.isIdle) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#pauses > 0) return;
    this.#isScheduled = true;
    (this.#options.schedule ?? systemSchedule).nextTurn(() => this.#takeTurn());
  }

  #takeTurn(): void {
    const { machineTime, statements, beforeCommit, afterCommit } = this.#options;
    this.#isScheduled = false;
    if (this.#pauses > 0) return;
    let failure: { readonly error: unknown } | undefined;
    let isCommitting = false;
    try {
      if (!this.#group && !this.#begin()) return;
      const untilMs = machineTime.monotonicMs() + sliceMs;
      if (!this.#runJobs(() => machineTime.monotonicMs() > untilMs)) {
        this.#schedule();
        return;
      }
      beforeCommit();
      isCommitting = true;
      statements.commit.run();
    } catch (error) {
      failure = { error };
    }
    if (!failure) afterCommit();
    else if (isCommitting) overwriteFailedCommit(statements);
    this.#end(failure);
  }

  /** Opens the transaction. Returns false if another process has the lock; a later turn tries again. */
  #begin(): boolean {
    const { machineTime, statements, beforeBegin } = this.#options;
    beforeBegin();
    try {
      statements.begin.run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const nowMs = machineTime.monotonicMs();
      this.#lockedSinceMs ??= nowMs;
      if (nowMs - this.#lockedSinceMs >= lockWaitMsMax) {
        throw new StoreUnavailable('locked', `${statements.begin.database.name} is locked by another process.`);
      }
      this.#isScheduled = true;
      machineTime.after(lockRetryMs, () => this.#takeTurn());
      return false;
    }
    this.#lockedSinceMs = undefined;
    this.#group = { results: [], begun: 0 };
    return true;
  }

  /** Runs jobs until the time slice is over, and at least one job. Returns false if the slice ends within a job. */
  #runJobs(isTimeOver: () => boolean): boolean {
    const group = this.#group as Group;
    for (const job of this.#queue.slice(group.results.length)) {
      const isBegun = group.begun > group.results.length;
      if (!isBegun && group.begun > 0 && isTimeOver()) return true;
      if (!isBegun) group.begun += 1;
      const done = this.#run(job, isBegun, isTimeOver);
      if (!done) return false;
      group.results.push(done.result);
    }
    return true;
  }

  /** An engine error inside a job fails the whole group: other jobs may be based on its writes. */
  #run(
    { work, needsSavepoint, grows }: Job,
    isBegun: boolean,
    isTimeOver: () => boolean,
  ): WorkDone<unknown> | undefined {
    const refusal = isBegun ? undefined : this.#options.refuse?.({ grows });
    if (refusal) return { keep: false, result: new Refused(refusal) };
    if (!needsSavepoint) return work(isTimeOver);
    const { savepoint, rollbackTo, release } = this.#options.statements;
    if (!isBegun) savepoint.run();
    const done = work(isTimeOver);
    if (!done) return undefined;
    if (!done.keep) rollbackTo.run();
    release.run();
    return done;
  }

  /** Settles the jobs of the group; if no transaction could be opened, rejects all that wait. */
  #end(failure: { readonly error: unknown } | undefined): void {
    const { results, begun } = this.#group ?? { results: [], begun: this.#queue.length };
    this.#group = undefined;
    this.#lockedSinceMs = undefined;
    if (failure) rollBack(this.#options.statements);
    const error = failure && this.#options.onRollback(failure.error);
    for (const [index, { resolve, reject }] of this.#queue.splice(0, begun).entries()) {
      const result = results[index];
      if (failure) reject(error);
      else if (result instanceof Refused) reject(result.error);
      else resolve(result);
    }
    for (const resolve of this.#onClosed.splice(0)) resolve();
    if (!this.isIdle) this.#schedule();
    else for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

/**
 * Overwrites the beginning of a commit that could not be synced, by making another commit. The failed commit is
 * complete in the write-ahead log, so the next process would treat it as valid. If the new commit fails too, the next
 * commit that succeeds has the same effect.
 */
function overwriteFailedCommit(statements: Statements): void {
  rollBack(statements);
  try {
    statements.begin.run();
    statements.passTicks.run();
    statements.commit.run();
  } catch {
    rollBack(statements);
  }
}

/** Takes the place of the result if a job did not run. */
class Refused {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

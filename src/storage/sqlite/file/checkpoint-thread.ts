// Runs the checkpoints of WAL files on a separate thread, because a checkpoint writes to the disk and syncs (ADR 0012).
// The thread starts only after some writes to an account, so an emulator that only answers reads spends no memory on
// the thread.

import { createRequire } from 'node:module';
import { type MessagePort, Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';

export interface CheckpointRequest {
  readonly file: string;
  /** Value of `PRAGMA synchronous`: whether the thread syncs. */
  readonly synchronous: string;
  /** The least number of pages in the WAL. If it has fewer, another file has replaced the account's file. */
  readonly pages: number;
  /** Whether to truncate the WAL file too, if nothing uses it. */
  readonly truncates?: boolean;
}

/** `inUse`: the WAL file was not truncated, because of a reader. `full`: the database file could not grow. */
export type CheckpointOutcome = 'done' | 'inUse' | 'full' | 'failed';
/** `inUse` and `full`: the caller has to try again. */
export type TruncateOutcome = Exclude<CheckpointOutcome, 'failed'>;

interface RunningThread {
  readonly worker: Worker;
  /** Callbacks of the checkpoints that run or wait; the thread answers them in order. */
  readonly waiting: ((outcome: CheckpointOutcome) => void)[];
}

/** Runs checkpoints apart from the work of the account. */
export interface CheckpointRunner {
  prepare(): void;
  checkpoint(request: CheckpointRequest): Promise<CheckpointOutcome>;
  close(): Promise<void>;
}

export class CheckpointThread implements CheckpointRunner {
  readonly #driver: string | undefined;
  #running: RunningThread | undefined;
  /** Whether the thread failed to start or ended unexpectedly, for example because threads are not permitted. */
  #hasFailed = false;
  #isClosed = false;

  /** `driver`: the file of better-sqlite3; default: the one that this module uses. */
  constructor(driver?: string) {
    this.#driver = driver;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Starts the thread early, so that the first checkpoint need not wait for the start. If the start fails, the first
   * checkpoint reports the failure.
   */
  prepare(): void {
    if (!this.#isClosed && !this.#running) this.#start();
  }

  /**
   * Copies the committed pages of a WAL into its database file. Never rejects: after a failure, the pages are still in
   * the WAL.
   */
  checkpoint(request: CheckpointRequest): Promise<CheckpointOutcome> {
    this.prepare();
    const running = this.#running;
    if (!running) return Promise.resolve('failed');
    return new Promise((resolve) => {
      running.waiting.push(resolve);
      running.worker.ref();
      running.worker.postMessage(request);
    });
  }

  /** Resolves when the thread has ended, after all requested checkpoints. Later requests fail. */
  close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    this.#running = undefined;
    if (!running) return Promise.resolve();
    return new Promise((resolve) => {
      running.worker.ref();
      running.worker.once('exit', () => resolve());
      running.worker.postMessage(undefined);
    });
  }

  #start(): void {
    if (this.#hasFailed) return;
    try {
      const workerData = this.#driver ?? findDriver();
      const worker = new Worker(source, { eval: true, workerData, execArgv: [], env: {}, resourceLimits });
      const running: RunningThread = { worker, waiting: [] };
      worker.on('message', (outcome: CheckpointOutcome) => this.#settleNext(running, outcome));
      worker.on('error', () => undefined); // 'exit' follows.
      worker.once('exit', () => this.#handleExit(running));
      // Only a running checkpoint keeps the process alive.
      worker.unref();
      this.#running = running;
    } catch {
      this.#hasFailed = true;
    }
  }

  #settleNext(running: RunningThread, outcome: CheckpointOutcome): void {
    const { worker, waiting } = running;
    waiting.shift()?.(outcome);
    if (waiting.length === 0 && running === this.#running) worker.unref();
  }

  /** A thread that ended unexpectedly is not started again. */
  #handleExit(running: RunningThread): void {
    for (const resolve of running.waiting.splice(0)) resolve('failed');
    if (running !== this.#running) return;
    this.#running = undefined;
    this.#hasFailed = true;
  }
}

/**
 * Returns the file of the better-sqlite3 module that this process already uses. Any other file would load a second copy
 * of SQLite, and two copies in one process drop each other's locks (SQLite: How To Corrupt An SQLite Database File,
 * Multiple copies of SQLite linked into the same application). The thread's copy would then delete the WAL while it is
 * in use. In a bundle that contains the driver, this function throws, because there would be two copies.
 */
function findDriver(): string {
  const require = createRequire(import.meta.url);
  if (require('better-sqlite3') !== Database) throw new Error('better-sqlite3 is not the one in use');
  return require.resolve('better-sqlite3');
}

/** A checkpoint needs little memory of JavaScript: SQLite copies the pages. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32, codeRangeSizeMb: 16 };

/**
 * Runs one checkpoint on a separate connection. The thread gets the source text of this function and of
 * `answerRequests`, so the two functions must not refer to anything that is defined outside them. The thread's code is
 * not in a separate file, because the tests and bundles of the library could not find that file.
 */
export function runCheckpoint(request: CheckpointRequest, Driver: typeof Database): CheckpointOutcome {
  let outcome: CheckpointOutcome = 'failed';
  try {
    const database = new Driver(request.file, { fileMustExist: true, timeout: 0 });
    try {
      database.pragma(`synchronous = ${request.synchronous}`);
      const [{ busy, log }] = database.pragma('wal_checkpoint(PASSIVE)') as [{ busy: number; log: number }];
      // Busy: another program makes a checkpoint at this moment.
      if (busy || log >= request.pages) outcome = 'done';
      if (request.truncates && outcome === 'done') {
        const [truncated] = database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
        if (truncated.busy) outcome = 'inUse';
      }
    } finally {
      database.close();
    }
  } catch (error) {
    // What could not be copied is in the WAL, and the next checkpoint tries again.
    if ((error as { code?: string }).code === 'SQLITE_FULL') outcome = 'full';
  }
  return outcome;
}

/** Answers the requests that the thread receives. `run` is the function runCheckpoint. */
function answerRequests(port: MessagePort, Driver: typeof Database, run: typeof runCheckpoint): void {
  port.on('message', (request: CheckpointRequest | undefined) => {
    if (request) port.postMessage(run(request, Driver));
    else port.close();
  });
}

const source = `const { parentPort, workerData } = require('node:worker_threads');
(${answerRequests})(parentPort, require(workerData), ${runCheckpoint});`;

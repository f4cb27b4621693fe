// Runs checkpoints of WAL files on a thread of its own: they write and sync, and requests need not wait for the disk (ADR 0012).
// The thread starts at the first checkpoint and ends when there was none for a while, so an idle emulator pays no memory for it.

import { createRequire } from 'node:module';
import { type MessagePort, Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import type { Cancel, MachineTime } from '../../model/time.ts';

/** How long the thread waits for the next checkpoint before it ends. */
const idleMsMax = 10_000;

export interface CheckpointRequest {
  readonly file: string;
  /** Value of `PRAGMA synchronous`: whether the thread syncs. */
  readonly synchronous: string;
}

export type CheckpointOutcome = 'done' | 'failed';

export class CheckpointThread {
  readonly #machineTime: MachineTime;
  readonly #driver: string;
  #worker: Worker | undefined;
  /** Callbacks of the checkpoints that run or wait; the thread answers them in order. */
  readonly #waiting: ((outcome: CheckpointOutcome) => void)[] = [];
  #cancelIdleEnd: Cancel | undefined;
  #hasFailed = false;

  /** `driver`: the file of better-sqlite3. */
  constructor(machineTime: MachineTime, driver = createRequire(import.meta.url).resolve('better-sqlite3')) {
    this.#machineTime = machineTime;
    this.#driver = driver;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** False once the thread could not start, or ended by itself: this process may start no threads, or lacks memory for one. */
  get isUsable(): boolean {
    return !this.#hasFailed;
  }

  /** Copies the committed pages of a WAL into its database file. Never rejects: after a failure they are still in the WAL. */
  checkpoint(request: CheckpointRequest): Promise<CheckpointOutcome> {
    this.#cancelIdleEnd?.();
    const worker = this.#worker ?? this.#start();
    if (!worker) return Promise.resolve('failed');
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.ref();
      worker.postMessage(request);
    });
  }

  /** Resolves when the thread has ended, after the checkpoints that it was asked for. */
  close(): Promise<void> {
    this.#cancelIdleEnd?.();
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return Promise.resolve();
    return new Promise((resolve) => {
      worker.ref();
      worker.once('exit', () => resolve());
      worker.postMessage(undefined);
    });
  }

  #start(): Worker | undefined {
    if (this.#hasFailed) return undefined;
    try {
      const worker = new Worker(source, {
        eval: true,
        workerData: this.#driver,
        execArgv: [],
        env: {},
        resourceLimits,
      });
      worker.on('message', (outcome: CheckpointOutcome) => this.#settleNext(worker, outcome));
      worker.on('error', () => undefined); // 'exit' follows.
      worker.once('exit', () => this.#fail(worker));
      this.#worker = worker;
      return worker;
    } catch {
      this.#hasFailed = true;
      return undefined;
    }
  }

  #settleNext(worker: Worker, outcome: CheckpointOutcome): void {
    this.#waiting.shift()?.(outcome);
    if (this.#waiting.length > 0 || worker !== this.#worker) return;
    worker.unref();
    this.#cancelIdleEnd = this.#machineTime.after(idleMsMax, () => void this.close());
  }

  /** The thread has ended; if nothing asked it to, it is not started again. */
  #fail(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#hasFailed = true;
    for (const resolve of this.#waiting.splice(0)) resolve('failed');
  }
}

/** A checkpoint needs little memory: its pages are copied by SQLite. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/**
 * The work of the thread. Runs there as text, because a file of its own would have to be found wherever users bundle the library, and in
 * tests; so it uses nothing from outside itself.
 */
function answerRequests(port: MessagePort, Driver: typeof Database): void {
  port.on('message', (request: CheckpointRequest | undefined) => {
    if (!request) {
      port.close();
      return;
    }
    let outcome: CheckpointOutcome = 'failed';
    try {
      const database = new Driver(request.file, { fileMustExist: true, timeout: 0 });
      try {
        database.pragma(`synchronous = ${request.synchronous}`);
        database.pragma('wal_checkpoint(PASSIVE)');
        outcome = 'done';
      } finally {
        database.close();
      }
    } catch {
      // What could not be copied is in the WAL, and the next checkpoint tries again.
    }
    port.postMessage(outcome);
  });
}

const source = `const { parentPort, workerData } = require('node:worker_threads');
(${answerRequests})(parentPort, require(workerData));`;

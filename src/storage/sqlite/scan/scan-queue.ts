import type { EntityKey } from '../../../model/entity.ts';
import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { Cancel, MachineTime } from '../../../model/time.ts';
import type { ScanOutcome, ScanPage, TableAbsence } from '../../store.ts';
import type { Participant } from '../participant.ts';
import type { Scan } from './scan.ts';

/** Approximate time that all scans together may take in one turn of the event loop. */
const sliceMs = 1;
/**
 * Replaces `sliceMs` while the account has other reads. A request that arrives during a slice waits for the rest of
 * that slice, and then for one more slice that was queued before the request. Each slice also costs a turn of the event
 * loop, about 10 µs.
 */
const sliceMsBesideOthers = 0.25;
/** The number of consecutive turns that are short after a read that is not a scan. */
const shortTurns = 64;

interface Job {
  readonly scan: Scan;
  /** Returns why the table is absent, if it has been deleted since. */
  readonly findAbsence: () => TableAbsence | undefined;
  readonly resolve: (outcome: ScanOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export interface ScanQueueOptions {
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'> | undefined;
  /** Returns undefined if reads can be answered now, and otherwise a promise that resolves when they can. */
  readonly whenReadable: () => Promise<void> | undefined;
}

/**
 * Runs scans concurrently. In each turn of the event loop, all scans together get one slice, so no other work waits
 * longer than two slices.
 */
export class ScanQueue implements Participant {
  readonly #options: ScanQueueOptions;
  readonly #jobs: Job[] = [];
  #cancelTurn: Cancel | undefined;
  #shortTurnsLeft = 0;

  constructor(options: ScanQueueOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#jobs.length === 0;
  }

  /** Notes a read that is not a scan, so that the next such reads wait less. */
  makeWay(): void {
    if (!this.isIdle) this.#shortTurnsLeft = shortTurns;
  }

  /** Begins immediately if no other scan is running: most scans end within their first slice. */
  run(scan: Scan, findAbsence: () => TableAbsence | undefined): Promise<ScanOutcome> {
    if (this.isIdle) {
      const page = scan.advance(this.#sliceEndMs());
      if (page) return Promise.resolve(page);
    }
    return new Promise((resolve, reject) => {
      this.#jobs.push({ scan, findAbsence, resolve, reject });
      this.#schedule();
    });
  }

  /** Tells the scans in progress about a committed write. */
  recordChange(tableId: number, key: EntityKey): void {
    for (const { scan } of this.#jobs) if (scan.tableId === tableId) scan.recordChange(key);
  }

  /** Ends the scans of a table that was cleared, each with an empty page. */
  recordCleared(tableId: number): void {
    this.#end(tableId, (scan) => scan.emptied());
  }

  /** Ends the scans of rows that no longer belong to a table, each with a page of the state before. */
  recordReplaced(tableId: number): void {
    this.#end(tableId, (scan) => scan.interrupted());
  }

  /** Nothing to do: scans read committed state. */
  rolledBack(): void {}

  close(): void {
    this.#cancelTurn?.();
    for (const { reject } of this.#jobs.splice(0)) reject(new Error('the store was closed while a page was read'));
  }

  #end(tableId: number, pageOf: (scan: Scan) => ScanPage): void {
    for (const job of this.#jobs.filter(({ scan }) => scan.tableId === tableId)) {
      this.#jobs.splice(this.#jobs.indexOf(job), 1);
      job.resolve(pageOf(job.scan));
    }
  }

  #nowMs(): number {
    return this.#options.machineTime.monotonicMs();
  }

  #sliceEndMs(): number {
    const isShort = this.#shortTurnsLeft > 0;
    if (isShort) this.#shortTurnsLeft--;
    return this.#nowMs() + (isShort ? sliceMsBesideOthers : sliceMs);
  }

  #schedule(): void {
    const { whenReadable, schedule = systemSchedule } = this.#options;
    this.#cancelTurn ??= schedule.nextTurn(() => {
      const wait = whenReadable();
      if (wait) {
        void wait.then(() => this.#nextTurn());
        return;
      }
      this.#runSlice();
      this.#nextTurn();
    });
  }

  #nextTurn(): void {
    this.#cancelTurn = undefined;
    if (!this.isIdle) this.#schedule();
  }

  #runSlice(): void {
    const untilMs = this.#sliceEndMs();
    do {
      const job = this.#jobs.shift();
      if (!job) return;
      if (!this.#advance(job, untilMs)) this.#jobs.push(job);
    } while (this.#nowMs() < untilMs);
  }

  /** Returns whether the job is over. */
  #advance({ scan, findAbsence, resolve, reject }: Job, untilMs: number): boolean {
    try {
      const absence = findAbsence();
      const outcome = absence ? { kind: absence } : scan.advance(untilMs);
      if (outcome) resolve(outcome);
      return outcome !== undefined;
    } catch (error) {
      reject(error);
      return true;
    }
  }
}

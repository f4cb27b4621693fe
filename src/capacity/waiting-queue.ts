import type { CapacityLimit } from '../model/capacity-use.ts';
import { requestTimeoutMsMax } from '../model/limits.ts';
import type { Cancel, MachineTime, ModelTime } from '../model/time.ts';
import { microsecondsOf } from './token-buckets.ts';

/** The reason why a request cannot run now. */
export interface Obstacle {
  readonly limit: CapacityLimit;
  /** The bucket that lacks units. Requests with the same scope run in the order in which they came. */
  readonly scope: unknown;
  /** When the bucket will have enough units for this request and for all that already wait. */
  readonly untilUs: number;
}

/** Units that earlier requests wait for, by scope. */
export type UnitsAhead = ReadonlyMap<unknown, number>;

/** A request that can wait. `Ended` is the type of the result when its wait ends. */
export interface QueuedRequest<Ended> {
  readonly units: number;
  /** How long the request may take. */
  readonly waitMsMax: number;
  /** Whether the client has disconnected. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Starts the request and returns undefined, or changes nothing and returns the obstacle. */
  readonly start: (ahead: UnitsAhead, nowUs: number) => Obstacle | undefined;
  /** Called once. */
  readonly end: (outcome: WaitOutcome) => Ended;
}

/** How waiting ended. */
export interface WaitOutcome {
  /** `started`: the request may run. `busy`, `timedOut`: it is refused. */
  readonly kind: 'started' | 'busy' | 'timedOut';
  /** What the request waited for last; undefined if it started immediately. */
  readonly limit: CapacityLimit | undefined;
  readonly waitedMs: number;
}

export interface WaitingQueueOptions {
  /** The most requests that may wait at the same time. */
  readonly lengthMax: number;
  /** A request that would wait longer is refused immediately. */
  readonly waitMsMax: number;
  readonly time: ModelTime;
  /** Limits every wait, because model time may be frozen. */
  readonly machineTime: Pick<MachineTime, 'after' | 'monotonicMs'>;
}

interface Waiting<Ended> {
  readonly request: QueuedRequest<Ended>;
  readonly sinceUs: number;
  /** When the request is refused if it still waits. */
  readonly untilUs: number;
  /** When the request times out in machine time, whatever the model time is. */
  readonly giveUpAtMs: number;
  obstacle: Obstacle;
  readonly settle: (ended: Ended) => void;
}

const startedAtOnce: WaitOutcome = { kind: 'started', limit: undefined, waitedMs: 0 };
const nothingAhead: UnitsAhead = new Map();

/** Requests of one account that wait for capacity, in the order in which they came. */
export class WaitingQueue<Ended> {
  readonly #options: WaitingQueueOptions;
  #queue: Waiting<Ended>[] = [];
  #cancelWake: Cancel | undefined;
  #cancelGiveUp: Cancel | undefined;
  #isClosed = false;

  constructor(options: WaitingQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Starts a request now or later, or refuses it. Returns a promise if it waits. */
  enter(request: QueuedRequest<Ended>): Ended | Promise<Ended> {
    const { lengthMax, waitMsMax, time, machineTime } = this.#options;
    const nowUs = microsecondsOf(time);
    const obstacle = request.start(this.#queue.length === 0 ? nothingAhead : this.#startReady(nowUs), nowUs);
    if (!obstacle) return request.end(startedAtOnce);
    const isTooLong = obstacle.untilUs - nowUs > waitMsMax * 1000;
    if (this.#isClosed || this.#queue.length >= lengthMax || isTooLong) {
      return request.end({ kind: 'busy', limit: obstacle.limit, waitedMs: 0 });
    }
    const untilUs = nowUs + Math.min(request.waitMsMax, waitMsMax) * 1000;
    const giveUpAtMs = machineTime.monotonicMs() + requestTimeoutMsMax;
    return new Promise<Ended>((settle) => {
      this.#queue.push({ request, sinceUs: nowUs, untilUs, giveUpAtMs, obstacle, settle });
      this.#wakeForNext(nowUs);
    });
  }

  /** Refuses all waiting requests, and from now on all that would have to wait. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWakes();
    const nowUs = microsecondsOf(this.#options.time);
    for (const waiting of this.#queue.splice(0)) end(waiting, 'busy', nowUs);
  }

  /** Starts the requests that can start, in order. Returns the units that the remaining requests wait for. */
  #startReady(nowUs: number): UnitsAhead {
    const ahead = new Map<unknown, number>();
    this.#queue = this.#queue.filter((waiting) => {
      const { request, untilUs } = waiting;
      if (request.isAbandoned?.()) return end(waiting, 'busy', nowUs);
      const obstacle = request.start(ahead, nowUs);
      if (!obstacle) return end(waiting, 'started', nowUs);
      waiting.obstacle = obstacle;
      if (nowUs >= untilUs) return end(waiting, this.#isOutOfTime(waiting) ? 'timedOut' : 'busy', nowUs);
      ahead.set(obstacle.scope, (ahead.get(obstacle.scope) ?? 0) + request.units);
      return true;
    });
    return ahead;
  }

  /** Whether the wait ended at the request's own time limit. Otherwise it ended at the limit for every request. */
  #isOutOfTime({ request }: Waiting<Ended>): boolean {
    return request.waitMsMax <= this.#options.waitMsMax;
  }

  #wakeForNext(nowUs: number): void {
    this.#cancelWakes();
    const [first] = this.#queue;
    if (!first) return;
    const nextUs = Math.min(...this.#queue.map(({ untilUs, obstacle }) => Math.min(untilUs, obstacle.untilUs)));
    const { time, machineTime } = this.#options;
    this.#cancelWake = time.after(Math.max(1, Math.ceil((nextUs - nowUs) / 1000)), () => {
      const wokenUs = microsecondsOf(time);
      this.#startReady(wokenUs);
      this.#wakeForNext(wokenUs);
    });
    const giveUpMs = Math.max(0, first.giveUpAtMs - machineTime.monotonicMs());
    this.#cancelGiveUp = machineTime.after(giveUpMs, () => this.#giveUp());
  }

  #cancelWakes(): void {
    this.#cancelWake?.();
    this.#cancelGiveUp?.();
    this.#cancelWake = this.#cancelGiveUp = undefined;
  }

  #giveUp(): void {
    const nowUs = microsecondsOf(this.#options.time);
    const machineMs = this.#options.machineTime.monotonicMs();
    this.#queue = this.#queue.filter((waiting) => machineMs < waiting.giveUpAtMs || end(waiting, 'timedOut', nowUs));
    this.#wakeForNext(nowUs);
  }
}

/** Returns false, because the request no longer waits. */
function end<Ended>(waiting: Waiting<Ended>, kind: WaitOutcome['kind'], nowUs: number): false {
  const { request, obstacle, sinceUs, settle } = waiting;
  settle(request.end({ kind, limit: obstacle.limit, waitedMs: (nowUs - sinceUs) / 1000 }));
  return false;
}

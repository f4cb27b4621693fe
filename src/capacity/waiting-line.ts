import type { Limit, Throttled } from './throttled.ts';
import type { Timers } from './timers.ts';

/** What a request found in its way. */
export interface Obstacle {
  readonly limit: Limit;
  /** Of the account, the range or the partition: whoever meets one waits behind those who met the same. */
  readonly scope: unknown;
  /** When it may be gone. */
  readonly untilUs: number;
}

/** Tries to begin a request; `closed` holds the scopes for which others wait already. */
export type Attempt = (closed: ReadonlySet<unknown>, nowUs: number) => Obstacle | undefined;

export interface Patience {
  readonly waitMsMax: number;
  /** Whether nobody waits for it any more. */
  readonly isAbandoned?: (() => boolean) | undefined;
}

interface Waiting {
  readonly attempt: Attempt;
  readonly untilUs: number;
  readonly isAbandoned: (() => boolean) | undefined;
  obstacle: Obstacle;
  readonly settle: (outcome: Throttled | undefined) => void;
}

/** Requests of one account that wait for capacity, in the order they came; none is overtaken for what it waits for. */
export class WaitingLine {
  readonly #lengthMax: number;
  readonly #timers: Timers;
  #line: Waiting[] = [];
  #callOff: (() => void) | undefined;
  #isClosed = false;

  constructor(lengthMax: number, timers: Timers) {
    this.#lengthMax = lengthMax;
    this.#timers = timers;
  }

  get length(): number {
    return this.#line.length;
  }

  /** Begins a request at once where it can; undefined: it has begun. */
  enter(
    attempt: Attempt,
    { waitMsMax, isAbandoned }: Patience,
  ): Throttled | undefined | Promise<Throttled | undefined> {
    const nowUs = this.#timers.nowUs();
    const obstacle = attempt(this.#line.length === 0 ? nothing : this.#advance(nowUs), nowUs);
    if (!obstacle) return undefined;
    if (this.#isClosed || this.#line.length >= this.#lengthMax) return { kind: 'busy', limit: obstacle.limit };
    return new Promise((settle) => {
      this.#line.push({ attempt, untilUs: nowUs + waitMsMax * 1000, isAbandoned, obstacle, settle });
      this.#arm(nowUs);
    });
  }

  /** Sends everybody away, now and from now on. */
  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
    for (const { obstacle, settle } of this.#line.splice(0)) settle({ kind: 'busy', limit: obstacle.limit });
  }

  /** Begins whatever can, in turn, and gives the scopes for which some still wait. */
  #advance(nowUs: number): ReadonlySet<unknown> {
    const closed = new Set<unknown>();
    this.#line = this.#line.filter((waiting) => {
      if (waiting.isAbandoned?.()) {
        waiting.settle({ kind: 'busy', limit: waiting.obstacle.limit });
        return false;
      }
      const obstacle = waiting.attempt(closed, nowUs);
      if (!obstacle) {
        waiting.settle(undefined);
        return false;
      }
      if (nowUs >= waiting.untilUs) {
        waiting.settle({ kind: 'timedOut', limit: obstacle.limit });
        return false;
      }
      waiting.obstacle = obstacle;
      closed.add(obstacle.scope);
      return true;
    });
    return closed;
  }

  #arm(nowUs: number): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#line.length === 0) return;
    const nextUs = Math.min(...this.#line.map(({ untilUs, obstacle }) => Math.min(untilUs, obstacle.untilUs)));
    this.#callOff = this.#timers.after(Math.max(1, Math.ceil((nextUs - nowUs) / 1000)), () => {
      const turnUs = this.#timers.nowUs();
      this.#advance(turnUs);
      this.#arm(turnUs);
    });
  }
}

const nothing: ReadonlySet<unknown> = new Set();

import type { Clock } from '../../../src/model/clock.ts';

/** A clock that stands still until it is told otherwise. */
export class ManualClock implements Clock {
  #ms: number;

  constructor(ms = Date.UTC(2024, 4, 1, 10)) {
    this.#ms = ms;
  }

  nowMs(): number {
    return this.#ms;
  }

  /** Steps on, or back. */
  step(ms: number): void {
    this.#ms += ms;
  }
}

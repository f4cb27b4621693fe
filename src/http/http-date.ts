import type { Clock } from '../model/time.ts';

/** The value of the header `Date`, made once per second: responses are sent far more often. */
export class HttpDate {
  readonly #clock: Clock;
  #second = Number.NaN;
  #text = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): string {
    const second = Math.floor(this.#clock.nowMs() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}

import type { ModelTime } from '../model/time.ts';

/** Model time in whole microseconds, in which the buckets are exact. */
export interface Timers extends Pick<ModelTime, 'after'> {
  /** Whole microseconds since an arbitrary moment; never decreases. */
  nowUs(): number;
}

export const timersOf = (time: ModelTime): Timers => ({
  nowUs: () => Math.round(time.monotonicMs() * 1000),
  after: (delayMs, run) => time.after(delayMs, run),
});

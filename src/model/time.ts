// The two kinds of time. The composition root passes both in. No other module reads a clock or starts a timer, except
// for the files that scripts/clock-reads.mjs lists (`npm run boundaries`).

/** Cancels the timer that `after` started. Does nothing once the timer has fired. */
export type Cancel = () => void;

/** Time of the machine, for the process itself: time slices, deadlines, sockets, the age of a request. It cannot be set. */
export interface MachineTime {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
  /** Milliseconds with a fraction since an arbitrary moment; never decreases. */
  monotonicMs(): number;
  /** Runs `run` once, when `delayMs` have passed. */
  after(delayMs: number, run: () => void): Cancel;
}

/**
 * Time of the emulated service: timestamps, signatures, access policies, the delay of table deletion, the replica,
 * capacity. It can be frozen, set and advanced (adjustable-time.ts).
 */
export interface ModelTime extends MachineTime {
  /** Milliseconds since 1970-01-01T00:00:00Z, with a fraction. May step back when the time is set. */
  nowMs(): number;
}

/** The part of model time that gives the date. */
export type Clock = Pick<ModelTime, 'nowMs'>;

export const systemMachineTime: MachineTime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Runs `run` when `delayMs` have passed. The wait does not keep the process running, so `run` may never run. */
export function afterInBackground(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs).unref();
}

/**
 * The system's clock. Node reads it in whole milliseconds, and the fraction comes from the monotonic clock. The time may
 * therefore step back within a millisecond. The store's timestamps increase nevertheless.
 */
export const systemModelTime: ModelTime = {
  ...systemMachineTime,
  nowMs: () => Date.now() + (performance.now() % 1),
};

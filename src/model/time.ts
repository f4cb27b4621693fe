// The two kinds of time: machine time and model time. The composition root gives both to the modules that need them.
// Only this module and the files that scripts/clock-reads.mjs lists read a clock or start a timer (`npm run boundaries`
// checks this).

/** Cancels the timer that `after` started. Does nothing once the timer has fired. */
export type Cancel = () => void;

/**
 * The time of the machine. The process uses this time for its own work: time slices, deadlines, sockets, the age of a
 * request. Machine time cannot be set.
 */
export interface MachineTime {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
  /** Milliseconds with a fraction since an arbitrary moment; never decreases. */
  monotonicMs(): number;
  /** Runs `run` once, when `delayMs` have passed. */
  after(delayMs: number, run: () => void): Cancel;
}

/**
 * The time of the emulated service: for timestamps, signatures, access policies, capacity, the replica, and the delay
 * of table deletion. Model time can be frozen, set and advanced (adjustable-time.ts).
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
 * Model time by the system's clock. Node reads this clock in whole milliseconds, and the fraction comes from the
 * monotonic clock. The time may therefore step back by less than a millisecond. Nevertheless, the store's timestamps
 * always increase.
 */
export const systemModelTime: ModelTime = {
  ...systemMachineTime,
  nowMs: () => Date.now() + (performance.now() % 1),
};

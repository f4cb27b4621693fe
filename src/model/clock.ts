/** The time of day, injected wherever it matters so that tests and the emulator's own clock control can move it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, with a fraction. */
  nowMs(): number;
}

/**
 * The system's clock, which Node reads in whole milliseconds; the digits below come from the monotonic clock. They may step
 * back within a millisecond, which the store evens out.
 */
export const systemClock: Clock = { nowMs: () => Date.now() + (performance.now() % 1) };

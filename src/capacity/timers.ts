/** Time as the model has it: monotonic, so that a clock set back or a machine that slept refuses nobody. */
export interface Timers {
  /** Whole microseconds since some beginning. */
  nowUs(): number;
  /** Runs something later, unless it is called off. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  nowUs: () => Math.floor(performance.now() * 1000),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

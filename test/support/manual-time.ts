import type { Cancel, MachineTime } from '../../src/model/time.ts';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Time that stands still until a test advances it. */
export class ManualTime implements MachineTime {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { dueMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Runs what falls due on the way, each at its own moment. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let due = this.#nextUntil(untilMs); due; due = this.#nextUntil(untilMs)) {
      this.#nowMs = due.dueMs;
      this.#timers.delete(due);
      due.run();
    }
    this.#nowMs = untilMs;
  }

  #nextUntil(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= untilMs);
    return due.toSorted((a, b) => a.dueMs - b.dueMs)[0];
  }
}

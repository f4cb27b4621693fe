import { type Cancel, type MachineTime, type ModelTime, systemMachineTime } from '../../src/model/time.ts';
import type { StoreOptions } from '../../src/storage/store.ts';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Model time and machine time in one, which moves only when a test moves it. */
export class ManualTime implements ModelTime {
  #passedMs = 0;
  #startMs = Date.UTC(2024, 4, 1, 10);
  readonly #timers = new Set<Timer>();

  nowMs(): number {
    return this.#startMs + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { dueMs: this.#passedMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Fires the timers that become due on the way, each at its own moment. */
  advance(ms: number): void {
    this.advanceTo(this.#passedMs + ms);
  }

  advanceTo(monotonicMs: number): void {
    for (let due = this.#nextUntil(monotonicMs); due; due = this.#nextUntil(monotonicMs)) {
      this.#passedMs = Math.max(this.#passedMs, due.dueMs);
      this.#timers.delete(due);
      due.run();
    }
    this.#passedMs = monotonicMs;
  }

  /** Passes time as on a machine that sleeps: timers that become due meanwhile fire late. */
  sleep(ms: number): void {
    this.#passedMs += ms;
    this.advance(0);
  }

  /** Changes the date, forward or back. No time passes. */
  stepDate(ms: number): void {
    this.#startMs += ms;
  }

  /** Of several that are due at the same moment the one that was started first. */
  #nextUntil(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (!next || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

/** The times that a store is opened with: manual model time, and the machine's. */
export function storeTimes(modelTime = new ManualTime()): Pick<StoreOptions, 'modelTime' | 'machineTime'> {
  return { modelTime, machineTime: systemMachineTime };
}

/** Machine time that passes with every reading of it, so that work takes many slices on any machine. */
export function costlyTime(cost: { readonly msPerReading: number }): MachineTime {
  let nowMs = 0;
  const monotonicMs = (): number => {
    nowMs += cost.msPerReading;
    return nowMs;
  };
  return { ...systemMachineTime, monotonicMs };
}

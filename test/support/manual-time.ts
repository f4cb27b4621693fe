import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { type Cancel, type MachineTime, type ModelTime, systemMachineTime } from '../../src/model/time.ts';
import type { StoreOptions } from '../../src/storage/store.ts';

/** A machine with a clock that a test sets. It has only one timer: the next one that becomes due. */
class StillMachine implements ModelTime {
  startMs = Date.UTC(2024, 4, 1, 10);
  passedMs = 0;
  wake = (): void => undefined;

  nowMs(): number {
    return this.startMs + this.passedMs;
  }

  monotonicMs(): number {
    return this.passedMs;
  }

  after(_delayMs: number, run: () => void): Cancel {
    this.wake = run;
    return () => {
      this.wake = () => undefined;
    };
  }
}

/** Model time and machine time in one. It moves only when a test moves it. */
export class ManualTime implements ModelTime {
  readonly #machine = new StillMachine();
  readonly #time = createAdjustableTime(this.#machine);
  readonly #timers = new Set<object>();

  nowMs(): number {
    return this.#time.nowMs();
  }

  monotonicMs(): number {
    return this.#time.monotonicMs();
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = {};
    this.#timers.add(timer);
    const cancel = this.#time.after(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    return () => {
      this.#timers.delete(timer);
      cancel();
    };
  }

  /** The number of timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the time forward. Timers that become due on the way fire, each at its own moment. */
  advance(ms: number): void {
    this.#time.advance(ms);
  }

  advanceTo(monotonicMs: number): void {
    this.advance(monotonicMs - this.monotonicMs());
  }

  /** Moves the time forward like a machine that slept: timers that became due meanwhile fire late. */
  sleep(ms: number): void {
    this.#machine.passedMs += ms;
    this.#machine.wake();
  }

  /** Changes the date, forward or back. No time passes. */
  stepDate(ms: number): void {
    this.#machine.startMs += ms;
  }
}

/** The times with which a store is opened: manual model time, and the time of the machine. */
export function storeTimes(modelTime = new ManualTime()): Pick<StoreOptions, 'modelTime' | 'machineTime'> {
  return { modelTime, machineTime: systemMachineTime };
}

/** Machine time that moves forward with every reading, so that work takes many slices on any machine. */
export function costlyTime(cost: { readonly msPerReading: number }): MachineTime {
  let nowMs = 0;
  const monotonicMs = (): number => {
    nowMs += cost.msPerReading;
    return nowMs;
  };
  return { ...systemMachineTime, monotonicMs };
}

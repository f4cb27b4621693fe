import { type MachineTime, systemMachineTime } from '../../src/model/time.ts';
import type { StoreOptions } from '../../src/storage/store.ts';

/** Model time that stands still until it is stepped. */
export class ManualClock {
  #ms: number;
  #monotonicMs = 0;

  constructor(ms = Date.UTC(2024, 4, 1, 10)) {
    this.#ms = ms;
  }

  nowMs(): number {
    return this.#ms;
  }

  /** What has passed: a step back changes the date alone. */
  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Steps on, or back. */
  step(ms: number): void {
    this.#ms += ms;
    this.#monotonicMs += Math.max(0, ms);
  }
}

/** The times that a store is opened with: a model time of its own, and the machine's. */
export function storeTimes(modelTime = new ManualClock()): Pick<StoreOptions, 'modelTime' | 'machineTime'> {
  return { modelTime, machineTime: systemMachineTime };
}

/** Machine time that stands still, so that all writes of a turn share a transaction however slow the machine is. */
export const stillTime: MachineTime = { ...systemMachineTime, monotonicMs: () => 0 };

/** Machine time that passes with every look at it, so that work takes many slices however fast the machine is. */
export function costlyTime(cost: { readonly msPerLook: number }): MachineTime {
  let nowMs = 0;
  const monotonicMs = (): number => {
    nowMs += cost.msPerLook;
    return nowMs;
  };
  return { ...systemMachineTime, monotonicMs };
}

import type { RunningEmulator } from '../emulator.ts';
import type { ClockState } from '../model/clock-state.ts';
import { msFromTicks, parseDateTime } from '../model/ticks.ts';

/**
 * The clock of an emulator. Timestamps, shared access signatures, stored access policies, the names of deleted tables,
 * the secondary endpoint and the capacity model all depend on this clock. Each method except `read` resolves with the
 * new state of the clock.
 */
export interface ClockAccess {
  read(): ClockState;
  /**
   * Moves the time forward. Resolves when all work that became due is done, for example when requests that waited for
   * capacity are answered. Rejects with RangeError if `ms` is negative or the time would be after the year 9999.
   */
  advance(ms: number): Promise<ClockState>;
  /** Stops the time of the service. The machine's time continues. */
  freeze(): Promise<ClockState>;
  /** Lets a stopped time continue from where it stopped. */
  resume(): Promise<ClockState>;
  /** Sets the time: a Date, or ISO 8601. Rejects with RangeError outside the years 1601 to 9999. */
  set(date: Date | string): Promise<ClockState>;
  /** Returns to the machine's time. */
  release(): Promise<ClockState>;
}

/** `clock` throws if the emulator is closed. @internal */
export function clockAccess(clock: () => RunningEmulator['clock']): ClockAccess {
  return {
    read: () => clock().state(),
    async advance(ms) {
      if (typeof ms !== 'number') throw new TypeError('clock.advance: the time must be a number of milliseconds');
      return clock().change({ kind: 'advance', ms });
    },
    freeze: async () => clock().change({ kind: 'freeze' }),
    resume: async () => clock().change({ kind: 'resume' }),
    set: async (date) => clock().change({ kind: 'set', nowMs: momentOf(date) }),
    release: async () => clock().change({ kind: 'release' }),
  };
}

/** Milliseconds since 1970. Throws TypeError. */
function momentOf(date: unknown): number {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date.getTime();
  const ticks = typeof date === 'string' ? parseDateTime(date) : undefined;
  if (ticks === undefined)
    throw new TypeError('clock.set: the date must be a Date, or a text such as 2030-01-31T12:00:00Z');
  return msFromTicks(ticks);
}

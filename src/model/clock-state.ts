import type { AdjustableTime } from './adjustable-time.ts';

/** The clock of an emulator, as GET /_emulator/clock returns it. */
export interface ClockState {
  /** The time of the service, ISO 8601 in milliseconds. */
  readonly now: string;
  readonly isFrozen: boolean;
  /** Milliseconds from the machine's time to the service's time; negative if the service is behind. */
  readonly offsetMs: number;
}

export function clockStateOf(time: AdjustableTime): ClockState {
  return {
    now: new Date(time.nowMs()).toISOString(),
    isFrozen: time.isFrozen,
    offsetMs: Math.round(offsetMsOf(time)),
  };
}

/** Milliseconds from the machine's time to the service's time. */
export function offsetMsOf(time: AdjustableTime): number {
  const { offsetMs, frozenAtMs } = time.setting;
  // The machine's time continues while the service's time is frozen, so the difference changes.
  return frozenAtMs === undefined ? offsetMs : frozenAtMs - time.sourceNowMs();
}

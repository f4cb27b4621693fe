// The setting of the clock, as plain data: how the time of the service differs from the machine's time. The nodes of
// one service share this setting as text (ADR 0010).

export interface ClockSetting {
  /** Milliseconds from the machine's date to the service's date. Not used while the time is frozen. */
  readonly offsetMs: number;
  /** Present: the time is frozen at this moment, in milliseconds since 1970. */
  readonly frozenAtMs?: number;
  /** Total milliseconds by which the time was moved forward, which makes timers due. It never decreases. */
  readonly skippedMs: number;
}

export type ClockChange =
  /** Moves the time forward. */
  | { readonly kind: 'advance'; readonly ms: number }
  /** Moves the time to a moment. A later moment has the effect of `advance`; an earlier moment changes only the date. */
  | { readonly kind: 'set'; readonly nowMs: number }
  | { readonly kind: 'freeze' }
  /** Lets frozen time continue. */
  | { readonly kind: 'resume' }
  /** Returns to the machine's date. */
  | { readonly kind: 'release' };

export const unturnedClock: ClockSetting = { offsetMs: 0, skippedMs: 0 };

/** The years 1601 to 9999, which an Edm.DateTime can have, in milliseconds since 1970. */
const years = { fromMs: -11_644_473_600_000, beforeMs: 253_402_300_800_000 };

/** Reads a setting stored as JSON; undefined for anything else. */
export function parseClockSetting(given: unknown): ClockSetting | undefined {
  const { offsetMs, frozenAtMs, skippedMs } = (given ?? {}) as Partial<Record<string, unknown>>;
  if (typeof offsetMs !== 'number' || typeof skippedMs !== 'number') return undefined;
  return typeof frozenAtMs === 'number' ? { offsetMs, frozenAtMs, skippedMs } : { offsetMs, skippedMs };
}

export const isTurned = ({ offsetMs, frozenAtMs }: ClockSetting): boolean => offsetMs !== 0 || frozenAtMs !== undefined;

/** The date of the service. It does not go beyond the last millisecond of the year 9999. */
export function serviceNowMs({ offsetMs, frozenAtMs }: ClockSetting, machineNowMs: number): number {
  return frozenAtMs ?? Math.min(machineNowMs + offsetMs, years.beforeMs - 1);
}

/**
 * Returns the setting after a change. Throws RangeError if the new time is outside the years 1601 to 9999, or if the
 * `ms` of `advance` is NaN or negative.
 */
export function changeClock(setting: ClockSetting, change: ClockChange, machineNowMs: number): ClockSetting {
  const nowMs = serviceNowMs(setting, machineNowMs);
  switch (change.kind) {
    case 'advance':
      if (!(change.ms >= 0)) throw new RangeError('the time advances by 0 ms or more; to move it back, set a date');
      return moved(setting, { byMs: change.ms, toMs: nowMs + change.ms });
    case 'set':
      return moved(setting, { byMs: change.nowMs - nowMs, toMs: change.nowMs });
    case 'freeze':
      return { ...setting, frozenAtMs: nowMs };
    case 'resume':
      return running(setting, setting.frozenAtMs === undefined ? setting.offsetMs : nowMs - machineNowMs);
    case 'release':
      return { offsetMs: 0, skippedMs: setting.skippedMs + Math.max(0, machineNowMs - nowMs) };
  }
}

function moved(setting: ClockSetting, { byMs, toMs }: { byMs: number; toMs: number }): ClockSetting {
  if (!(toMs >= years.fromMs && toMs < years.beforeMs)) {
    throw new RangeError('the time must be in the years 1601 to 9999');
  }
  const { offsetMs, frozenAtMs } = setting;
  const skippedMs = setting.skippedMs + Math.max(0, byMs);
  if (frozenAtMs === undefined) return { offsetMs: offsetMs + byMs, skippedMs };
  return { offsetMs, frozenAtMs: toMs, skippedMs };
}

const running = ({ skippedMs }: ClockSetting, offsetMs: number): ClockSetting => ({ offsetMs, skippedMs });

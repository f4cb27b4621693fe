import { type ClockChange, type ClockSetting, changeClock, serviceNowMs, unturnedClock } from './clock-setting.ts';
import { type Cancel, type ModelTime, systemModelTime } from './time.ts';

/**
 * Model time that can be stopped and moved. Unless it is frozen, it runs as fast as its source.
 *
 * `nowMs` may step back; `monotonicMs` never decreases. Timers follow `monotonicMs`. While the time is frozen, no timer
 * fires. When the time moves forward, the timers that become due fire in order. Each callback sees the time at which
 * its timer was due.
 */
export interface AdjustableTime extends ModelTime {
  readonly isFrozen: boolean;
  readonly setting: ClockSetting;
  /** The current date of the source, in milliseconds since 1970. */
  sourceNowMs(): number;
  /** Applies a setting. If it has skipped more time than the previous setting, timers advance by the difference. */
  adopt(setting: ClockSetting): void;
  /** Stops the time. Does nothing if the time is already frozen. */
  freeze(): void;
  /** Lets frozen time continue. Does nothing if the time is not frozen. */
  resume(): void;
  /** Moves the time forward by `ms` milliseconds; throws RangeError unless `ms` is finite and not negative. */
  advance(ms: number): void;
  /**
   * Sets `nowMs`, in milliseconds since 1970-01-01T00:00:00Z. Throws RangeError outside the years 1601 to 9999. Setting
   * a later time has the effect of `advance`. Setting an earlier time changes only the date: no timer fires, and
   * `monotonicMs` does not change.
   */
  set(nowMs: number): void;
}

/** Model time that follows `source` until it is adjusted. */
export function createAdjustableTime(source: ModelTime = systemModelTime): AdjustableTime {
  return new SourcedTime(source);
}

interface Alarm {
  readonly dueMs: number;
  readonly run: () => void;
}

/** The maximum delay of a timer in Node. */
const delayMsMax = 2 ** 31 - 1;

class SourcedTime implements AdjustableTime {
  readonly #source: ModelTime;
  readonly #alarms = new Set<Alarm>();
  #setting = unturnedClock;
  /** The `monotonicMs` of this object when the source was at `#anchorMs`. */
  #atMs: number;
  /** The `monotonicMs` of the source at the last change. It is not used while the time is frozen. */
  #anchorMs: number;
  #cancelWake: Cancel | undefined;
  /** The last date that `sourceNowMs` returned. */
  #sourceMs = Number.NEGATIVE_INFINITY;

  constructor(source: ModelTime) {
    this.#source = source;
    this.#atMs = this.#anchorMs = source.monotonicMs();
  }

  get isFrozen(): boolean {
    return this.#setting.frozenAtMs !== undefined;
  }

  get setting(): ClockSetting {
    return this.#setting;
  }

  /** Hides steps back of less than a millisecond: the system's clock takes its fraction from another clock. */
  sourceNowMs(): number {
    const nowMs = this.#source.nowMs();
    if (nowMs >= this.#sourceMs || nowMs <= this.#sourceMs - 1) this.#sourceMs = nowMs;
    return this.#sourceMs;
  }

  monotonicMs(): number {
    return this.isFrozen ? this.#atMs : this.#atMs + (this.#source.monotonicMs() - this.#anchorMs);
  }

  nowMs(): number {
    return serviceNowMs(this.#setting, this.sourceNowMs());
  }

  after(delayMs: number, run: () => void): Cancel {
    const alarm: Alarm = { dueMs: this.monotonicMs() + Math.max(0, delayMs), run };
    this.#alarms.add(alarm);
    this.#wakeForNext();
    return () => {
      if (this.#alarms.delete(alarm)) this.#wakeForNext();
    };
  }

  freeze(): void {
    this.#change({ kind: 'freeze' });
  }

  resume(): void {
    this.#change({ kind: 'resume' });
  }

  advance(ms: number): void {
    this.#change({ kind: 'advance', ms });
  }

  set(nowMs: number): void {
    this.#change({ kind: 'set', nowMs });
  }

  adopt(setting: ClockSetting): void {
    const untilMs = this.monotonicMs() + Math.max(0, setting.skippedMs - this.#setting.skippedMs);
    for (let due = this.#nextAlarm(); due && due.dueMs <= untilMs; due = this.#nextAlarm()) {
      const monotonicMs = Math.max(due.dueMs, this.monotonicMs());
      this.#moveTo(monotonicMs, earlier(setting, Math.max(0, untilMs - monotonicMs)));
      this.#fire(due);
    }
    this.#moveTo(Math.max(untilMs, this.monotonicMs()), setting);
    this.#wakeForNext();
  }

  #change(change: ClockChange): void {
    this.adopt(changeClock(this.#setting, change, this.sourceNowMs()));
  }

  #moveTo(monotonicMs: number, setting: ClockSetting): void {
    this.#atMs = monotonicMs;
    this.#anchorMs = this.#source.monotonicMs();
    this.#setting = setting;
  }

  #wakeForNext(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const next = this.isFrozen ? undefined : this.#nextAlarm();
    if (!next) return;
    const delayMs = Math.min(Math.max(0, next.dueMs - this.monotonicMs()), delayMsMax);
    this.#cancelWake = this.#source.after(delayMs, () => this.#fireDue());
  }

  #fireDue(): void {
    for (let due = this.#nextAlarm(); due && due.dueMs <= this.monotonicMs(); due = this.#nextAlarm()) this.#fire(due);
    this.#wakeForNext();
  }

  #fire(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    alarm.run();
  }

  /** The next alarm; of several that are due at the same moment, the one that was started first. */
  #nextAlarm(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (!next || alarm.dueMs < next.dueMs) next = alarm;
    return next;
  }
}

function earlier({ offsetMs, frozenAtMs, skippedMs }: ClockSetting, ms: number): ClockSetting {
  if (frozenAtMs === undefined) return { offsetMs: offsetMs - ms, skippedMs };
  return { offsetMs, frozenAtMs: frozenAtMs - ms, skippedMs };
}

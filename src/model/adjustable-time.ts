import { type Cancel, type ModelTime, systemModelTime } from './time.ts';

/**
 * Model time that can be stopped and moved. It runs as fast as its source unless it is frozen.
 *
 * `nowMs` may step back; `monotonicMs` never decreases. Timers fire by `monotonicMs`: none fires while the time is frozen,
 * and `advance` fires those that become due, in order. Each callback sees the time at which its timer was due.
 */
export interface AdjustableTime extends ModelTime {
  readonly isFrozen: boolean;
  /** Stops the time. Does nothing if it is frozen already. */
  freeze(): void;
  /** Lets frozen time run on. Does nothing if it is not frozen. */
  resume(): void;
  /** Moves the time forward by `ms` milliseconds; throws RangeError unless `ms` is finite and not negative. */
  advance(ms: number): void;
  /**
   * Sets `nowMs`, in milliseconds since 1970-01-01T00:00:00Z; throws RangeError unless it is finite. A later moment is
   * reached as by `advance`. An earlier one changes the date only: no timer fires, and `monotonicMs` stays as it is.
   */
  set(nowMs: number): void;
}

/** Model time that follows `source` until it is adjusted. */
export function createAdjustableTime(source: ModelTime = systemModelTime): AdjustableTime {
  return new SourcedTime(source);
}

interface Reading {
  readonly monotonicMs: number;
  readonly nowMs: number;
}

interface Alarm {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Node's timers take no longer delay. */
const delayMsMax = 2 ** 31 - 1;

class SourcedTime implements AdjustableTime {
  readonly #source: ModelTime;
  readonly #alarms = new Set<Alarm>();
  /** What this time was when the source was at `#anchor`. */
  #at: Reading;
  /** Undefined while the time is frozen. */
  #anchor: Reading | undefined;
  #cancelWake: Cancel | undefined;

  constructor(source: ModelTime) {
    this.#source = source;
    this.#anchor = read(source);
    this.#at = this.#anchor;
  }

  get isFrozen(): boolean {
    return this.#anchor === undefined;
  }

  monotonicMs(): number {
    return this.#at.monotonicMs + (this.#anchor ? this.#source.monotonicMs() - this.#anchor.monotonicMs : 0);
  }

  nowMs(): number {
    return this.#at.nowMs + (this.#anchor ? this.#source.nowMs() - this.#anchor.nowMs : 0);
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
    this.#at = read(this);
    this.#anchor = undefined;
    this.#wakeForNext();
  }

  resume(): void {
    this.#anchor ??= read(this.#source);
    this.#wakeForNext();
  }

  advance(ms: number): void {
    if (!(Number.isFinite(ms) && ms >= 0)) throw new RangeError(`time advances by 0 ms or more, not by ${ms}`);
    this.#moveTo(this.nowMs() + ms, ms);
  }

  set(nowMs: number): void {
    if (!Number.isFinite(nowMs)) throw new RangeError(`time is set to a number of milliseconds, not to ${nowMs}`);
    this.#moveTo(nowMs, Math.max(0, nowMs - this.nowMs()));
  }

  #moveTo(nowMs: number, passingMs: number): void {
    const untilMs = this.monotonicMs() + passingMs;
    for (let due = this.#nextAlarm(); due && due.dueMs <= untilMs; due = this.#nextAlarm()) {
      const monotonicMs = Math.max(due.dueMs, this.monotonicMs());
      this.#moveAnchor({ monotonicMs, nowMs: nowMs - Math.max(0, untilMs - monotonicMs) });
      this.#fire(due);
    }
    this.#moveAnchor({ monotonicMs: Math.max(untilMs, this.monotonicMs()), nowMs });
    this.#wakeForNext();
  }

  #moveAnchor(at: Reading): void {
    this.#at = at;
    if (this.#anchor) this.#anchor = read(this.#source);
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

  /** If several are due at the same moment, the one that was started first. */
  #nextAlarm(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (!next || alarm.dueMs < next.dueMs) next = alarm;
    return next;
  }
}

function read(time: ModelTime): Reading {
  return { monotonicMs: time.monotonicMs(), nowMs: time.nowMs() };
}

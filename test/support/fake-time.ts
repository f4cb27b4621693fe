import type { ModelTime } from '../../src/model/time.ts';

interface Alarm {
  readonly atUs: number;
  readonly run: () => void;
}

/** Time that stands still unless a test moves it. Timers that become due on the way fire, each at its own moment. */
export class FakeTime implements ModelTime {
  #nowUs = 0;
  readonly #alarms = new Set<Alarm>();

  nowUs(): number {
    return this.#nowUs;
  }

  monotonicMs(): number {
    return this.#nowUs / 1000;
  }

  nowMs(): number {
    return this.monotonicMs();
  }

  after(delayMs: number, run: () => void): () => void {
    const alarm = { atUs: this.#nowUs + delayMs * 1000, run };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#alarms.size;
  }

  advanceTo(untilUs: number): void {
    for (let due = this.#nextUntil(untilUs); due; due = this.#nextUntil(untilUs)) {
      this.#nowUs = Math.max(this.#nowUs, due.atUs);
      this.#fire(due);
    }
    this.#nowUs = untilUs;
  }

  advance(ms: number): void {
    this.advanceTo(this.#nowUs + ms * 1000);
  }

  /** Passes time as a machine that sleeps: the timers that were due meanwhile fire late. */
  sleep(ms: number): void {
    this.#nowUs += ms * 1000;
    this.advance(0);
  }

  #nextUntil(untilUs: number): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.atUs <= untilUs && (!next || alarm.atUs < next.atUs)) next = alarm;
    }
    return next;
  }

  #fire(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    alarm.run();
  }
}

// The machine on which a simulated process runs. Real time does not move the clock of the machine, and a seed decides
// which pending work runs next.

import type { Schedule } from '../../src/model/schedule.ts';
import type { Cancel, ModelTime } from '../../src/model/time.ts';
import { Random } from '../support/random.mjs';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

export class SimulatedMachine implements ModelTime, Schedule {
  #random: Random;
  #dateMs: number;
  #passedMs = 0;
  readonly #turns: (() => void)[] = [];
  readonly #timers: Timer[] = [];

  constructor(seed: number, dateMs: number) {
    this.#random = new Random(seed);
    this.#dateMs = dateMs;
    // Callers get this method without the object.
    this.nextTurn = this.nextTurn.bind(this);
    this.newId = this.newId.bind(this);
  }

  /** From now on, random decisions depend only on this seed. */
  reseed(seed: number): void {
    this.#random = new Random(seed);
  }

  nowMs(): number {
    return this.#dateMs + this.#passedMs;
  }

  /** Reading the clock takes time: usually little, but sometimes an entire time slice. */
  monotonicMs(): number {
    this.#passedMs += this.#random.next() < 0.02 ? 6 : this.#random.next() * 0.1;
    return this.#passedMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { dueMs: this.#passedMs + Math.max(0, delayMs), run };
    this.#timers.push(timer);
    return () => this.#remove(timer);
  }

  nextTurn(run: () => void): Cancel {
    this.#turns.push(run);
    return () => {
      const at = this.#turns.indexOf(run);
      if (at >= 0) this.#turns.splice(at, 1);
    };
  }

  newId(): string {
    const digits = Array.from({ length: 32 }, () => this.#random.integer(0, 15).toString(16)).join('');
    return digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  }

  /** Sets the clock of the machine, forward or back. */
  stepDate(ms: number): void {
    this.#dateMs += ms;
  }

  /** Continues one of the things that can continue. Returns false if everything waits for time to pass. */
  step(): boolean {
    this.#passedMs += this.#random.next();
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#passedMs);
    const at = this.#random.integer(0, this.#turns.length + due.length - 1);
    if (this.#turns.length + due.length === 0) return false;
    const timer = due[at - this.#turns.length];
    if (timer) this.#fire(timer);
    else this.#turns.splice(at, 1)[0]?.();
    return true;
  }

  /** Moves the time to the next timer, if that is at most this far away. */
  sleep(msMax: number): boolean {
    const [next] = this.#timers.toSorted((a, b) => a.dueMs - b.dueMs);
    if (!next || next.dueMs > this.#passedMs + msMax) return false;
    this.#passedMs = Math.max(this.#passedMs, next.dueMs);
    this.#fire(next);
    return true;
  }

  #fire(timer: Timer): void {
    this.#remove(timer);
    timer.run();
  }

  #remove(timer: Timer): void {
    const at = this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }
}

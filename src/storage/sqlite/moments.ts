import { createTicksFormat, type Ticks, ticksFromMs } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import type { Moment } from './mutation-writer.ts';
import type { Statements } from './statements.ts';

/** The timestamps of an account, each later than all before. */
export class Moments {
  readonly #statements: Statements;
  readonly #modelTime: Pick<ModelTime, 'nowMs'>;
  readonly #formatTicks = createTicksFormat();
  #lastTicks: Ticks;
  #storedTicks: Ticks;

  constructor(statements: Statements, modelTime: Pick<ModelTime, 'nowMs'>) {
    this.#statements = statements;
    this.#modelTime = modelTime;
    this.#lastTicks = this.#storedTicks = statements.lastTicks.get() as Ticks;
  }

  next(): Moment {
    const ticks = this.nextTicks();
    return { ticks, timestamp: this.#formatTicks(ticks) };
  }

  /** Where no text is needed. */
  nextTicks(): Ticks {
    const now = ticksFromMs(this.#modelTime.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return this.#lastTicks;
  }

  /** Data has come with a timestamp: those to come are later. */
  pass(ticks: Ticks): void {
    if (ticks > this.#lastTicks) this.#lastTicks = ticks;
  }

  /** Stores the last one, inside the transaction that used it. */
  store(): void {
    if (this.#lastTicks === this.#storedTicks) return;
    this.#statements.setLastTicks.run(this.#lastTicks);
    this.#storedTicks = this.#lastTicks;
  }

  /** After a rollback: what is stored is not known. */
  forgetStored(): void {
    this.#storedTicks = -1n;
  }
}

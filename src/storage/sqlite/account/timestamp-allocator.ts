import { createTicksFormat, lastDayTicks, lastWriteTicks, type Ticks, writeTicksFromMs } from '../../../model/ticks.ts';
import type { ModelTime } from '../../../model/time.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';
import type { Moment } from './mutation-writer.ts';

/** Gives the timestamps of an account. Each timestamp is later than all earlier ones. */
export class TimestampAllocator implements Participant {
  readonly #statements: Statements;
  readonly #modelTime: Pick<ModelTime, 'nowMs'>;
  readonly #formatTicks = createTicksFormat();
  #lastTicks: Ticks;
  /** The last timestamp that is committed. */
  #storedTicks: Ticks;

  constructor(statements: Statements, modelTime: Pick<ModelTime, 'nowMs'>) {
    this.#statements = statements;
    this.#modelTime = modelTime;
    this.#lastTicks = this.#storedTicks = lastWriteTicks(statements.lastTicks.get() as Ticks);
  }

  next(): Moment {
    const ticks = this.nextTicks();
    return { ticks, timestamp: this.#formatTicks(ticks) };
  }

  /** For callers that do not need the text. */
  nextTicks(): Ticks {
    const now = writeTicksFromMs(this.#modelTime.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return this.#lastTicks;
  }

  /** Makes later timestamps exceed this timestamp of a loaded entity, as far as that is possible. */
  pass(ticks: Ticks): void {
    if (ticks > this.#lastTicks && ticks <= lastDayTicks) this.#lastTicks = ticks;
  }

  beforeCommit(): void {
    if (this.#lastTicks !== this.#storedTicks) this.#statements.setLastTicks.run(this.#lastTicks);
  }

  committed(): void {
    this.#storedTicks = this.#lastTicks;
  }

  /** The timestamps of the transaction were not used. */
  rolledBack(): void {
    this.#lastTicks = this.#storedTicks;
  }
}

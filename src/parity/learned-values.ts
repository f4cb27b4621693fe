// Values that each server makes itself: ETags, timestamps, continuations. What the recorded response had is known by what the other
// server sent in its place, so that later requests can name it.

/** Limit: of a longer recording the oldest values are forgotten. */
const valuesMax = 500_000;

export class LearnedValues {
  readonly #values = new Map<string, string>();

  learn(recorded: string, there: string): void {
    this.#values.delete(recorded);
    this.#values.set(recorded, there);
    if (this.#values.size <= valuesMax) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  /** What the other server has in place of a recorded value; undefined if it is not known. */
  there(recorded: string): string | undefined {
    return this.#values.get(recorded);
  }
}

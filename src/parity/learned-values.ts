// Each server makes some values itself: ETags, timestamps, continuations. This maps each such value in a recorded
// response to the value that the other server sent in its place, so that later requests can use the other server's
// value.

/** Limit: in a longer recording, the oldest values are dropped. */
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

  /** The other server's value for a recorded one; undefined if unknown. */
  there(recorded: string): string | undefined {
    return this.#values.get(recorded);
  }
}

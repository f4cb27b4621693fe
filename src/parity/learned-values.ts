// Each server makes some values itself: ETags, timestamps and continuations. LearnedValues maps each of these values in
// a recorded response to the value that the other server sent in the same place. Later requests to the other server
// contain the other server's values instead of the recorded values.

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

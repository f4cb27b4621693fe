import { ownText } from '../model/own-text.ts';

/** How the partition keys of a table's writes come. The first three put all load on one range. */
export type KeyPattern = 'append-only' | 'prepend-only' | 'single partition' | 'spread';

/** Writes after which a pattern is spoken of, and how many of them it takes. */
const writesMin = 200;
const share = 0.95;
/** The count is halved here, so that what a table did long ago fades. */
const writesMax = 2_000;

/** Tells keys that only ever grow, or only ever fall, from others. Source: docs, Performance and scalability checklist. */
export class KeyWatch {
  #lowest: string | undefined;
  #highest: string | undefined;
  #writes = 0;
  #appended = 0;
  #prepended = 0;

  note(partitionKey: string): void {
    this.#writes++;
    if (this.#highest === undefined || partitionKey >= this.#highest) {
      if (partitionKey !== this.#highest) this.#highest = ownText(partitionKey);
      this.#appended++;
    }
    if (this.#lowest === undefined || partitionKey <= this.#lowest) {
      if (partitionKey !== this.#lowest) this.#lowest = ownText(partitionKey);
      this.#prepended++;
    }
    if (this.#writes >= writesMax) this.#fade();
  }

  /** Undefined until there is enough to go by. */
  pattern(): KeyPattern | undefined {
    if (this.#writes < writesMin) return undefined;
    const isAppended = this.#appended >= share * this.#writes;
    const isPrepended = this.#prepended >= share * this.#writes;
    if (isAppended && isPrepended) return 'single partition';
    if (isAppended) return 'append-only';
    return isPrepended ? 'prepend-only' : 'spread';
  }

  #fade(): void {
    this.#writes /= 2;
    this.#appended /= 2;
    this.#prepended /= 2;
    // Nor does one key of long ago hide what comes since.
    this.#lowest = undefined;
    this.#highest = undefined;
  }
}

import { ownText } from '../model/own-text.ts';

/** How the partition keys of a table's writes come. The first three put all load on one range. */
export type KeyPattern = 'append-only' | 'prepend-only' | 'single partition' | 'spread';

/** Writes after which a pattern is spoken of, and how many of them it takes. */
const writesMin = 200;
const share = 0.95;
/** So many new keys at an end make it one that grows; with fewer it is a hot partition that happens to lie there. */
const stepsMin = 5;
/** The count is halved here, so that what a table did long ago fades. */
const writesMax = 2_000;

/** Tells keys that only ever grow, or only ever fall, from others. Source: docs, Performance and scalability checklist. */
export class KeyWatch {
  readonly #lowest = new End((key, end) => key <= end);
  readonly #highest = new End((key, end) => key >= end);
  readonly #commonest = new Majority();
  #writes = 0;

  note(partitionKey: string): void {
    this.#writes++;
    this.#highest.note(partitionKey);
    this.#lowest.note(partitionKey);
    this.#commonest.note(partitionKey);
    if (this.#writes >= writesMax) this.#fade();
  }

  /** Undefined until there is enough to go by. */
  pattern(): KeyPattern | undefined {
    if (this.#writes < writesMin) return undefined;
    if (this.#commonest.lead >= (2 * share - 1) * this.#writes) return 'single partition';
    if (this.#highest.grows(this.#writes)) return 'append-only';
    return this.#lowest.grows(this.#writes) ? 'prepend-only' : 'spread';
  }

  #fade(): void {
    this.#writes /= 2;
    this.#highest.fade();
    this.#lowest.fade();
    this.#commonest.fade();
  }
}

/** One end of the keys, and how many writes went there or beyond. */
class End {
  readonly #isThere: (key: string, end: string) => boolean;
  #key: string | undefined;
  #writes = 0;
  #steps = 0;

  constructor(isThere: (key: string, end: string) => boolean) {
    this.#isThere = isThere;
  }

  note(key: string): void {
    if (this.#key !== undefined && !this.#isThere(key, this.#key)) return;
    this.#writes++;
    if (key === this.#key) return;
    this.#key = ownText(key);
    this.#steps++;
  }

  grows(writes: number): boolean {
    return this.#steps >= stepsMin && this.#writes >= share * writes;
  }

  fade(): void {
    this.#writes /= 2;
    this.#steps /= 2;
    // Nor does one key of long ago hide what comes since.
    this.#key = undefined;
  }
}

/**
 * The key that most of the writes have, if any has (Boyer and Moore: MJRTY, 1981). It leads by as many writes at least as it
 * has more than all others together.
 */
class Majority {
  #key: string | undefined;
  lead = 0;

  note(key: string): void {
    if (key === this.#key) this.lead++;
    else if (this.lead >= 1) this.lead--;
    else {
      this.#key = ownText(key);
      this.lead = 1;
    }
  }

  fade(): void {
    this.lead /= 2;
  }
}

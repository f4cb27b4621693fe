// Statistics of a load: its rate over the last seconds, its distribution over partition keys, and the order of its keys.

import { ownText } from '../model/own-text.ts';

/** How far a window looks back. */
export const windowSeconds = 10;
const slots = windowSeconds;
const slotUs = 1_000_000;

/** Units counted over the last ten seconds, in slots of one. */
export class LoadWindow {
  readonly #units = new Float64Array(slots);
  /** Number of the newest slot, in seconds since the beginning of model time. */
  #newest = Number.NEGATIVE_INFINITY;
  #newestEndsUs = Number.NEGATIVE_INFINITY;

  add(units: number, nowUs: number): void {
    this.#turn(nowUs);
    const at = this.#newest % slots;
    this.#units[at] = (this.#units[at] ?? 0) + units;
  }

  /** Units in the window. */
  total(nowUs: number): number {
    this.#turn(nowUs);
    let sum = 0;
    for (const units of this.#units) sum += units;
    return sum;
  }

  /** Average units a second over the window; a load that has just begun counts little. */
  perSecond(nowUs: number): number {
    const sum = this.total(nowUs);
    // The newest slot is not over: dividing by the time that has passed shows a steady load as steady.
    const newestUs = Math.max(0, nowUs - this.#newest * slotUs);
    return sum / (windowSeconds - 1 + Math.min(newestUs / slotUs, 1));
  }

  /** A window of the same age with a share of the load. */
  part(share: number): LoadWindow {
    return this.#with((units) => units * share);
  }

  /** A window with the load of both. */
  plus(other: LoadWindow, nowUs: number): LoadWindow {
    this.#turn(nowUs);
    other.#turn(nowUs);
    return this.#with((units, at) => units + (other.#units[at] ?? 0));
  }

  #with(change: (units: number, at: number) => number): LoadWindow {
    const made = new LoadWindow();
    made.#newest = this.#newest;
    made.#newestEndsUs = this.#newestEndsUs;
    made.#units.set(this.#units.map(change));
    return made;
  }

  /** Empties the slots that time has passed since the last call. */
  #turn(nowUs: number): void {
    if (nowUs < this.#newestEndsUs) return;
    const current = Math.floor(nowUs / slotUs);
    if (current <= this.#newest) return;
    if (current - this.#newest >= slots) this.#units.fill(0);
    else for (let slot = this.#newest + 1; slot <= current; slot++) this.#units[slot % slots] = 0;
    this.#newest = current;
    this.#newestEndsUs = (current + 1) * slotUs;
  }
}

const sampleKeysMax = 256;

/**
 * A sample of the partition keys of a load: one key every `units / 256` units on average, so that each key occurs as
 * often as it was used. The steps vary, so that keys that repeat in a cycle are not sampled in step with it; the same
 * load gives the same sample.
 */
export class KeySample {
  readonly #keys: string[] = [];
  readonly #step: number;
  #next = 0;
  #until: number;
  #seed = 1;

  /** A full sample covers about this number of units. */
  constructor(units: number) {
    this.#step = Math.max(1, units / sampleKeysMax);
    this.#until = this.#step;
  }

  add(partitionKey: string, units: number): void {
    this.#until -= units;
    if (this.#until > 0) return;
    const own = ownText(partitionKey);
    for (let taken = 0; this.#until <= 0 && taken < sampleKeysMax; taken++) {
      this.#keys[this.#next % sampleKeysMax] = own;
      this.#next++;
      this.#until += this.#step * (0.5 + this.#random());
    }
    if (this.#until <= 0) this.#until = this.#step;
  }

  /**
   * The key that divides the load best, and the share of the load below it. It is never the lowest key. Undefined if one
   * partition has all of the load, or nothing was sampled.
   */
  median(): { readonly key: string; readonly shareBelow: number } | undefined {
    const sorted = this.#keys.toSorted();
    let best: { key: string; shareBelow: number } | undefined;
    for (const [at, key] of sorted.entries()) {
      if (at === 0 || key === sorted[at - 1]) continue;
      const shareBelow = at / sorted.length;
      if (!best || Math.abs(shareBelow - 0.5) < Math.abs(best.shareBelow - 0.5)) best = { key, shareBelow };
    }
    return best;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** From 0 to 1, by a linear congruential generator (Numerical Recipes' constants). */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}

/** The order in which the partition keys of a table's writes come. The first three put all load on one range. */
export type KeyPattern = 'append-only' | 'prepend-only' | 'single partition' | 'spread';

/** With fewer writes no pattern is reported. */
const writesMin = 200;
/** The share of the writes that must follow a pattern. */
const share = 0.95;
/** New keys at an end of the table that make it a growing end; with fewer, a hot partition happens to lie there. */
const stepsMin = 5;
/** At this number all counts are halved, so that old writes lose weight. */
const writesMax = 2_000;

/**
 * Recognizes keys that only grow, or only fall.
 * Evidence: documented (Performance and scalability checklist for Table storage).
 */
export class KeyOrder {
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

  /** Undefined while there are too few writes. */
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

/** One end of the keys, and how many writes went to it or beyond it. */
class End {
  readonly #isAtOrBeyond: (key: string, end: string) => boolean;
  #key: string | undefined;
  #writes = 0;
  #steps = 0;

  constructor(isAtOrBeyond: (key: string, end: string) => boolean) {
    this.#isAtOrBeyond = isAtOrBeyond;
  }

  note(key: string): void {
    if (this.#key !== undefined && !this.#isAtOrBeyond(key, this.#key)) return;
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
    // Otherwise one extreme old key would hide all growth since.
    this.#key = undefined;
  }
}

/** The key of most of the writes, if one has most (Boyer and Moore: MJRTY, 1981). */
class Majority {
  #key: string | undefined;
  /** At least the number of writes that the key has more than all others together. */
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

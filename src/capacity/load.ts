// Statistics of a load: its rate over the last seconds, and its distribution over partition keys.

import { copyString } from '../model/copy-string.ts';

/** The length of a load window. */
export const windowSeconds = 10;
const slotUs = 1_000_000;

/** Units counted over the last ten seconds, in slots of one second. */
export class LoadWindow {
  readonly #slots: number;
  readonly #units: Float64Array;
  /** Number of the newest slot, in seconds since the beginning of model time. */
  #newest = Number.NEGATIVE_INFINITY;
  #newestEndsUs = Number.NEGATIVE_INFINITY;

  /** `historySeconds`: the number of seconds for which `history` returns averages. */
  constructor(historySeconds = 0) {
    this.#slots = windowSeconds + historySeconds;
    this.#units = new Float64Array(this.#slots);
  }

  add(units: number, nowUs: number): void {
    this.#turn(nowUs);
    const at = this.#at(this.#newest);
    this.#units[at] = (this.#units[at] ?? 0) + units;
  }

  /** Units in the window. */
  total(nowUs: number): number {
    this.#turn(nowUs);
    return this.#sumBefore(this.#newest + 1);
  }

  /**
   * Returns the load at the end of each full second, oldest first. The current second is left out. Each value is the
   * average of the units per second over the ten seconds before that time.
   */
  history(nowUs: number): number[] {
    this.#turn(nowUs);
    const seconds = this.#slots - windowSeconds;
    return Array.from({ length: seconds }, (_, at) => this.#sumBefore(this.#newest - seconds + 1 + at) / windowSeconds);
  }

  /** Average units per second over the window. A load that has just begun counts little. */
  perSecond(nowUs: number): number {
    const sum = this.total(nowUs);
    // The newest slot is not over yet. Dividing by the time that has passed shows a steady load as steady.
    const newestUs = Math.max(0, nowUs - this.#newest * slotUs);
    return sum / (windowSeconds - 1 + Math.min(newestUs / slotUs, 1));
  }

  /** A copy of this window in which every load is multiplied by `share`. */
  part(share: number): LoadWindow {
    return this.#with((units) => units * share);
  }

  /** A copy of this window to which the load of `other` is added. */
  plus(other: LoadWindow, nowUs: number): LoadWindow {
    this.#turn(nowUs);
    other.#turn(nowUs);
    return this.#with((units, at) => units + (other.#units[at] ?? 0));
  }

  #with(change: (units: number, at: number) => number): LoadWindow {
    const made = new LoadWindow(this.#slots - windowSeconds);
    made.#newest = this.#newest;
    made.#newestEndsUs = this.#newestEndsUs;
    made.#units.set(this.#units.map(change));
    return made;
  }

  /** The index of a slot. Slots before the beginning of model time have negative numbers. */
  #at(slot: number): number {
    const at = slot % this.#slots;
    return at < 0 ? at + this.#slots : at;
  }

  /** Units in the ten slots before the slot `end`. */
  #sumBefore(end: number): number {
    let sum = 0;
    for (let slot = end - windowSeconds; slot < end; slot++) {
      sum += this.#units[this.#at(slot)] ?? 0;
    }
    return sum;
  }

  /** Empties the slots that have become outdated since the last call. */
  #turn(nowUs: number): void {
    if (nowUs < this.#newestEndsUs) return;
    const current = Math.floor(nowUs / slotUs);
    if (current <= this.#newest) return;
    if (current - this.#newest >= this.#slots) this.#units.fill(0);
    else for (let slot = this.#newest + 1; slot <= current; slot++) this.#units[this.#at(slot)] = 0;
    this.#newest = current;
    this.#newestEndsUs = (current + 1) * slotUs;
  }
}

const sampleKeysMax = 256;

/**
 * A sample of the partition keys of a load. The sample takes one key per interval of the load. The average length of an
 * interval is `units / 256`, so keys occur in proportion to their use. The lengths vary, because equal intervals could
 * sample keys unevenly if a load uses the keys in a regular cycle. The same load gives the same sample.
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
    const own = copyString(partitionKey);
    for (let taken = 0; this.#until <= 0 && taken < sampleKeysMax; taken++) {
      this.#keys[this.#next % sampleKeysMax] = own;
      this.#next++;
      this.#until += this.#step * (0.5 + this.#random());
    }
    if (this.#until <= 0) this.#until = this.#step;
  }

  /**
   * Returns the key that divides the load most evenly, and the share of the load below that key. The key is never the
   * lowest one. Returns undefined if one partition has all of the load, or if nothing was sampled.
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

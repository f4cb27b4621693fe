import { ownText } from '../model/own-text.ts';

const keysMax = 256;

/**
 * Partition keys of a load, each as often as it was used, by every so-manieth unit: what is known of how a load lies
 * between two keys. The steps vary, so that keys that come in turn do not fall in with them; the same load gives the
 * same sample.
 */
export class KeySample {
  readonly #keys: string[] = [];
  readonly #step: number;
  #next = 0;
  #until: number;
  #seed = 1;

  /** A full sample covers about so many units. */
  constructor(units: number) {
    this.#step = Math.max(1, units / keysMax);
    this.#until = this.#step;
  }

  add(partitionKey: string, units: number): void {
    this.#until -= units;
    if (this.#until > 0) return;
    const own = ownText(partitionKey);
    for (let taken = 0; this.#until <= 0 && taken < keysMax; taken++) {
      this.#keys[this.#next % keysMax] = own;
      this.#next++;
      this.#until += this.#step * (0.5 + this.#random());
    }
    if (this.#until <= 0) this.#until = this.#step;
  }

  /**
   * The key that divides the load best, which never is the lowest, and the share below it; undefined where one partition
   * has all of the load, or nothing is known.
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

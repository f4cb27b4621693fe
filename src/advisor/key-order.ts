// The order in which the partitions of one table appear. Only this module detects keys that always grow or always fall. It
// counts every write as it arrives, in bounded memory, so its result does not depend on the number of requests in a window.

import { copyString } from '../model/copy-string.ts';
import type { EntityKey } from '../model/entity.ts';
import { hashText } from '../model/hash-text.ts';
import type { KeyPattern } from '../model/key-pattern.ts';

/** When this number of new partitions is reached, all counts are halved, so that old ones lose weight. */
const recentMax = 2_000;
/** Bits of the set of known partitions. A partition that shares its bit with another one is not counted. */
const bits = 8_192;
const examplesMax = 3;

export interface KeyOrderThresholds {
  readonly share: number;
  /** The least number of new partitions. */
  readonly partitions: number;
}

export class KeyOrder {
  /** New partitions since the table was empty. */
  newPartitions = 0;
  /** The keys of the newest partitions, the oldest first. */
  readonly examples: string[] = [];
  /** The entity that began the newest partition. */
  newest: EntityKey | undefined;
  #first: string | undefined;
  #last: string | undefined;
  /** The key of the last write: usually the next one has the same. */
  #latest: string | undefined;
  /** New partitions that could be compared with earlier ones, and how many of them sort after, or before, all earlier ones. */
  #recent = 0;
  #behind = 0;
  #before = 0;
  #known: Uint32Array | undefined;

  /** Counts a write. `mayBegin`: whether it may be the first of its partition. An update cannot be: its partition exists. */
  add({ partitionKey: key, rowKey }: EntityKey, mayBegin: boolean): void {
    if (key === this.#latest) return;
    const [first, last] = [this.#first, this.#last];
    const isBehind = last !== undefined && key > last;
    const isBefore = first !== undefined && key < first;
    const isInside = first !== undefined && !isBehind && !isBefore;
    if (!this.#learn(key) && isInside) return;
    const own = copyString(key);
    this.#latest = own;
    if (!isInside && !isBefore) this.#last = own;
    if (!isInside && !isBehind) this.#first = own;
    if (!mayBegin) return;
    this.newPartitions++;
    this.newest = { partitionKey: own, rowKey: copyString(rowKey) };
    this.examples.push(own);
    if (this.examples.length > examplesMax) this.examples.shift();
    if (first === undefined) return;
    this.#recent++;
    if (isBehind) this.#behind++;
    if (isBefore) this.#before++;
    if (this.#recent >= recentMax) this.#fade();
  }

  /** Undefined while there are too few partitions. */
  pattern({ share, partitions }: KeyOrderThresholds): Exclude<KeyPattern, 'single partition'> | undefined {
    if (this.newPartitions < partitions) return undefined;
    if (this.#behind >= this.#recent * share) return 'append-only';
    return this.#before >= this.#recent * share ? 'prepend-only' : 'spread';
  }

  /** Returns whether the key was not known. */
  #learn(key: string): boolean {
    this.#known ??= new Uint32Array(bits / 32);
    const bit = hashText(key) % bits;
    const word = this.#known[bit >>> 5] as number;
    const mask = 1 << (bit & 31);
    this.#known[bit >>> 5] = word | mask;
    return (word & mask) === 0;
  }

  #fade(): void {
    this.#recent /= 2;
    this.#behind /= 2;
    this.#before /= 2;
    this.#known = undefined;
    // Otherwise one extreme old key would hide all growth since.
    this.#first = undefined;
    this.#last = undefined;
  }
}

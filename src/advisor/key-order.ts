// Tracks the order in which the partitions of one table appear. All findings about keys that always grow or always fall
// come from this module. The module counts every write when the write arrives, in bounded memory, so the result does
// not depend on the size of a window.

import { copyString } from '../model/copy-string.ts';
import type { EntityKey } from '../model/entity.ts';
import { hashText } from '../model/hash-text.ts';
import type { KeyPattern } from '../model/key-pattern.ts';

/**
 * When this number of new partitions is counted, all counts are halved, so that old partitions matter less than new
 * ones.
 */
const recentMax = 2_000;
/**
 * The number of bits in the set of known partitions. A hash chooses the bit of a partition. If a new partition has the
 * same bit as an earlier partition, the new partition may be counted as known.
 */
const bits = 8_192;
const examplesMax = 3;

export interface KeyOrderThresholds {
  readonly share: number;
  /** The least number of new partitions that is enough to tell a pattern. */
  readonly partitions: number;
}

export class KeyOrder {
  /** New partitions since the table was empty. */
  newPartitions = 0;
  /** The keys of the newest partitions, the oldest first. */
  readonly examples: string[] = [];
  /** The keys of the entity that began the newest partition. */
  newest: EntityKey | undefined;
  #first: string | undefined;
  #last: string | undefined;
  /** The PartitionKey of the last write that was examined. The next write usually has the same. */
  #latest: string | undefined;
  /**
   * `#recent` is the number of new partitions that could be compared with earlier partitions. `#behind` is the number
   * of new partitions that sort after all earlier partitions. `#before` is the number of new partitions that sort
   * before all earlier partitions.
   */
  #recent = 0;
  #behind = 0;
  #before = 0;
  #known: Uint32Array | undefined;

  /**
   * Counts a write. `mayBegin` says whether the write may be the first write to its partition. An update cannot be the
   * first write, because the updated entity already exists.
   */
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

  /** The pattern of the keys. Undefined while there are too few partitions to tell. */
  pattern({ share, partitions }: KeyOrderThresholds): Exclude<KeyPattern, 'single partition'> | undefined {
    if (this.newPartitions < partitions) return undefined;
    if (this.#behind >= this.#recent * share) return 'append-only';
    return this.#before >= this.#recent * share ? 'prepend-only' : 'spread';
  }

  /** Adds a key to the set of known partitions. Returns whether it is new. */
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
    // Forget the first and the last key too. Otherwise one extreme old key would hide that newer keys grow or fall.
    this.#first = undefined;
    this.#last = undefined;
  }
}

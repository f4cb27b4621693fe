import { ownText } from '../model/own-text.ts';
import type { HeavyHitter } from './heavy-hitters.ts';
import { isOfTable } from './partition-name.ts';
import { TokenBucket } from './token-bucket.ts';

/** One of so many parts of the bound is kept in any case: those are as soon found again as made anew. */
const keptParts = 8;
/** How many partitions are looked at, for each new one, to forget those whose bucket is full again. */
const lookedAt = 2;
/** Of these the fullest goes where there is no room left. */
const candidates = 8;

/** Of one partition; it remembers where the load of the partition was last counted. */
export class PartitionBucket extends TokenBucket {
  readonly name: string;
  hitter: HeavyHitter | undefined;

  constructor(name: string, unitsPerSecond: number, nowUs: number) {
    super(unitsPerSecond, nowUs);
    this.name = name;
  }
}

export interface PartitionBucketsOptions {
  readonly unitsPerSecond: number;
  /** Buckets that are kept at most. */
  readonly bucketsMax: number;
}

/**
 * The token buckets of partitions, exact for all of them with bounded memory: a partition that was left alone until its
 * bucket was full again needs none, so only those are kept that were used within the last second or owe something. A
 * hand goes round and forgets the full ones (as CLOCK does with pages). Only where more than `bucketsMax` are in use at
 * a time, one of the fullest is forgotten, which gives its partition at most what it had used.
 */
export class PartitionBuckets {
  readonly #buckets = new Map<string, PartitionBucket>();
  readonly #options: PartitionBucketsOptions;
  #hand = this.#buckets.entries();

  constructor(options: PartitionBucketsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#buckets.size;
  }

  of(partition: string, nowUs: number): PartitionBucket {
    const known = this.#buckets.get(partition);
    if (known) return known;
    const { bucketsMax } = this.#options;
    if (this.#buckets.size * keptParts >= bucketsMax) this.#forgetFull(nowUs);
    if (this.#buckets.size >= bucketsMax) this.#forgetOne(nowUs);
    const name = ownText(partition);
    const bucket = new PartitionBucket(name, this.#options.unitsPerSecond, nowUs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** The bucket of a partition where it has one; where it has none it is full. */
  find(partition: string): PartitionBucket | undefined {
    return this.#buckets.get(partition);
  }

  /** Forgets the partitions of a table: they are full again. */
  forgetTable(table: string): void {
    for (const name of this.#buckets.keys()) if (isOfTable(name, table)) this.#buckets.delete(name);
  }

  #next(): [string, PartitionBucket] | undefined {
    const step = this.#hand.next();
    if (!step.done) return step.value;
    this.#hand = this.#buckets.entries();
    return this.#hand.next().value;
  }

  #forgetFull(nowUs: number): void {
    for (let turn = 0; turn < lookedAt; turn++) {
      const [name, bucket] = this.#next() ?? [];
      if (name !== undefined && bucket?.isFull(nowUs)) this.#buckets.delete(name);
    }
  }

  #forgetOne(nowUs: number): void {
    let [fullest, units] = ['', Number.NEGATIVE_INFINITY];
    for (let turn = 0; turn < candidates; turn++) {
      const [name = '', bucket] = this.#next() ?? [];
      const level = bucket?.unitsAt(nowUs) ?? Number.NEGATIVE_INFINITY;
      if (level > units) [fullest, units] = [name, level];
    }
    this.#buckets.delete(fullest);
  }
}

import { ownText } from '../model/own-text.ts';
import type { ModelTime } from '../model/time.ts';
import { type CountedPartition, type HeavyHitter, isOfTable } from './hot-partitions.ts';

/**
 * What may still be used of a target, exactly: it holds at most one second's worth (Evidence: assumed) and fills
 * continuously. Levels are whole millionths of a unit and times whole microseconds, so that whole targets add up without
 * rounding.
 */
export class TokenBucket {
  readonly unitsPerSecond: number;
  readonly #fullMicros: number;
  #micros: number;
  #atUs: number;

  /** Full, unless `units` says otherwise. */
  constructor(unitsPerSecond: number, nowUs: number, units = Number.POSITIVE_INFINITY) {
    this.unitsPerSecond = unitsPerSecond;
    this.#fullMicros = Math.max(unitsPerSecond, 1) * microsPerUnit;
    this.#micros = Math.min(units * microsPerUnit, this.#fullMicros);
    this.#atUs = nowUs;
  }

  /** Whether `units` may be taken: they are there, or they are more than the bucket ever holds and it is full. */
  has(units: number, nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros >= Math.min(units * microsPerUnit, this.#fullMicros);
  }

  /** Takes units whether they are there or not; what was not there is owed. */
  take(units: number, nowUs: number): void {
    this.#fill(nowUs);
    this.#micros -= units * microsPerUnit;
  }

  /** When `has(units)` will be true, if only `unitsBefore` are taken until then. */
  readyAtUs(units: number, unitsBefore = 0): number {
    const needed = Math.min(units * microsPerUnit, this.#fullMicros) + unitsBefore * microsPerUnit;
    return this.#atUs + Math.max(0, Math.ceil((needed - this.#micros) / this.unitsPerSecond));
  }

  /** Units that are there; below 0 what is owed. */
  unitsAt(nowUs: number): number {
    this.#fill(nowUs);
    return this.#micros / microsPerUnit;
  }

  /** A full bucket need not be kept: a new one would be the same. */
  isFull(nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros === this.#fullMicros;
  }

  #fill(nowUs: number): void {
    if (nowUs <= this.#atUs) return;
    // A unit a second is a millionth of a unit a microsecond.
    this.#micros = Math.min(this.#micros + this.unitsPerSecond * (nowUs - this.#atUs), this.#fullMicros);
    this.#atUs = nowUs;
  }
}

const microsPerUnit = 1_000_000;

/** Model time as the buckets count it, in whole microseconds. */
export const microsecondsOf = (time: ModelTime): number => Math.round(time.monotonicMs() * 1000);

/** The bucket of one partition. It remembers the counter of the partition's load, which saves a lookup. */
export class PartitionBucket extends TokenBucket implements CountedPartition {
  readonly name: string;
  hitter: HeavyHitter | undefined;
  /** False after eviction: use the bucket that `of` returns. */
  isKept = true;

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

/** Full buckets are evicted once there are more than this part of `bucketsMax`; fewer are cheaper to keep. */
const keptParts = 8;
/** Buckets looked at for each new one, to evict those that are full again. */
const lookedAt = 2;
/** If `bucketsMax` are in use, the fullest of so many is evicted. */
const candidates = 8;

/**
 * The token buckets of partitions, exact for all of them in bounded memory. A partition that was left alone until its
 * bucket was full again needs none, so only those are kept that were used within the last second or owe something. An
 * iterator cycles through the buckets and evicts full ones, as the CLOCK algorithm does with pages. Where more than `bucketsMax` are in use at a time, one of
 * the fullest is evicted, which gives its partition at most what it had used.
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
    if (this.#buckets.size * keptParts >= bucketsMax) this.#evictFull(nowUs);
    if (this.#buckets.size >= bucketsMax) this.#evictOne(nowUs);
    const name = ownText(partition);
    const bucket = new PartitionBucket(name, this.#options.unitsPerSecond, nowUs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** The bucket of a partition; undefined: it is full. */
  find(partition: string): PartitionBucket | undefined {
    return this.#buckets.get(partition);
  }

  /** Forgets the partitions of a table: they are full again. */
  forgetTable(table: string): void {
    for (const [name, bucket] of this.#buckets) if (isOfTable(name, table)) this.#evict(name, bucket);
  }

  #evict(name: string, bucket: PartitionBucket): void {
    bucket.isKept = false;
    this.#buckets.delete(name);
  }

  #next(): [string, PartitionBucket] | undefined {
    const step = this.#hand.next();
    if (!step.done) return step.value;
    this.#hand = this.#buckets.entries();
    return this.#hand.next().value;
  }

  #evictFull(nowUs: number): void {
    for (let turn = 0; turn < lookedAt; turn++) {
      const [name, bucket] = this.#next() ?? [];
      if (name !== undefined && bucket?.isFull(nowUs)) this.#evict(name, bucket);
    }
  }

  #evictOne(nowUs: number): void {
    let fullest: PartitionBucket | undefined;
    for (let turn = 0; turn < candidates; turn++) {
      const [, bucket] = this.#next() ?? [];
      if (bucket && (!fullest || bucket.unitsAt(nowUs) > fullest.unitsAt(nowUs))) fullest = bucket;
    }
    if (fullest) this.#evict(fullest.name, fullest);
  }
}

import { copyString } from '../model/copy-string.ts';
import type { ModelTime } from '../model/time.ts';
import { LoadWindow, windowSeconds } from './load.ts';
import { isOfTable, type PartitionName, parsePartitionName } from './partition-name.ts';

/**
 * Counts the units that may still be used. A bucket holds at most the units of one second (Evidence: assumed), and
 * fills continuously. The count is exact, because levels (in millionths of a unit) and times (in microseconds) are
 * integers. With integer targets, nothing is rounded.
 */
export class TokenBucket {
  readonly unitsPerSecond: number;
  readonly #fullMicros: number;
  #micros: number;
  #atUs: number;

  /** The bucket starts full, or with `units`. */
  constructor(unitsPerSecond: number, nowUs: number, units = Number.POSITIVE_INFINITY) {
    this.unitsPerSecond = unitsPerSecond;
    this.#fullMicros = Math.max(unitsPerSecond, 1) * microsPerUnit;
    this.#micros = Math.min(units * microsPerUnit, this.#fullMicros);
    this.#atUs = nowUs;
  }

  /** Whether `units` may be taken: the bucket has them, or it is full and cannot hold as many. */
  has(units: number, nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros >= Math.min(units * microsPerUnit, this.#fullMicros);
  }

  /** Takes units even if the bucket lacks them. Missing units are owed. */
  take(units: number, nowUs: number): void {
    this.#fill(nowUs);
    this.#micros -= units * microsPerUnit;
  }

  /** The time at which `has(units)` will be true if no more than `unitsBefore` units are taken before. */
  readyAtUs(units: number, unitsBefore = 0): number {
    const needed = Math.min(units * microsPerUnit, this.#fullMicros) + unitsBefore * microsPerUnit;
    return this.#atUs + Math.max(0, Math.ceil((needed - this.#micros) / this.unitsPerSecond));
  }

  /** Units in the bucket; negative if units are owed. */
  unitsAt(nowUs: number): number {
    this.#fill(nowUs);
    return this.#micros / microsPerUnit;
  }

  /** Whether the bucket is full. A full bucket need not be kept: a new one would be the same. */
  isFull(nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros === this.#fullMicros;
  }

  #fill(nowUs: number): void {
    if (nowUs <= this.#atUs) return;
    // One unit per second is one millionth of a unit per microsecond.
    this.#micros = Math.min(this.#micros + this.unitsPerSecond * (nowUs - this.#atUs), this.#fullMicros);
    this.#atUs = nowUs;
  }
}

const microsPerUnit = 1_000_000;

/** Model time as the buckets count it, in whole microseconds. */
export const microsecondsOf = (time: ModelTime): number => Math.round(time.monotonicMs() * 1000);

/** A partition with fewer units does not get a load window: most partitions are never reported. */
const followedUnitsMin = 16;

export interface PartitionLoad extends PartitionName {
  /** Average of the last ten seconds. */
  readonly unitsPerSecond: number;
  /** Requests that were refused, or would have been, in the last ten seconds. */
  readonly refused: number;
}

/** The bucket of one partition, and its load. */
export class PartitionBucket extends TokenBucket {
  readonly name: string;
  /** False after eviction. Then use the bucket that `PartitionBuckets.of` returns. */
  isKept = true;
  /** Units counted since `#sinceUs`, while there is no load window. */
  #units = 0;
  #sinceUs: number;
  #load: LoadWindow | undefined;
  #refused: LoadWindow | undefined;

  constructor(name: string, unitsPerSecond: number, nowUs: number) {
    super(unitsPerSecond, nowUs);
    this.name = name;
    this.#sinceUs = nowUs;
  }

  /** Counts units of a request, whether or not they are taken from the bucket. */
  count(units: number, nowUs: number): void {
    if (this.#load) {
      this.#load.add(units, nowUs);
      return;
    }
    if (this.#isOld(nowUs)) {
      this.#sinceUs = nowUs;
      this.#units = 0;
    }
    this.#units += units;
    if (this.#units < followedUnitsMin) return;
    this.#load = new LoadWindow();
    this.#load.add(this.#units, nowUs);
  }

  /**
   * Counts a request that was refused or would have been refused. If the partition has little load, counts the request
   * only if the partition's own limit refused it.
   */
  countRefusal(nowUs: number, isForPartition: boolean): void {
    if (!isForPartition && !this.#load) return;
    this.#refused ??= new LoadWindow();
    this.#refused.add(1, nowUs);
  }

  /** Whether the bucket may be evicted: it is full and without recent load or refusals. */
  isIdle(nowUs: number): boolean {
    return this.isFull(nowUs) && (this.#load?.total(nowUs) ?? 0) === 0 && (this.#refused?.total(nowUs) ?? 0) === 0;
  }

  loadAt(nowUs: number): PartitionLoad {
    const few = this.#isOld(nowUs) ? 0 : this.#units / windowSeconds;
    const unitsPerSecond = this.#load?.perSecond(nowUs) ?? few;
    return { ...parsePartitionName(this.name), unitsPerSecond, refused: this.#refused?.total(nowUs) ?? 0 };
  }

  #isOld(nowUs: number): boolean {
    return nowUs - this.#sinceUs >= windowSeconds * 1_000_000;
  }
}

export interface PartitionBucketsOptions {
  readonly unitsPerSecond: number;
  /** The most buckets kept. */
  readonly bucketsMax: number;
}

/** Idle buckets are evicted once there are `bucketsMax` / 8 buckets. Fewer are cheaper to keep than to evict. */
const keptParts = 8;
/** For each new bucket, this many others are examined, and the idle ones are evicted. */
const lookedAt = 2;
/** If `bucketsMax` buckets are in use, this number of them is compared, and the fullest is evicted. */
const candidates = 8;

/**
 * The token buckets and loads of partitions. They are exact for every partition, and their memory is bounded. A bucket
 * is kept only if it was used within the last second, owes units, or had a load worth reporting in the last ten
 * seconds. Any other bucket is full, and a full bucket need not be kept. An iterator cycles through the buckets and
 * evicts idle ones, like the CLOCK algorithm for pages. If more than `bucketsMax` buckets are in use at the same time,
 * one of the fullest is evicted. The partition of that bucket then starts with a full bucket again, and so gets back at
 * most the units that it had used.
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
    if (this.#buckets.size * keptParts >= bucketsMax) this.#evictIdle(nowUs);
    if (this.#buckets.size >= bucketsMax) this.#evictOne(nowUs);
    const name = copyString(partition);
    const bucket = new PartitionBucket(name, this.#options.unitsPerSecond, nowUs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** The bucket of a partition; undefined if there is none, because it would be full. */
  find(partition: string): PartitionBucket | undefined {
    return this.#buckets.get(partition);
  }

  /** Forgets the partitions of a table: their buckets are full again. */
  forgetTable(table: string): void {
    for (const [name, bucket] of this.#buckets) if (isOfTable(name, table)) this.#evict(name, bucket);
  }

  /** The partitions with the most load, the heaviest first. */
  heaviest(count: number, nowUs: number): readonly PartitionLoad[] {
    const loads = [...this.#buckets.values()].map((bucket) => bucket.loadAt(nowUs));
    return loads
      .filter(({ unitsPerSecond, refused }) => unitsPerSecond > 0 || refused > 0)
      .sort((a, b) => b.unitsPerSecond - a.unitsPerSecond)
      .slice(0, count);
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

  #evictIdle(nowUs: number): void {
    for (let turn = 0; turn < lookedAt; turn++) {
      const [name, bucket] = this.#next() ?? [];
      if (name !== undefined && bucket?.isIdle(nowUs)) this.#evict(name, bucket);
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

import { firstIndex } from '../model/first-index.ts';
import { KeySample, LoadWindow, windowSeconds } from './load.ts';
import { TokenBucket } from './token-buckets.ts';

/** Minimum time between two checks for splits and merges. */
const settleEveryUs = 1_000_000;
/** Maximum number of ranges of one table. */
const rangesMax = 128;

/**
 * The range partitions of a table, in key order (UTF-16 code units, as JavaScript compares). A new table is one range.
 * Until that range has split, the target of one range limits the complete table. There is no timer: ranges split and
 * merge when the table is next used or reported. Evidence: documented (Azure Storage table design guide; "Windows Azure
 * Storage: a highly available cloud storage service with strong consistency", SOSP 2011, 5.5); figures are assumed.
 */
export class TableRanges {
  readonly #rules: RangeRules;
  #ranges: RangePartition[];
  #settledAtUs: number;
  /** For each range: since when it and the next range have been idle together. */
  readonly #idle = new WeakMap<RangePartition, { readonly next: RangePartition; readonly sinceUs: number }>();
  splits = 0;
  merges = 0;

  constructor(rules: RangeRules, nowUs: number) {
    this.#rules = rules;
    this.#ranges = [new RangePartition('', rules, { nowUs })];
    this.#settledAtUs = nowUs;
  }

  /** In key order; the first begins with the empty key. */
  list(nowUs: number): readonly RangePartition[] {
    this.#settle(nowUs);
    return this.#ranges;
  }

  of(partitionKey: string, nowUs: number): RangePartition {
    this.#settle(nowUs);
    return this.#ranges[this.#indexOf(partitionKey)] as RangePartition;
  }

  /** The first partition key after the range that contains `partitionKey`; undefined for the last range. */
  endOf(partitionKey: string, nowUs: number): string | undefined {
    this.#settle(nowUs);
    return this.#ranges[this.#indexOf(partitionKey) + 1]?.from;
  }

  #indexOf(partitionKey: string): number {
    const ranges = this.#ranges;
    return firstIndex(ranges.length, (at) => (ranges[at] as RangePartition).from > partitionKey) - 1;
  }

  #settle(nowUs: number): void {
    if (nowUs - this.#settledAtUs < settleEveryUs) return;
    while (this.#merge(nowUs));
    this.#split(nowUs);
    this.#settledAtUs = nowUs;
  }

  #split(nowUs: number): void {
    for (let at = 0; at < this.#ranges.length && this.#ranges.length < rangesMax; at++) {
      const halves = this.#ranges[at]?.split(nowUs);
      if (!halves) continue;
      this.#ranges.splice(at, 1, ...halves);
      this.splits++;
      at++;
    }
  }

  /**
   * Merges each pair of adjacent ranges that has been idle for `mergeAfterUs`. A merged range can merge again only
   * after it has been idle for the same time. Returns whether any pair merged.
   */
  #merge(nowUs: number): boolean {
    const mergesBefore = this.merges;
    for (let at = 0; at + 1 < this.#ranges.length; at++) {
      const [range, next] = [this.#ranges[at], this.#ranges[at + 1]];
      if (!range || !next) continue;
      const dueUs = this.#mergeDueUs(range, next, nowUs);
      if (dueUs === undefined || nowUs < dueUs) continue;
      // The move of the merged range begins at the time at which the merge was due, not now. If the table was not used
      // for some time, the merge was due in the past, and the merged range may already have finished moving.
      this.#ranges.splice(at, 2, range.merge(next, { nowUs, movesUntilUs: dueUs + this.#rules.moveUs }));
      this.merges++;
    }
    return this.merges > mergesBefore;
  }

  #mergeDueUs(range: RangePartition, next: RangePartition, nowUs: number): number | undefined {
    if (!range.isIdleBeside(next, nowUs)) {
      this.#idle.delete(range);
      return undefined;
    }
    const known = this.#idle.get(range);
    const sinceUs = known?.next === next ? known.sinceUs : this.#idleFromUs(range, next, nowUs);
    this.#idle.set(range, { next, sinceUs });
    return sinceUs + this.#rules.mergeAfterUs;
  }

  /**
   * Returns the time at which a pair of ranges became idle. If the pair was not used since the last check, it became
   * idle when the load window of the last check ended.
   */
  #idleFromUs(range: RangePartition, next: RangePartition, nowUs: number): number {
    const windowOverUs = this.#settledAtUs + windowSeconds * 1_000_000;
    return Math.max(Math.min(nowUs, windowOverUs), range.movesUntilUs, next.movesUntilUs);
  }
}

export interface RangeRules {
  /** Units a second. */
  readonly target: number;
  readonly splitAfterUs: number;
  readonly mergeAfterUs: number;
  /** How long a range that splits or merges refuses requests. */
  readonly moveUs: number;
}

/** A range that uses at least this share of its target is hot. Evidence: assumed. */
const hotShare = 0.75;
/** Two ranges that together use no more than this share of one range's target are idle. Evidence: assumed. */
const idleShare = 0.1;
/** The fewest sampled keys from which a median is taken. */
const sampleKeysMin = 16;

/** The state that a range inherits from the ranges that were split or merged into it. */
interface InheritedState {
  readonly load: LoadWindow;
  readonly refused: LoadWindow;
  readonly units: number;
  readonly movesUntilUs: number;
}

/** Adjacent partitions that one server of Azure's Table service serves. A range ends where the next one begins. */
export class RangePartition {
  /** The first partition key. */
  readonly from: string;
  readonly load: LoadWindow;
  readonly bucket: TokenBucket;
  readonly movesUntilUs: number;
  /** Requests that were refused, or would have been. */
  readonly refused: LoadWindow;
  readonly #rules: RangeRules;
  /** Kept only while the range is not idle. */
  #sample: KeySample | undefined;
  #hotSinceUs: number | undefined;
  #isLone = false;

  constructor(from: string, rules: RangeRules, { nowUs, inherited }: { nowUs: number; inherited?: InheritedState }) {
    this.from = from;
    this.#rules = rules;
    this.load = inherited?.load ?? new LoadWindow();
    this.refused = inherited?.refused ?? new LoadWindow();
    this.bucket = new TokenBucket(rules.target, nowUs, inherited?.units);
    this.movesUntilUs = inherited?.movesUntilUs ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether the range has been hot for long enough to split, but cannot split because one partition has all of the
   * sampled load.
   */
  get isLone(): boolean {
    return this.#isLone;
  }

  count(partitionKey: string, units: number, nowUs: number): void {
    this.load.add(units, nowUs);
    this.#sample?.add(partitionKey, units);
  }

  /** Returns two halves if the range has been hot for long enough and its load comes from more than one partition. */
  split(nowUs: number): [RangePartition, RangePartition] | undefined {
    if (!this.#isHotForLong(nowUs)) return undefined;
    if (!this.#sample || this.#sample.size < sampleKeysMin) return undefined;
    const median = this.#sample.median();
    this.#isLone = median === undefined;
    if (!median) return undefined;
    const { key, shareBelow } = median;
    const units = this.bucket.unitsAt(nowUs);
    const movesUntilUs = nowUs + this.#rules.moveUs;
    // Refused requests are counted without their keys, so their count cannot be divided between the halves. Both halves
    // begin with a count of zero.
    const partOf = (share: number): InheritedState => ({
      load: this.load.part(share),
      refused: new LoadWindow(),
      units,
      movesUntilUs,
    });
    return [
      new RangePartition(this.from, this.#rules, { nowUs, inherited: partOf(shareBelow) }),
      new RangePartition(key, this.#rules, { nowUs, inherited: partOf(1 - shareBelow) }),
    ];
  }

  isIdleBeside(next: RangePartition, nowUs: number): boolean {
    return this.load.perSecond(nowUs) + next.load.perSecond(nowUs) <= idleShare * this.#rules.target;
  }

  merge(next: RangePartition, { nowUs, movesUntilUs }: { nowUs: number; movesUntilUs: number }): RangePartition {
    const units = Math.min(this.bucket.unitsAt(nowUs), next.bucket.unitsAt(nowUs));
    const refused = this.refused.plus(next.refused, nowUs);
    const inherited = { load: this.load.plus(next.load, nowUs), refused, units, movesUntilUs };
    return new RangePartition(this.from, this.#rules, { nowUs, inherited });
  }

  #isHotForLong(nowUs: number): boolean {
    const { target, splitAfterUs } = this.#rules;
    const perSecond = this.load.perSecond(nowUs);
    if (perSecond < hotShare * target) {
      this.#hotSinceUs = undefined;
      this.#isLone = false;
      // Sampling begins before a range is hot, and ends when the range is idle.
      if (perSecond < idleShare * target) this.#sample = undefined;
      else this.#sample ??= this.#newSample();
      return false;
    }
    this.#sample ??= this.#newSample();
    this.#hotSinceUs ??= nowUs;
    return nowUs - this.#hotSinceUs >= splitAfterUs;
  }

  #newSample(): KeySample {
    return new KeySample((this.#rules.target * this.#rules.splitAfterUs) / 1_000_000);
  }
}

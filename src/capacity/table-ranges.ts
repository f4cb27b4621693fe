import { windowSeconds } from './load-window.ts';
import { RangePartition, type RangeRules } from './range-partition.ts';

/** How often it is looked whether ranges split or merge. */
const lookEveryUs = 1_000_000;
/** Ranges of one table at most. */
const rangesMax = 128;

/**
 * The range partitions of a table, in key order (UTF-16 code units, as JavaScript compares): a list of boundaries. A new
 * table is one range, so a burst meets one range's target until splits raise it. Nothing runs by itself: ranges split and
 * merge when the table is next used or looked at. Source: docs, Azure Storage table design guide, and "Windows Azure
 * Storage: a highly available cloud storage service with strong consistency" (SOSP 2011), 5.5; figures are assumed.
 */
export class TableRanges {
  readonly #rules: RangeRules;
  #ranges: RangePartition[];
  #lookedAtUs: number;
  /** Since when a range and the next one are idle, by the first one. */
  readonly #idle = new WeakMap<RangePartition, { readonly next: RangePartition; readonly sinceUs: number }>();
  splits = 0;
  merges = 0;

  constructor(rules: RangeRules, nowUs: number) {
    this.#rules = rules;
    this.#ranges = [new RangePartition('', rules, { nowUs })];
    this.#lookedAtUs = nowUs;
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

  /** The partition key at which the range of a key ends; undefined for the last range. */
  endOf(partitionKey: string, nowUs: number): string | undefined {
    this.#settle(nowUs);
    return this.#ranges[this.#indexOf(partitionKey) + 1]?.from;
  }

  #indexOf(partitionKey: string): number {
    let [start, end] = [0, this.#ranges.length - 1];
    while (start < end) {
      const middle = (start + end + 1) >> 1;
      if ((this.#ranges[middle] as RangePartition).from <= partitionKey) start = middle;
      else end = middle - 1;
    }
    return start;
  }

  #settle(nowUs: number): void {
    if (nowUs - this.#lookedAtUs < lookEveryUs) return;
    while (this.#merge(nowUs));
    this.#split(nowUs);
    this.#lookedAtUs = nowUs;
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

  /** Pairs in turn: a range that has just merged takes part again only when it was idle for long again. Says if any did. */
  #merge(nowUs: number): boolean {
    const mergesBefore = this.merges;
    for (let at = 0; at + 1 < this.#ranges.length; at++) {
      const [range, next] = [this.#ranges[at], this.#ranges[at + 1]];
      if (!range || !next) continue;
      const dueUs = this.#mergeDueUs(range, next, nowUs);
      if (dueUs === undefined || nowUs < dueUs) continue;
      // Where nobody looked for long it was due long ago, and the range has long been moved.
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

  /** A pair that nobody looked at since is idle from when its window was over. */
  #idleFromUs(range: RangePartition, next: RangePartition, nowUs: number): number {
    const windowOverUs = this.#lookedAtUs + windowSeconds * 1_000_000;
    return Math.max(Math.min(nowUs, windowOverUs), range.movesUntilUs, next.movesUntilUs);
  }
}

import { type HeavyHitter, HeavyHitters } from './heavy-hitters.ts';
import { windowSeconds } from './load-window.ts';
import type { PartitionBucket } from './partition-buckets.ts';

const countersMax = 1_024;
const windowUs = windowSeconds * 1_000_000;

/** A partition of a table. */
export interface PartitionName {
  readonly table: string;
  readonly partitionKey: string;
}

export interface HotPartition extends PartitionName {
  /** On average of the last ten to twenty seconds. */
  readonly unitsPerSecond: number;
  /** Requests that were refused, or would have been. */
  readonly refused: number;
}

/** The heaviest partitions of an account: a summary of the window before and one of the window that runs. */
export class HotPartitions {
  #before = new HeavyHitters(countersMax);
  #now = new HeavyHitters(countersMax);
  #sinceUs: number;
  #lengthBefore = 0;

  constructor(nowUs: number) {
    this.#sinceUs = nowUs;
  }

  add(partition: string, units: number, nowUs: number): HeavyHitter {
    this.#turn(nowUs);
    return this.#now.add(partition, units);
  }

  /** Adds to the counter that a partition remembers, where that is still the right one: nothing is looked up. */
  addTo(partition: PartitionBucket, units: number, nowUs: number): HeavyHitter {
    this.#turn(nowUs);
    const { hitter } = partition;
    if (hitter?.isListed) {
      hitter.units += units;
      return hitter;
    }
    partition.hitter = this.#now.add(partition.name, units);
    return partition.hitter;
  }

  /** The heaviest first. */
  top(count: number, nowUs: number): HotPartition[] {
    this.#turn(nowUs);
    const seconds = Math.max(1, (nowUs - this.#sinceUs + this.#lengthBefore) / 1_000_000);
    const names = new Set([...this.#before.values(), ...this.#now.values()].map(({ name }) => name));
    return [...names]
      .map((name) => this.#describe(name, seconds))
      .sort((a, b) => b.unitsPerSecond - a.unitsPerSecond)
      .slice(0, count);
  }

  #describe(name: string, seconds: number): HotPartition {
    const [before, now] = [this.#before.get(name), this.#now.get(name)];
    const units = sureUnits(before) + sureUnits(now);
    const refused = (before?.refused ?? 0) + (now?.refused ?? 0);
    return { ...readPartitionName(name), unitsPerSecond: units / seconds, refused };
  }

  #turn(nowUs: number): void {
    const age = nowUs - this.#sinceUs;
    if (age < windowUs) return;
    const isRecent = age < 2 * windowUs;
    // Who remembers a counter of this window is to look for one of the next.
    for (const hitter of this.#now.values()) hitter.isListed = false;
    this.#before = isRecent ? this.#now : new HeavyHitters(countersMax);
    this.#now = new HeavyHitters(countersMax);
    this.#lengthBefore = isRecent ? windowUs : 0;
    this.#sinceUs = isRecent ? this.#sinceUs + windowUs : nowUs;
  }
}

/** What was surely counted: a light name that has taken the place of another carries the other's load as its error. */
const sureUnits = (hitter: HeavyHitter | undefined): number => (hitter ? hitter.units - hitter.error : 0);

/** Table names hold no slash, so the first one ends them. */
export function partitionName(table: string, partitionKey: string): string {
  return `${table}/${partitionKey}`;
}

function readPartitionName(name: string): PartitionName {
  const slash = name.indexOf('/');
  return { table: name.slice(0, slash), partitionKey: name.slice(slash + 1) };
}

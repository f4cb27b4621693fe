import { type HeavyHitter, HeavyHitters } from './heavy-hitters.ts';
import { LoadWindow, windowSeconds } from './load-window.ts';
import type { PartitionBucket } from './partition-buckets.ts';
import { isOfTable, type PartitionName, readPartitionName } from './partition-name.ts';

const countersMax = 1_024;
const windowUs = windowSeconds * 1_000_000;
/** What has less is not followed over time: most partitions come and go, and nobody asks for them. */
const followedUnitsMin = 16;

export interface HotPartition extends PartitionName {
  /** On average of the last ten seconds. */
  readonly unitsPerSecond: number;
  /** Requests that were refused, or would have been, in the last ten seconds. */
  readonly refused: number;
}

/** The heaviest partitions of an account: a summary of the window before and one of the window that runs. */
export class HotPartitions {
  #before = new HeavyHitters(countersMax);
  #now = new HeavyHitters(countersMax);
  #sinceUs: number;

  constructor(nowUs: number) {
    this.#sinceUs = nowUs;
  }

  add(partition: string, units: number, nowUs: number): HeavyHitter {
    this.#turn(nowUs);
    const hitter = this.#now.add(partition, units);
    follow(hitter, units, nowUs);
    return hitter;
  }

  /** Adds to the counter that a partition remembers, where that is still the right one: nothing is looked up. */
  addTo(partition: PartitionBucket, units: number, nowUs: number): HeavyHitter {
    this.#turn(nowUs);
    const { hitter } = partition;
    if (!hitter?.isListed) {
      partition.hitter = this.add(partition.name, units, nowUs);
      return partition.hitter;
    }
    hitter.units += units;
    follow(hitter, units, nowUs);
    return hitter;
  }

  /** Forgets the partitions of a table. */
  forgetTable(table: string): void {
    const isForgotten = (name: string): boolean => isOfTable(name, table);
    this.#before.forget(isForgotten);
    this.#now.forget(isForgotten);
  }

  /** The heaviest first. */
  top(count: number, nowUs: number): HotPartition[] {
    this.#turn(nowUs);
    const names = new Set([...this.#before.values(), ...this.#now.values()].map(({ name }) => name));
    return [...names]
      .map((name) => this.#describe(name, nowUs))
      .filter(({ unitsPerSecond, refused }) => unitsPerSecond > 0 || refused > 0)
      .sort((a, b) => b.unitsPerSecond - a.unitsPerSecond)
      .slice(0, count);
  }

  #describe(name: string, nowUs: number): HotPartition {
    const [before, now] = [this.#before.get(name), this.#now.get(name)];
    // Of the window before, only what is not yet ten seconds ago is left in its load.
    const unitsPerSecond = (before?.load?.perSecond(nowUs) ?? 0) + (now ? loadOf(now, nowUs) : 0);
    const refused = (before?.refused?.total(nowUs) ?? 0) + (now?.refused?.total(nowUs) ?? 0);
    return { ...readPartitionName(name), unitsPerSecond, refused };
  }

  #turn(nowUs: number): void {
    const age = nowUs - this.#sinceUs;
    if (age < windowUs) return;
    const isRecent = age < 2 * windowUs;
    // Who remembers a counter of this window is to look for one of the next.
    for (const hitter of this.#now.values()) hitter.isListed = false;
    this.#before = isRecent ? this.#now : new HeavyHitters(countersMax);
    this.#now = new HeavyHitters(countersMax);
    this.#sinceUs = isRecent ? this.#sinceUs + windowUs : nowUs;
  }
}

/** A light name that has taken the place of another carries the other's load as its error. */
const sureUnits = ({ units, error }: HeavyHitter): number => units - error;

function follow(hitter: HeavyHitter, units: number, nowUs: number): void {
  if (hitter.load) hitter.load.add(units, nowUs);
  else if (sureUnits(hitter) >= followedUnitsMin) {
    hitter.load = new LoadWindow();
    hitter.load.add(sureUnits(hitter), nowUs);
  }
}

const loadOf = (hitter: HeavyHitter, nowUs: number): number =>
  hitter.load ? hitter.load.perSecond(nowUs) : sureUnits(hitter) / windowSeconds;

import { ownText } from '../model/own-text.ts';
import { LoadWindow, windowSeconds } from './load.ts';

/** A partition of a table. */
export interface PartitionName {
  readonly table: string;
  readonly partitionKey: string;
}

/** Table names hold no slash, so the first one ends them. */
export function partitionName(table: string, partitionKey: string): string {
  return `${table}/${partitionKey}`;
}

export function parsePartitionName(name: string): PartitionName {
  const slash = name.indexOf('/');
  return { table: name.slice(0, slash), partitionKey: name.slice(slash + 1) };
}

/** Ignores the case of the table's name. */
export function isOfTable(partition: string, table: string): boolean {
  return (
    partition.charAt(table.length) === '/' && partition.slice(0, table.length).toLowerCase() === table.toLowerCase()
  );
}

/** A partition with a reference to the counter of its load. */
export interface CountedPartition {
  readonly name: string;
  hitter: HeavyHitter | undefined;
}

const countersMax = 1_024;
const windowUs = windowSeconds * 1_000_000;
/** A partition with fewer units gets no window of its own: most partitions are never reported. */
const followedUnitsMin = 16;

export interface HotPartition extends PartitionName {
  /** On average of the last ten seconds. */
  readonly unitsPerSecond: number;
  /** Requests refused, or that would have been, in the last ten seconds. */
  readonly refused: number;
}

/** The heaviest partitions of an account: a summary of the previous window and one of the current window. */
export class HotPartitions {
  #previous = new HeavyHitters(countersMax);
  #current = new HeavyHitters(countersMax);
  #sinceUs: number;

  constructor(nowUs: number) {
    this.#sinceUs = nowUs;
  }

  /** Adds to the counter that the partition remembers, as long as that is among the heaviest: that saves a lookup. */
  add(partition: CountedPartition, units: number, nowUs: number): HeavyHitter {
    this.#turn(nowUs);
    const { hitter } = partition;
    if (hitter?.isListed) {
      hitter.units += units;
      follow(hitter, units, nowUs);
      return hitter;
    }
    const found = this.#current.add(partition.name, units);
    follow(found, units, nowUs);
    partition.hitter = found;
    return found;
  }

  /** Forgets the partitions of a table. */
  forgetTable(table: string): void {
    const isForgotten = (name: string): boolean => isOfTable(name, table);
    this.#previous.forget(isForgotten);
    this.#current.forget(isForgotten);
  }

  /** The heaviest first. */
  top(count: number, nowUs: number): HotPartition[] {
    this.#turn(nowUs);
    const names = new Set([...this.#previous.values(), ...this.#current.values()].map(({ name }) => name));
    return [...names]
      .map((name) => this.#describe(name, nowUs))
      .filter(({ unitsPerSecond, refused }) => unitsPerSecond > 0 || refused > 0)
      .sort((a, b) => b.unitsPerSecond - a.unitsPerSecond)
      .slice(0, count);
  }

  #describe(name: string, nowUs: number): HotPartition {
    const [previous, current] = [this.#previous.get(name), this.#current.get(name)];
    // The load of the previous window holds only what is less than ten seconds old.
    const unitsPerSecond = (previous?.load?.perSecond(nowUs) ?? 0) + (current ? loadOf(current, nowUs) : 0);
    const refused = (previous?.refused?.total(nowUs) ?? 0) + (current?.refused?.total(nowUs) ?? 0);
    return { ...parsePartitionName(name), unitsPerSecond, refused };
  }

  #turn(nowUs: number): void {
    const age = nowUs - this.#sinceUs;
    if (age < windowUs) return;
    const isRecent = age < 2 * windowUs;
    // A partition that remembers a counter of this window must find one of the next.
    for (const hitter of this.#current.values()) hitter.isListed = false;
    this.#previous = isRecent ? this.#current : new HeavyHitters(countersMax);
    this.#current = new HeavyHitters(countersMax);
    this.#sinceUs = isRecent ? this.#sinceUs + windowUs : nowUs;
  }
}

/** A name that replaced a lighter one carries the load of that one as its error. */
const certainUnits = ({ units, error }: HeavyHitter): number => units - error;

function follow(hitter: HeavyHitter, units: number, nowUs: number): void {
  if (hitter.load) hitter.load.add(units, nowUs);
  else if (certainUnits(hitter) >= followedUnitsMin) {
    hitter.load = new LoadWindow();
    hitter.load.add(certainUnits(hitter), nowUs);
  }
}

const loadOf = (hitter: HeavyHitter, nowUs: number): number =>
  hitter.load ? hitter.load.perSecond(nowUs) : certainUnits(hitter) / windowSeconds;

/** The counter of one of the heaviest names. */
export interface HeavyHitter {
  readonly name: string;
  /** Never too few; too many by `error` at most, which is 0 for a name that was heavy all along. */
  units: number;
  readonly error: number;
  /** The units that are certain, over time; the user of HeavyHitters keeps it. */
  load: LoadWindow | undefined;
  /** Requests refused, or that would have been; the user of HeavyHitters keeps it. */
  refused: LoadWindow | undefined;
  /** Whether the name is still among the heaviest, so that its counter may be added to. */
  isListed: boolean;
}

interface Counter extends HeavyHitter {
  /** Units it had when it was last moved in the heap; never more than it has. */
  placedUnits: number;
}

/**
 * The heaviest of any number of names, in the memory of `countersMax`: the Space-Saving algorithm (Metwally, Agrawal, El
 * Abbadi: Efficient computation of frequent and top-k elements in data streams, 2005). Every name with more than one
 * `countersMax`-th of all units is among them.
 */
export class HeavyHitters {
  readonly #countersMax: number;
  readonly #counters = new Map<string, Counter>();
  /**
   * A binary heap by `placedUnits`. A counter that grows stays where it is; the search for the lightest moves those that
   * it meets at the top and that have grown since.
   */
  readonly #heap: Counter[] = [];

  constructor(countersMax: number) {
    this.#countersMax = countersMax;
  }

  add(name: string, units: number): HeavyHitter {
    const known = this.#counters.get(name);
    if (known) {
      known.units += units;
      return known;
    }
    const own = ownText(name);
    return this.#heap.length < this.#countersMax ? this.#append(own, units) : this.#replaceLightest(own, units);
  }

  get(name: string): HeavyHitter | undefined {
    return this.#counters.get(name);
  }

  values(): readonly HeavyHitter[] {
    return this.#heap;
  }

  /** Drops the counters of names. */
  forget(isForgotten: (name: string) => boolean): void {
    const kept: Counter[] = [];
    for (const counter of this.#heap) {
      if (!isForgotten(counter.name)) kept.push(counter);
      else {
        this.#counters.delete(counter.name);
        counter.isListed = false;
      }
    }
    // A sorted list is a heap.
    kept.sort((a, b) => a.placedUnits - b.placedUnits);
    this.#heap.splice(0, this.#heap.length, ...kept);
  }

  #append(name: string, units: number): HeavyHitter {
    const counter = newCounter(name, units, 0);
    this.#counters.set(name, counter);
    this.#heap.push(counter);
    this.#rise(this.#heap.length - 1);
    return counter;
  }

  #replaceLightest(name: string, units: number): HeavyHitter {
    const lightest = this.#lightest();
    this.#counters.delete(lightest.name);
    lightest.isListed = false;
    const total = lightest.units + units;
    const error = lightest.units;
    const counter = newCounter(name, total, error);
    this.#counters.set(name, counter);
    this.#heap[0] = counter;
    this.#sinkTop();
    return counter;
  }

  #lightest(): Counter {
    for (;;) {
      const top = this.#heap[0] as Counter;
      if (top.placedUnits === top.units) return top;
      top.placedUnits = top.units;
      this.#sinkTop();
    }
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (this.#placedAt(above) <= this.#placedAt(at)) return;
      this.#swap(above, at);
      at = above;
    }
  }

  #sinkTop(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const lighter = this.#placedAt(right) < this.#placedAt(left) ? right : left;
      if (this.#placedAt(lighter) >= this.#placedAt(at)) return;
      this.#swap(at, lighter);
      at = lighter;
    }
  }

  #placedAt(at: number): number {
    return this.#heap[at]?.placedUnits ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const counter = this.#heap[a] as Counter;
    this.#heap[a] = this.#heap[b] as Counter;
    this.#heap[b] = counter;
  }
}

const newCounter = (name: string, units: number, error: number): Counter => {
  return { name, units, error, load: undefined, refused: undefined, isListed: true, placedUnits: units };
};

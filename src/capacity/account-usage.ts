import type { CapacityLimit } from '../model/capacity-use.ts';
import { copyString } from '../model/copy-string.ts';
import type { Targets } from './capacity-settings.ts';
import { LoadWindow } from './load.ts';
import type { Demand, Usage, UsagePart } from './meter.ts';
import { parsePartitionName, partitionName } from './partition-name.ts';
import type { AccountSpent, SpentPart } from './spent-units.ts';
import { type RangePartition, type RangeRules, TableRanges } from './table-ranges.ts';
import { PartitionBucket, PartitionBuckets, type PartitionLoad, TokenBucket } from './token-buckets.ts';
import type { Obstacle, UnitsAhead } from './waiting-queue.ts';

/**
 * The maximum number of partitions that have a bucket at the same time. To make room for another partition,
 * PartitionBuckets evicts a bucket.
 */
const bucketsMax = 32_768;
/** The number of past seconds for which the report shows the load. */
export const historySeconds = 120;
/** The most tables counted at the same time. A further table evicts another, if possible an idle one. */
const tablesMax = 1_024;

/** The loads and budgets of one table. */
export interface TableUsage {
  /** The table's name as the first request wrote it. */
  readonly name: string;
  readonly ranges: TableRanges;
  readonly load: LoadWindow;
  /** Entity units since the table was first used. */
  units: number;
  /**
   * The first partition in the latest scan that began at the beginning of the table. The next such scan probably meets
   * the same partition first.
   */
  scansBeginWith?: string;
}

/** The table, range and partition that a request (Demand) needs, looked up once. */
export interface Place {
  readonly table: TableUsage;
  range: RangePartition;
  /** The bucket of the partition, if the request stays in one partition. */
  partition: PartitionBucket | undefined;
  /**
   * The bucket of the partition in which the request begins. Undefined if that partition is not known, or if its bucket
   * is full.
   */
  first: PartitionBucket | undefined;
}

/** A request that tries to start. */
export interface Attempt {
  readonly units: number;
  readonly ahead: UnitsAhead;
  readonly nowUs: number;
}

/** Units to take from one bucket. */
export interface Charge {
  readonly bucket: TokenBucket;
  units: number;
  /** Whether the first entity read belongs to this bucket. */
  readonly isFirst: boolean;
}

interface ChargeOptions {
  readonly nowUs: number;
  /** The sum of the charges. */
  readonly units: number;
  /** Whether the request was admitted to a bucket. If so, it takes units there even if the bucket is empty. */
  readonly isAdmitted: (charge: Charge) => boolean;
  /** If false, nothing is taken once a bucket is empty: with enforced targets, the page would have ended there. */
  readonly isEnforced: boolean;
}

export interface AccountUsageOptions {
  readonly targets: Targets;
  readonly rules: RangeRules;
  readonly nowUs: number;
  /** Entity units of all accounts. */
  readonly totals: { units: number };
  /** Returns the record of units spent, which is sent to other nodes. */
  readonly spent?: (() => AccountSpent) | undefined;
}

/** The loads and budgets of one account, of its tables' ranges and of its partitions, in bounded memory. */
export class AccountUsage {
  readonly load = new LoadWindow(historySeconds);
  readonly bucket: TokenBucket;
  /** Entity units since the account was first used. */
  units = 0;
  readonly #rules: RangeRules;
  readonly #totals: { units: number };
  readonly #spent: (() => AccountSpent) | undefined;
  readonly #tables = new Map<string, TableUsage>();
  readonly #partitions: PartitionBuckets;

  constructor({ targets, rules, nowUs, totals, spent }: AccountUsageOptions) {
    this.#spent = spent;
    this.#rules = rules;
    this.#totals = totals;
    this.bucket = new TokenBucket(targets.account, nowUs);
    this.#partitions = new PartitionBuckets({ unitsPerSecond: targets.partition, bucketsMax });
  }

  get tables(): Iterable<TableUsage> {
    return this.#tables.values();
  }

  table(name: string, nowUs: number): TableUsage {
    const lookupName = name.toLowerCase();
    const known = this.#tables.get(lookupName);
    if (known) return known;
    if (this.#tables.size >= tablesMax) evictOne(this.#tables, ({ load }) => load.perSecond(nowUs) === 0);
    const table: TableUsage = {
      name: copyString(name),
      ranges: new TableRanges(this.#rules, nowUs),
      load: new LoadWindow(),
      units: 0,
    };
    this.#tables.set(copyString(lookupName), table);
    return table;
  }

  /** Returns undefined for a request that does not concern entities. */
  place(demand: Demand, nowUs: number): Place | undefined {
    const { table: name, partitionKey, isPinned } = demand;
    if (name === undefined) return undefined;
    const table = this.table(name, nowUs);
    const range = table.ranges.of(partitionKey, nowUs);
    if (isPinned) {
      const partition = this.#partitions.of(partitionName(table.name, partitionKey), nowUs);
      return { table, range, partition, first: partition };
    }
    const firstKey = isFromStart(demand) ? table.scansBeginWith : partitionKey;
    const first = firstKey === undefined ? undefined : this.#partitions.find(partitionName(table.name, firstKey));
    return { table, range, partition: undefined, first };
  }

  /**
   * Looks up the range and the buckets again. While the request waited, ranges may have split, and buckets may have
   * been evicted.
   */
  renew(place: Place, { partitionKey }: Demand, nowUs: number): void {
    place.range = place.table.ranges.of(partitionKey, nowUs);
    place.partition &&= this.#partitions.of(place.partition.name, nowUs);
    place.first = place.partition ?? (place.first && this.#partitions.find(place.first.name));
  }

  /** Counts the units of a request, whether or not it is refused. */
  countDemand({ partitionKey, units }: Demand, place: Place | undefined, nowUs: number): void {
    this.#countUnits(units, nowUs);
    if (!place) return;
    const { table, range, partition } = place;
    table.units += units;
    table.load.add(units, nowUs);
    range.count(partitionKey, units, nowUs);
    partition?.count(units, nowUs);
  }

  /**
   * Takes the units at every level: account, range and partition. If any level has too few units, takes nothing and
   * returns the obstacle.
   */
  take(place: Place | undefined, attempt: Attempt): Obstacle | undefined {
    const obstacle = obstacleAt(this.bucket, 'account', attempt) ?? (place && obstacleIn(place, attempt));
    if (obstacle) return obstacle;
    const { units, nowUs } = attempt;
    this.bucket.take(units, nowUs);
    place?.range.bucket.take(units, nowUs);
    place?.partition?.take(units, nowUs);
    if (this.#spent) recordTaken(this.#spent(), place, units);
    return undefined;
  }

  /** Counts the units that a request has used. Returns the units to take from each bucket. */
  countUsage(table: TableUsage, { units, parts }: Usage, nowUs: number): Charge[] {
    this.#countUnits(units, nowUs);
    table.units += units;
    table.load.add(units, nowUs);
    const ranges: Charge[] = [];
    const partitions: Charge[] = [];
    let isFirst = true;
    for (const { partitionKey, units: partUnits, partitionUnits } of parts) {
      const range = table.ranges.of(partitionKey, nowUs);
      range.count(partitionKey, partUnits, nowUs);
      const last = ranges.at(-1);
      if (last?.bucket === range.bucket) last.units += partUnits;
      else ranges.push({ bucket: range.bucket, units: partUnits, isFirst });
      // With a single part, the bucket of its partition is checked even if no units are due, because it may be empty.
      if (partitionUnits > 0 || parts.length === 1) {
        const bucket = this.#partitions.of(partitionName(table.name, partitionKey), nowUs);
        bucket.count(partitionUnits, nowUs);
        partitions.push({ bucket, units: partitionUnits, isFirst });
      }
      isFirst = false;
    }
    return [...ranges, ...partitions];
  }

  /** Takes the charges from their buckets. Returns whether every bucket has units left. */
  takeCharges(charges: readonly Charge[], { nowUs, units, isAdmitted, isEnforced }: ChargeOptions): boolean {
    // Looking up a bucket may evict another one; an evicted bucket is looked up again.
    const current = ({ bucket }: Charge): TokenBucket =>
      bucket instanceof PartitionBucket && !bucket.isKept ? this.#partitions.of(bucket.name, nowUs) : bucket;
    const isLeft = (): boolean =>
      this.bucket.unitsAt(nowUs) > 0 && charges.every((charge) => current(charge).unitsAt(nowUs) > 0);
    if (!isEnforced && !isLeft()) return false;
    this.bucket.take(units, nowUs);
    for (const charge of charges) {
      const bucket = current(charge);
      // A page ends at an empty bucket, so it takes nothing from that bucket, unless it was admitted to it.
      if (isAdmitted(charge) || bucket.unitsAt(nowUs) > 0) bucket.take(charge.units, nowUs);
    }
    return isLeft();
  }

  /** Records, for other nodes, the units that a request used beyond its admission. */
  recordUsage(table: TableUsage, { parts }: Usage): void {
    const spent = this.#spent?.();
    if (!spent) return;
    for (const { partitionKey, units, partitionUnits } of parts) {
      if (partitionUnits > 0) spent.addAt(table.name, { partitionKey, units: partitionUnits, isPartition: true });
      const others = units - partitionUnits;
      if (others > 0) spent.addAt(table.name, { partitionKey, units: others, isPartition: false });
    }
  }

  /** Counts and takes the units that another node has spent, even if the budgets have fewer. */
  spendElsewhere({ table: name, partitionKey, units, isPartition }: SpentPart, nowUs: number): void {
    this.load.add(units, nowUs);
    this.units += units;
    this.bucket.take(units, nowUs);
    if (name === undefined) return;
    const table = this.table(name, nowUs);
    table.units += units;
    table.load.add(units, nowUs);
    const range = table.ranges.of(partitionKey, nowUs);
    range.count(partitionKey, units, nowUs);
    range.bucket.take(units, nowUs);
    if (!isPartition) return;
    const partition = this.#partitions.of(partitionName(table.name, partitionKey), nowUs);
    partition.count(units, nowUs);
    partition.take(units, nowUs);
  }

  /** Stores the first partition of a page that was read from the beginning of the table. */
  recordScanStart(table: TableUsage, first: UsagePart | undefined): void {
    if (first && table.scansBeginWith !== first.partitionKey) table.scansBeginWith = copyString(first.partitionKey);
  }

  forgetTable(name: string): void {
    this.forgetAbsentTable(name);
    this.#partitions.forgetTable(name);
  }

  /** The partitions with the most load, the heaviest first. */
  heaviestPartitions(count: number, nowUs: number): readonly PartitionLoad[] {
    return this.#partitions.heaviest(count, nowUs);
  }

  forgetAbsentTable(name: string): void {
    this.#tables.delete(name.toLowerCase());
  }

  isIdle(nowUs: number): boolean {
    return this.bucket.isFull(nowUs) && this.load.perSecond(nowUs) === 0;
  }

  #countUnits(units: number, nowUs: number): void {
    this.load.add(units, nowUs);
    this.units += units;
    this.#totals.units += units;
  }
}

/** Whether a page begins at the start of its table. */
export const isFromStart = ({ isPinned, partitionKey }: Demand): boolean => !isPinned && partitionKey === '';

function recordTaken(spent: AccountSpent, place: Place | undefined, units: number): void {
  if (!place) {
    spent.add(units);
    return;
  }
  const { table, range, partition } = place;
  const partitionKey = partition ? parsePartitionName(partition.name).partitionKey : range.from;
  spent.addAt(table.name, { partitionKey, units, isPartition: partition !== undefined });
}

function obstacleIn({ range, first }: Place, attempt: Attempt): Obstacle | undefined {
  const { movesUntilUs, bucket } = range;
  if (attempt.nowUs < movesUntilUs) return { limit: 'moving', scope: bucket, untilUs: movesUntilUs };
  return obstacleAt(bucket, 'range', attempt) ?? (first && obstacleAt(first, 'partition', attempt));
}

function obstacleAt(bucket: TokenBucket, limit: CapacityLimit, { units, ahead, nowUs }: Attempt): Obstacle | undefined {
  const unitsAhead = ahead.get(bucket);
  if (unitsAhead === undefined && bucket.has(units, nowUs)) return undefined;
  return { limit, scope: bucket, untilUs: bucket.readyAtUs(units, unitsAhead) };
}

/** The most entries examined to find an idle one. */
const lookedAt = 8;

/**
 * Removes one entry from a map to make room. Examines at most `lookedAt` entries, in the order of the map, and removes
 * the first entry that is idle. If none of the examined entries is idle, removes the last of them. The entries examined
 * before the removed entry move to the end of the map.
 */
export function evictOne<T>(map: Map<string, T>, isIdle: (value: T) => boolean): T | undefined {
  let turn = 0;
  for (const [name, value] of map) {
    turn++;
    map.delete(name);
    if (turn >= lookedAt || isIdle(value)) return value;
    map.set(name, value);
  }
  return undefined;
}

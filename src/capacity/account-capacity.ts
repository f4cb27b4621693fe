import { ownText } from '../model/own-text.ts';
import type { Targets } from './capacity-settings.ts';
import { forgetOne } from './forget-one.ts';
import type { HeavyHitter } from './heavy-hitters.ts';
import { HotPartitions, partitionName } from './hot-partitions.ts';
import { LoadWindow } from './load-window.ts';
import type { ChargeVisit, Demand, Meter, Usage } from './meter.ts';
import { type PartitionBucket, PartitionBuckets } from './partition-buckets.ts';
import type { RangePartition, RangeRules } from './range-partition.ts';
import { newRefusals, type RefusalKind } from './refusals.ts';
import { newTableCapacity, type TableCapacity } from './table-capacity.ts';
import type { Limit, Throttled } from './throttled.ts';
import type { Timers } from './timers.ts';
import { TokenBucket } from './token-bucket.ts';
import { type Attempt, type Obstacle, WaitingLine } from './waiting-line.ts';

/** Partitions with a bucket at a time; beyond, see PartitionBuckets. */
const bucketsMax = 32_768;
/** Tables with ranges of their own; beyond, one that is idle is forgotten. */
const tablesMax = 1_024;
/** How many tables are looked at for an idle one. */
const lookedAt = 8;

export interface AccountCapacityOptions {
  readonly targets: Targets;
  readonly rules: RangeRules;
  readonly isEnforced: boolean;
  readonly queueLength: number;
  readonly timers: Timers;
  /** Told of every request that is refused or would have been. */
  readonly onRefused: (demand: Demand, limit: Limit, kind: RefusalKind) => void;
}

/** Counts what one account does, and refuses what the service would refuse. */
export class AccountCapacity implements Meter {
  readonly load = new LoadWindow();
  readonly refusals = newRefusals();
  readonly bucket: TokenBucket;
  readonly hot: HotPartitions;
  /** Entity units since the account was first asked for. */
  units = 0;
  /** Pages that ended, or would have ended, because a budget was spent. */
  pagesCut = 0;
  readonly #options: AccountCapacityOptions;
  readonly #timers: Timers;
  readonly #tables = new Map<string, TableCapacity>();
  readonly #partitions: PartitionBuckets;
  readonly #line: WaitingLine;

  constructor(options: AccountCapacityOptions) {
    const { targets, timers, queueLength } = options;
    const nowUs = timers.nowUs();
    this.#options = options;
    this.#timers = timers;
    this.bucket = new TokenBucket(targets.account, nowUs);
    this.hot = new HotPartitions(nowUs);
    this.#partitions = new PartitionBuckets({ unitsPerSecond: targets.partition, bucketsMax });
    this.#line = new WaitingLine(queueLength, timers);
  }

  get tables(): Iterable<TableCapacity> {
    return this.#tables.values();
  }

  get waiting(): number {
    return this.#line.length;
  }

  admit(demand: Demand): Throttled | undefined | Promise<Throttled | undefined> {
    const nowUs = this.#timers.nowUs();
    const place = this.#placeOf(demand, nowUs);
    this.#countDemand(demand, place, nowUs);
    if (!this.#options.isEnforced) {
      const obstacle = this.#begin(demand, place, { closed: nobody, nowUs });
      if (!obstacle) return undefined;
      demand.isSpared = true;
      this.#noteRefusal(demand, place, { limit: obstacle.limit, kind: 'spared' });
      return undefined;
    }
    const attempt: Attempt = (closed, now) => this.#beginAgain(demand, place, { closed, nowUs: now });
    const outcome = this.#line.enter(attempt, demand.waitMsMax);
    return outcome instanceof Promise
      ? outcome.then((throttled) => this.#noteOutcome(demand, place, throttled))
      : this.#noteOutcome(demand, place, outcome);
  }

  charge(demand: Demand, units: number): void {
    if (units <= 0 || demand.table === undefined) return;
    const { partitionKey } = demand;
    this.#chargeUsage(demand, demand.table, { partitionKey, units, partitions: [{ partitionKey, units }] });
  }

  visits(demand: Demand): ChargeVisit | undefined {
    const { table, isPinned, partitionKey } = demand;
    if (table === undefined) return undefined;
    let admitted = demand.units;
    let isCut = false;
    return ({ units, partitions, ...visit }) => {
      // What was admitted is paid.
      const due = { ...visit, units: Math.max(0, units - admitted), partitions: isPinned ? [] : partitions };
      admitted = Math.max(0, admitted - units);
      if (isPinned) due.partitions = [{ partitionKey, units: due.units }];
      const mayGoOn = this.#chargeUsage(demand, table, due);
      if (!(mayGoOn || isCut)) {
        isCut = true;
        this.pagesCut++;
      }
      return mayGoOn || !this.#options.isEnforced;
    };
  }

  rangeEnd(table: string, partitionKey: string): string | undefined {
    return this.#tableOf(table).ranges.endOf(partitionKey, this.#timers.nowUs());
  }

  forgetTable(table: string): void {
    this.#tables.delete(table.toLowerCase());
  }

  isIdle(nowUs: number): boolean {
    return this.#line.length === 0 && this.bucket.isFull(nowUs) && this.load.perSecond(nowUs) === 0;
  }

  close(): void {
    this.#line.close();
  }

  #tableOf(name: string): TableCapacity {
    const lookupName = name.toLowerCase();
    const known = this.#tables.get(lookupName);
    if (known) return known;
    const nowUs = this.#timers.nowUs();
    const isIdle = ({ load }: TableCapacity): boolean => load.perSecond(nowUs) === 0;
    if (this.#tables.size >= tablesMax) forgetOne(this.#tables, { isIdle, lookedAt });
    const table = newTableCapacity(ownText(name), this.#options.rules, nowUs);
    this.#tables.set(ownText(lookupName), table);
    return table;
  }

  #placeOf({ table: name, partitionKey, isPinned }: Demand, nowUs: number): Place | undefined {
    if (name === undefined) return undefined;
    const table = this.#tableOf(name);
    const range = table.ranges.of(partitionKey, nowUs);
    const partition = isPinned ? this.#partitions.of(partitionName(table.name, partitionKey), nowUs) : undefined;
    return { table, range, partition, hitter: undefined };
  }

  /** Loads are what is asked for, refused or not. */
  #countDemand({ partitionKey, units, isWrite }: Demand, place: Place | undefined, nowUs: number): void {
    this.load.add(units, nowUs);
    this.units += units;
    if (!place) return;
    const { table, range, partition } = place;
    table.units += units;
    table.load.add(units, nowUs);
    range.count(partitionKey, units, nowUs);
    if (isWrite) table.keys.note(partitionKey);
    if (partition !== undefined) place.hitter = this.hot.addTo(partition, units, nowUs);
  }

  /** For one that has waited: its range may be another by now, and so may its partition's bucket. */
  #beginAgain(demand: Demand, place: Place | undefined, turn: Turn): Obstacle | undefined {
    if (place) {
      place.range = place.table.ranges.of(demand.partitionKey, turn.nowUs);
      place.partition &&= this.#partitions.of(place.partition.name, turn.nowUs);
    }
    return this.#begin(demand, place, turn);
  }

  /** Takes what a request needs from every level, or nothing and says what is in its way. */
  #begin({ units }: Demand, place: Place | undefined, turn: Turn): Obstacle | undefined {
    const { nowUs } = turn;
    const account = obstacleAt(this.bucket, 'account', units, turn);
    if (account || !place) {
      if (!account) this.bucket.take(units, nowUs);
      return account;
    }
    const { range, partition } = place;
    if (nowUs < range.movesUntilUs) return { limit: 'moving', scope: range.bucket, untilUs: range.movesUntilUs };
    const obstacle =
      obstacleAt(range.bucket, 'range', units, turn) ?? (partition && obstacleAt(partition, 'partition', units, turn));
    if (obstacle) return obstacle;
    this.bucket.take(units, nowUs);
    range.bucket.take(units, nowUs);
    partition?.take(units, nowUs);
    return undefined;
  }

  /** Whether more may be done. What only would have been refused takes nothing: it would not have been done. */
  #chargeUsage(demand: Demand, name: string, { partitionKey, units, partitions }: Usage): boolean {
    const nowUs = this.#timers.nowUs();
    const table = this.#tableOf(name);
    this.load.add(units, nowUs);
    this.units += units;
    table.units += units;
    table.load.add(units, nowUs);
    const range = table.ranges.of(partitionKey, nowUs);
    range.count(partitionKey, units, nowUs);
    const visited = partitions.map((part) => ({
      name: partitionName(table.name, part.partitionKey),
      units: part.units,
    }));
    for (const partition of visited) this.hot.add(partition.name, partition.units, nowUs);
    if (demand.isSpared) return true;
    // Partitions are asked for one after the other: to ask for one may forget another that is still full.
    const isLeft = (): boolean =>
      this.bucket.unitsAt(nowUs) > 0 &&
      range.bucket.unitsAt(nowUs) > 0 &&
      visited.every(({ name: partition }) => this.#partitions.of(partition, nowUs).unitsAt(nowUs) > 0);
    if (!this.#options.isEnforced && !isLeft()) return false;
    this.bucket.take(units, nowUs);
    range.bucket.take(units, nowUs);
    for (const partition of visited) this.#partitions.of(partition.name, nowUs).take(partition.units, nowUs);
    return isLeft();
  }

  #noteOutcome(demand: Demand, place: Place | undefined, throttled: Throttled | undefined): Throttled | undefined {
    if (throttled) this.#noteRefusal(demand, place, throttled);
    return throttled;
  }

  #noteRefusal(demand: Demand, place: Place | undefined, { limit, kind }: { limit: Limit; kind: RefusalKind }): void {
    this.refusals[limit][kind]++;
    if (place && limit !== 'account') {
      place.range.refused++;
      if (place.hitter) place.hitter.refused++;
    }
    this.#options.onRefused(demand, limit, kind);
  }
}

/** What a demand goes to, looked up once. */
interface Place {
  readonly table: TableCapacity;
  range: RangePartition;
  /** The one partition. */
  partition: PartitionBucket | undefined;
  /** Where the load of that partition is counted. */
  hitter: HeavyHitter | undefined;
}

interface Turn {
  readonly closed: ReadonlySet<unknown>;
  readonly nowUs: number;
}

const nobody: ReadonlySet<unknown> = new Set();

function obstacleAt(bucket: TokenBucket, limit: Limit, units: number, { closed, nowUs }: Turn): Obstacle | undefined {
  // Whoever waits in front is looked at first, so that this one need not be.
  if (closed.has(bucket)) return { limit, scope: bucket, untilUs: Number.POSITIVE_INFINITY };
  if (bucket.has(units, nowUs)) return undefined;
  return { limit, scope: bucket, untilUs: bucket.readyAtUs(units) };
}

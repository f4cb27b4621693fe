import { ownText } from '../model/own-text.ts';
import type { Targets } from './capacity-settings.ts';
import type { CapacityTotals } from './capacity-totals.ts';
import { forgetOne } from './forget-one.ts';
import type { HeavyHitter } from './heavy-hitters.ts';
import { HotPartitions } from './hot-partitions.ts';
import { LoadWindow } from './load-window.ts';
import type { ChargeVisit, Demand, Meter, Usage, UsagePart } from './meter.ts';
import { PartitionBucket, PartitionBuckets } from './partition-buckets.ts';
import { partitionName, readPartitionName } from './partition-name.ts';
import type { RangePartition, RangeRules } from './range-partition.ts';
import type { RefusalEvent } from './refusal-journal.ts';
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
  /** Of all accounts. */
  readonly totals: CapacityTotals;
  /** Told of every request that is refused or would have been. */
  readonly onRefused: (refusal: Omit<RefusalEvent, 'account'>) => void;
  /** Told of every page that ends, or would have ended, because a budget was spent. */
  readonly onPageCut: () => void;
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
    const outcome = this.#line.enter(attempt, demand);
    return outcome instanceof Promise
      ? outcome.then((throttled) => this.#noteOutcome(demand, place, throttled))
      : this.#noteOutcome(demand, place, outcome);
  }

  charge(demand: Demand, units: number): void {
    if (units <= 0 || demand.table === undefined) return;
    const { partitionKey } = demand;
    this.#chargeUsage(demand, { units, parts: [{ partitionKey, units, partitionUnits: units }] }, false);
  }

  visits(demand: Demand): ChargeVisit | undefined {
    const { isPinned, partitionKey } = demand;
    if (demand.table === undefined) return undefined;
    let [admitted, isFirst, isCut] = [demand.units, true, false];
    return ({ units, parts }) => {
      // What was admitted is paid.
      const paid = Math.min(admitted, units);
      admitted -= paid;
      const due = units - paid;
      const dueParts = isPinned ? [{ partitionKey, units: due, partitionUnits: due }] : withoutPaid(parts, paid);
      if (isFirst && isFromStart(demand)) this.#noteBeginning(demand, parts);
      const mayGoOn = this.#chargeUsage(demand, { units: due, parts: dueParts }, isFirst);
      isFirst = false;
      if (!(mayGoOn || isCut)) {
        isCut = true;
        this.#noteCutPage();
      }
      return mayGoOn || !this.#options.isEnforced;
    };
  }

  rangeEnd(table: string, partitionKey: string): string | undefined {
    return this.#tableOf(table).ranges.endOf(partitionKey, this.#timers.nowUs());
  }

  forgetAbsentTable(table: string): void {
    this.#tables.delete(table.toLowerCase());
  }

  forgetTable(table: string): void {
    this.forgetAbsentTable(table);
    this.#partitions.forgetTable(table);
    this.hot.forgetTable(table);
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

  #placeOf(demand: Demand, nowUs: number): Place | undefined {
    const { table: name, partitionKey, isPinned } = demand;
    if (name === undefined) return undefined;
    const table = this.#tableOf(name);
    const range = table.ranges.of(partitionKey, nowUs);
    if (isPinned) {
      const partition = this.#partitions.of(partitionName(table.name, partitionKey), nowUs);
      return { table, range, partition, first: partition, hitter: undefined };
    }
    const firstKey = isFromStart(demand) ? table.scansBeginWith : partitionKey;
    const first = firstKey === undefined ? undefined : this.#partitions.find(partitionName(table.name, firstKey));
    return { table, range, partition: undefined, first, hitter: first?.hitter };
  }

  /** Loads are what is asked for, refused or not. */
  #countDemand({ partitionKey, units, isWrite }: Demand, place: Place | undefined, nowUs: number): void {
    this.#countUnits(units, nowUs);
    if (!place) return;
    const { table, range, partition } = place;
    table.units += units;
    table.load.add(units, nowUs);
    range.count(partitionKey, units, nowUs);
    if (isWrite) table.keys.note(partitionKey);
    if (partition !== undefined) place.hitter = this.hot.addTo(partition, units, nowUs);
  }

  #countUnits(units: number, nowUs: number): void {
    this.load.add(units, nowUs);
    this.units += units;
    this.#options.totals.units += units;
  }

  /** For one that has waited: its range may be another by now, and so may its partition's bucket. */
  #beginAgain(demand: Demand, place: Place | undefined, turn: Turn): Obstacle | undefined {
    if (place) {
      place.range = place.table.ranges.of(demand.partitionKey, turn.nowUs);
      place.partition &&= this.#partitions.of(place.partition.name, turn.nowUs);
      place.first = place.partition ?? (place.first && this.#partitions.find(place.first.name));
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
    const { range, partition, first } = place;
    if (nowUs < range.movesUntilUs) return { limit: 'moving', scope: range.bucket, untilUs: range.movesUntilUs };
    const obstacle =
      obstacleAt(range.bucket, 'range', units, turn) ?? (first && obstacleAt(first, 'partition', units, turn));
    if (obstacle) return obstacle;
    this.bucket.take(units, nowUs);
    range.bucket.take(units, nowUs);
    partition?.take(units, nowUs);
    return undefined;
  }

  /** Whether more may be done. What only would have been refused takes nothing: it would not have been done. */
  #chargeUsage(demand: Demand, { units, parts }: Usage, isBeginning: boolean): boolean {
    const nowUs = this.#timers.nowUs();
    const table = this.#tableOf(demand.table ?? '');
    this.#countUnits(units, nowUs);
    table.units += units;
    table.load.add(units, nowUs);
    const charges = this.#countParts(table, parts, nowUs);
    if (demand.isSpared) return true;
    // Partitions are asked for one after the other: to ask for one may forget another that is still full.
    const current = ({ bucket }: Charge): TokenBucket =>
      bucket instanceof PartitionBucket ? this.#partitions.of(bucket.name, nowUs) : bucket;
    const isLeft = (): boolean =>
      this.bucket.unitsAt(nowUs) > 0 && charges.every((charge) => current(charge).unitsAt(nowUs) > 0);
    if (!this.#options.isEnforced && !isLeft()) return false;
    this.bucket.take(units, nowUs);
    for (const charge of charges) {
      const bucket = current(charge);
      // A page ends where something is owed already: it adds to that only where it was admitted.
      const isAdmitted = demand.isPinned || (isBeginning && charge.isFirst);
      if (isAdmitted || bucket.unitsAt(nowUs) > 0) bucket.take(charge.units, nowUs);
    }
    return isLeft();
  }

  /** Counts the load of ranges and partitions, and gives what is to be taken from which bucket. */
  #countParts(table: TableCapacity, parts: readonly UsagePart[], nowUs: number): Charge[] {
    const ranges: Charge[] = [];
    const partitions: Charge[] = [];
    for (const [at, { partitionKey, units, partitionUnits }] of parts.entries()) {
      const range = table.ranges.of(partitionKey, nowUs);
      range.count(partitionKey, units, nowUs);
      const last = ranges.at(-1);
      if (last?.bucket === range.bucket) last.units += units;
      else ranges.push({ bucket: range.bucket, units, isFirst: at === 0 });
      // Of one partition alone, even what is paid already says where the page is.
      if (partitionUnits === 0 && parts.length > 1) continue;
      const bucket = this.#partitions.of(partitionName(table.name, partitionKey), nowUs);
      this.hot.addTo(bucket, partitionUnits, nowUs);
      partitions.push({ bucket, units: partitionUnits, isFirst: at === 0 });
    }
    return [...ranges, ...partitions];
  }

  #noteBeginning({ table = '' }: Demand, [first]: readonly UsagePart[]): void {
    const capacity = this.#tableOf(table);
    if (first && capacity.scansBeginWith !== first.partitionKey) capacity.scansBeginWith = ownText(first.partitionKey);
  }

  #noteCutPage(): void {
    this.pagesCut++;
    this.#options.totals.pagesCut++;
    this.#options.onPageCut();
  }

  #noteOutcome(demand: Demand, place: Place | undefined, throttled: Throttled | undefined): Throttled | undefined {
    if (throttled) this.#noteRefusal(demand, place, throttled);
    return throttled;
  }

  #noteRefusal(demand: Demand, place: Place | undefined, { limit, kind }: { limit: Limit; kind: RefusalKind }): void {
    this.refusals[limit][kind]++;
    this.#options.totals.refusals[limit][kind]++;
    if (!place || limit === 'account') {
      this.#options.onRefused({ limit, kind });
      return;
    }
    const nowUs = this.#timers.nowUs();
    const { table, range, first, hitter } = place;
    range.refused.add(1, nowUs);
    // Light partitions that are refused with their account or range are too many, and not what is in the way.
    if (hitter && (limit === 'partition' || hitter.load)) {
      hitter.refused ??= new LoadWindow();
      hitter.refused.add(1, nowUs);
    }
    if (limit !== 'partition') this.#options.onRefused({ limit, kind, table: table.name, rangeFrom: range.from });
    else {
      const partitionKey = first ? readPartitionName(first.name).partitionKey : demand.partitionKey;
      this.#options.onRefused({ limit, kind, table: table.name, partitionKey });
    }
  }
}

/** What is to be taken from a bucket. */
interface Charge {
  readonly bucket: TokenBucket;
  units: number;
  /** Whether the stretch begins there. */
  readonly isFirst: boolean;
}

/** Whether a page begins with whatever comes first in its table. */
const isFromStart = ({ isPinned, partitionKey }: Demand): boolean => !isPinned && partitionKey === '';

/** Parts that are not empty hold at least a unit each, and no page is admitted with more. */
function withoutPaid([first, ...others]: readonly UsagePart[], paid: number): UsagePart[] {
  return first ? [{ ...first, units: first.units - paid }, ...others] : [];
}

/** What a demand goes to, looked up once. */
interface Place {
  readonly table: TableCapacity;
  range: RangePartition;
  /** The one partition. */
  partition: PartitionBucket | undefined;
  /** Where it begins, as far as that is known and has used anything. */
  first: PartitionBucket | undefined;
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

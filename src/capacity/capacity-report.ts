import type { CapacityLimit } from '../model/capacity-use.ts';
import type { KeyPattern } from '../model/key-pattern.ts';
import type { AccountCapacity } from './account-capacity.ts';
import type { TableUsage } from './account-usage.ts';
import type { Targets, ThrottleMode } from './capacity-settings.ts';
import type { RefusalCounts, RefusalSecond, RefusalsByLimit } from './refusal-journal.ts';
import type { PartitionLoad } from './token-buckets.ts';

/** The state of the model. Loads are entity units (1 KiB) a second, on average over the last ten seconds. */
export interface CapacityReport {
  readonly throttle: ThrottleMode;
  readonly scale: number;
  /** Units a second, scaled. */
  readonly targets: Targets;
  readonly queueLength: number;
  /** A request that would have to wait longer is refused immediately. */
  readonly waitMsMax: number;
  /** The busiest first. */
  readonly accounts: readonly AccountReport[];
  /** Number of accounts that are not listed. */
  readonly accountsLeftOut: number;
  /** The seconds in which requests were refused, or would have been; the newest first. */
  readonly recentRefusals: readonly RefusalSecond[];
}

export interface AccountReport {
  readonly account: string;
  /** Since the account was first used. */
  readonly units: number;
  readonly unitsPerSecond: number;
  /** `unitsPerSecond` at each whole second of the last two minutes, the oldest first. */
  readonly history: readonly number[];
  /** Units that may be used now; negative if units are owed. */
  readonly budget: number;
  /** Requests that wait for capacity. */
  readonly waiting: number;
  /** Pages of queries that ended, or would have ended, because a budget was spent. */
  readonly pagesCut: number;
  readonly refusals: Readonly<Record<CapacityLimit, Readonly<RefusalCounts>>>;
  /** The busiest first. */
  readonly tables: readonly TableReport[];
  /** Number of tables that are not listed. */
  readonly tablesLeftOut: number;
  /** The partitions with the most load, the heaviest first. */
  readonly hotPartitions: readonly HotPartitionReport[];
}

export interface TableReport {
  readonly table: string;
  readonly units: number;
  readonly unitsPerSecond: number;
  /**
   * The advisor's verdict on the order of the table's partition keys. Null if the advisor knows too few keys, or is
   * turned off.
   */
  readonly keyPattern: KeyPattern | null;
  readonly splits: number;
  readonly merges: number;
  /** In key order. */
  readonly ranges: readonly RangeReport[];
}

export interface RangeReport {
  /** First partition key. */
  readonly from: string;
  /** The partition key that begins the next range; null at the end of the table. */
  readonly before: string | null;
  readonly unitsPerSecond: number;
  /** Load as a fraction of its target. */
  readonly ofTarget: number;
  /** The range has just split or merged, and still refuses requests. */
  readonly isMoving: boolean;
  /** The range is hot enough to split, but cannot, because its load comes from one partition. */
  readonly isLone: boolean;
  /** Requests that were refused, or would have been, in the last ten seconds. */
  readonly refused: number;
}

export interface HotPartitionReport extends PartitionLoad {
  /** Load as a fraction of the target of a partition. */
  readonly ofTarget: number;
}

/** The advisor supplies the key pattern: the capacity model itself does not judge key designs. */
export type KeyPatternOf = (account: string, table: string) => KeyPattern | null;

interface ReportTools {
  readonly nowUs: number;
  readonly targets: Targets;
  readonly keyPatternOf: KeyPatternOf;
}

const tablesMax = 100;
const partitionsMax = 20;

export function reportAccount(name: string, account: AccountCapacity, tools: ReportTools): AccountReport {
  const { nowUs, targets, keyPatternOf } = tools;
  const { usage } = account;
  const tables = [...usage.tables].map((table) =>
    reportTable(table, { ...tools, keyPattern: keyPatternOf(name, table.name) }),
  );
  tables.sort((a, b) => b.unitsPerSecond - a.unitsPerSecond);
  return {
    account: name,
    units: usage.units,
    unitsPerSecond: usage.load.perSecond(nowUs),
    history: usage.load.history(nowUs).map((units) => Math.round(units * 10) / 10),
    budget: usage.bucket.unitsAt(nowUs),
    waiting: account.waiting,
    pagesCut: account.pagesCut,
    refusals: reportRefusals(account.refusals),
    tables: tables.slice(0, tablesMax),
    tablesLeftOut: Math.max(0, tables.length - tablesMax),
    hotPartitions: usage
      .heaviestPartitions(partitionsMax, nowUs)
      .map((partition) => ({ ...partition, ofTarget: partition.unitsPerSecond / targets.partition })),
  };
}

function reportRefusals({ account, range, partition, moving }: RefusalsByLimit): AccountReport['refusals'] {
  return { account: { ...account }, range: { ...range }, partition: { ...partition }, moving: { ...moving } };
}

interface TableTools extends ReportTools {
  readonly keyPattern: KeyPattern | null;
}

function reportTable(
  { name, ranges, load, units }: TableUsage,
  { nowUs, targets, keyPattern }: TableTools,
): TableReport {
  const list = ranges.list(nowUs);
  return {
    table: name,
    units,
    unitsPerSecond: load.perSecond(nowUs),
    keyPattern,
    splits: ranges.splits,
    merges: ranges.merges,
    ranges: list.map((range, at) => {
      const unitsPerSecond = range.load.perSecond(nowUs);
      return {
        from: range.from,
        before: list[at + 1]?.from ?? null,
        unitsPerSecond,
        ofTarget: unitsPerSecond / targets.range,
        isMoving: nowUs < range.movesUntilUs,
        isLone: range.isLone,
        refused: range.refused.total(nowUs),
      };
    }),
  };
}

import type { AccountCapacity } from './account-capacity.ts';
import type { Targets, ThrottleMode } from './capacity-settings.ts';
import type { HotPartition } from './hot-partitions.ts';
import type { KeyPattern } from './key-pattern.ts';
import type { RefusalSecond } from './refusal-journal.ts';
import type { RefusalsByLimit } from './refusals.ts';
import type { TableCapacity } from './table-capacity.ts';

/** What the model knows. Loads are entity units (1 KiB) a second on average of the last ten. */
export interface CapacityReport {
  readonly throttle: ThrottleMode;
  readonly scale: number;
  /** Units a second, scaled. */
  readonly targets: Targets;
  readonly queueLength: number;
  /** The busiest first. */
  readonly accounts: readonly AccountReport[];
  /** Accounts beyond those listed. */
  readonly accountsLeftOut: number;
  /** The seconds in which something was refused, or would have been; the newest first. */
  readonly recentRefusals: readonly RefusalSecond[];
}

export interface AccountReport {
  readonly account: string;
  /** Since it was first asked for. */
  readonly units: number;
  readonly unitsPerSecond: number;
  /** Units that may be used at once; below 0 what is owed. */
  readonly budget: number;
  /** Requests that wait for capacity. */
  readonly waiting: number;
  readonly pagesCut: number;
  readonly refusals: RefusalsByLimit;
  /** The busiest first. */
  readonly tables: readonly TableReport[];
  /** Tables beyond those listed. */
  readonly tablesLeftOut: number;
  /** The heaviest first. */
  readonly hotPartitions: readonly HotPartitionReport[];
}

export interface TableReport {
  readonly table: string;
  readonly units: number;
  readonly unitsPerSecond: number;
  /** How the partition keys of its writes come; null while there are too few to tell. */
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
  /** 1 is its target. */
  readonly ofTarget: number;
  /** Not served just now: it has split or merged. */
  readonly isMoving: boolean;
  /** Hot for long, but of one partition, so that it cannot split. */
  readonly isLone: boolean;
  /** Requests refused, or that would have been, in the last ten seconds. */
  readonly refused: number;
}

export interface HotPartitionReport extends HotPartition {
  /** 1 is its target. */
  readonly ofTarget: number;
}

interface ReportTools {
  readonly nowUs: number;
  readonly targets: Targets;
}

const tablesMax = 100;
const partitionsMax = 20;

export function reportAccount(name: string, account: AccountCapacity, tools: ReportTools): AccountReport {
  const { nowUs, targets } = tools;
  const tables = [...account.tables].map((table) => reportTable(table, tools));
  tables.sort((a, b) => b.unitsPerSecond - a.unitsPerSecond);
  return {
    account: name,
    units: account.units,
    unitsPerSecond: account.load.perSecond(nowUs),
    budget: account.bucket.unitsAt(nowUs),
    waiting: account.waiting,
    pagesCut: account.pagesCut,
    refusals: structuredClone(account.refusals),
    tables: tables.slice(0, tablesMax),
    tablesLeftOut: Math.max(0, tables.length - tablesMax),
    hotPartitions: account.hot
      .top(partitionsMax, nowUs)
      .map((partition) => ({ ...partition, ofTarget: partition.unitsPerSecond / targets.partition })),
  };
}

function reportTable({ name, ranges, keys, load, units }: TableCapacity, { nowUs, targets }: ReportTools): TableReport {
  const list = ranges.list(nowUs);
  return {
    table: name,
    units,
    unitsPerSecond: load.perSecond(nowUs),
    keyPattern: keys.pattern() ?? null,
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

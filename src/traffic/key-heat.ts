// Records which keys of which tables were used in the last half hour, for the heat map. Counts all requests that touch
// entities, even while no heat map is open, so that the map also shows earlier requests. The memory is limited.
// docs/console.md says what the counting costs.

import { copyString } from '../model/copy-string.ts';
import type { EntityKey } from '../model/entity.ts';
import { successorOf } from '../model/key-range.ts';
import { isStaged, type RequestRecord } from '../model/request-record.ts';
import type { MachineTime } from '../model/time.ts';
import { HeatColumn, type Load } from './heat-column.ts';

/** The duration of a column. */
export const columnMs = 5_000;
/** The number of columns kept: half an hour. */
export const columnsMax = 360;
/** The most tables kept. Beyond that, the least recently used table is dropped. */
const tablesMax = 256;
/**
 * The maximum number of clusters in all columns of all tables together. Beyond this number, the oldest columns are
 * dropped, so that the memory stays limited.
 */
const clustersMax = 60_000;

export interface KeyHeatOptions {
  readonly time: Pick<MachineTime, 'monotonicMs'>;
  /**
   * Returns the first key after the range that contains `partitionKey`, or undefined for the last range. Called only
   * when a column begins.
   */
  readonly rangeEnd: (account: string, table: string, partitionKey: string) => string | undefined;
}

export interface TableHeat {
  /** The table's name as the first request wrote it. */
  readonly table: string;
  /** In order of time. A time in which nothing happened has no column. */
  readonly columns: readonly HeatColumn[];
}

interface KeptTable {
  readonly account: string;
  readonly table: string;
  readonly columns: HeatColumn[];
  newest: HeatColumn | undefined;
}

export class KeyHeat {
  readonly #options: KeyHeatOptions;
  /** Tables by account and lower-case name, in the order in which their newest columns began. */
  readonly #tables = new Map<string, KeptTable>();
  /** The table of the last request: the next request probably uses the same table. */
  #latest: KeptTable | undefined;
  #clusters = 0;

  constructor(options: KeyHeatOptions) {
    this.#options = options;
  }

  /** Counts a request that was answered, if it touched entities. */
  count(record: RequestRecord): void {
    if (isStaged(record)) return;
    const { capacity, refusal, visitedRange } = record;
    // Skip unauthenticated requests and missing tables.
    if (capacity === undefined || refusal?.code === 'TableNotFound') return;
    const place = record.partitionKey === undefined && record.batchSize > 0 ? placeOfBatch(record) : record;
    const { table, partitionKey } = place;
    if (table === undefined || (partitionKey === undefined && visitedRange === undefined)) return;
    const column = this.#columnOf(record.account, table, record.startedMs + record.durationMs);
    const load = loadOf(record);
    if (partitionKey !== undefined) {
      column.add(partitionKey, load);
      return;
    }
    const { from, before } = visitedRange ?? {};
    const first = from?.partitionKey ?? '';
    if (before !== undefined && isOf(first, before)) column.add(first, load);
    else column.addSweep(first, endOf(before), load);
  }

  /** The number of the current column. */
  now(): number {
    return Math.floor(this.#options.time.monotonicMs() / columnMs);
  }

  /** Tables of an account that were used since the column `since`. */
  tables(account: string, since: number): readonly TableHeat[] {
    return [...this.#tables.values()]
      .filter((table) => table.account === account && (table.newest?.at ?? -1) >= since)
      .map(({ table, columns }) => ({ table, columns: columns.filter(({ at }) => at >= since) }));
  }

  /** Forgets an account, or one of its tables. */
  forget(account: string, table?: string): void {
    const only = table === undefined ? undefined : nameOf(account, table);
    for (const [name, kept] of this.#tables) {
      if (kept.account === account && (only === undefined || name === only)) this.#drop(name, kept);
    }
  }

  #columnOf(account: string, table: string, ms: number): HeatColumn {
    const latest = this.#latest;
    const kept =
      latest !== undefined && latest.table === table && latest.account === account
        ? latest
        : this.#tableOf(account, table);
    const at = Math.floor(ms / columnMs);
    // A request that ended before the newest column began is counted in the newest column.
    if (kept.newest === undefined || at > kept.newest.at) this.#begin(kept, at);
    this.#latest = kept;
    return kept.newest as HeatColumn;
  }

  #tableOf(account: string, table: string): KeptTable {
    const name = nameOf(account, table);
    const known = this.#tables.get(name);
    if (known) return known;
    const [[oldestName, oldest] = []] = this.#tables;
    if (oldest && this.#tables.size >= tablesMax) this.#drop(oldestName as string, oldest);
    const kept: KeptTable = { account: copyString(account), table: copyString(table), columns: [], newest: undefined };
    this.#tables.set(copyString(name), kept);
    return kept;
  }

  #begin(kept: KeptTable, at: number): void {
    const { account, table, columns, newest } = kept;
    // The newest column still grows, so its clusters are counted only when the next column begins.
    if (newest) this.#clusters += newest.clusters.length;
    const starts = this.#rangeStarts(account, table);
    const isSame = newest && JSON.stringify(newest.rangeStarts) === JSON.stringify(starts);
    kept.newest = new HeatColumn(at, isSame ? newest.rangeStarts : starts);
    columns.push(kept.newest);
    while ((columns[0] as HeatColumn).at <= at - columnsMax) this.#dropColumn(kept);
    while (this.#clusters > clustersMax && this.#dropOldestColumn());
    const name = nameOf(account, table);
    this.#tables.delete(name);
    this.#tables.set(name, kept);
  }

  #rangeStarts(account: string, table: string): readonly string[] {
    const starts: string[] = [];
    const { rangeEnd } = this.#options;
    for (let end = rangeEnd(account, table, ''); end !== undefined; end = rangeEnd(account, table, end)) {
      starts.push(end);
    }
    return starts;
  }

  #dropColumn({ columns }: KeptTable): void {
    this.#clusters -= columns.shift()?.clusters.length ?? 0;
  }

  /** Drops the oldest column, but not the newest column of a table. Returns whether there was such a column. */
  #dropOldestColumn(): boolean {
    let oldest: KeptTable | undefined;
    for (const kept of this.#tables.values()) {
      if (kept.columns.length < 2) continue;
      if (!oldest || (kept.columns[0]?.at ?? 0) < (oldest.columns[0]?.at ?? 0)) oldest = kept;
    }
    if (oldest) this.#dropColumn(oldest);
    return oldest !== undefined;
  }

  #drop(name: string, { columns }: KeptTable): void {
    for (const { clusters } of columns.slice(0, -1)) this.#clusters -= clusters.length;
    this.#tables.delete(name);
    this.#latest = undefined;
  }
}

const nameOf = (account: string, table: string): string => `${account}/${table.toLowerCase()}`;

function loadOf({ capacity, status }: RequestRecord): Load {
  return {
    units: capacity?.units ?? 0,
    requests: 1,
    refusals: status >= 400 ? 1 : 0,
    wouldThrottle: status < 400 && capacity?.outcome === 'wouldThrottle' ? 1 : 0,
  };
}

/** A batch concerns one partition of one table, unless it is refused. */
function placeOfBatch({ members }: RequestRecord): Pick<RequestRecord, 'table' | 'partitionKey'> {
  const { table, partitionKey } = members[0] ?? {};
  return { table, partitionKey };
}

/** Whether a range that begins in a partition contains no key of another partition. */
const isOf = (partitionKey: string, before: EntityKey): boolean =>
  before.partitionKey === partitionKey || (before.rowKey === '' && before.partitionKey === successorOf(partitionKey));

/** The first partition key after a range. The last partition of the range may be only partly in the range. */
function endOf(before: EntityKey | undefined): string | undefined {
  if (before === undefined || before.rowKey === '') return before?.partitionKey;
  return successorOf(before.partitionKey);
}

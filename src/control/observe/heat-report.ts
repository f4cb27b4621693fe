import { addLoad, type HeatColumn, type Load, noLoad } from '../../traffic/heat-column.ts';
import { columnMs, type KeyHeat, type TableHeat } from '../../traffic/key-heat.ts';
import { cellsOf, chooseRows, type HeatRow, heatRowOf } from './heat-rows.ts';
import type { HeatSign } from './heat-signs.ts';

/** Where and when the keys of a table were used. */
export interface HeatReport {
  readonly account: string;
  /** Null if no table was used. */
  readonly table: string | null;
  /** Tables of the account that were used, the busiest first. */
  readonly tables: readonly UsedTable[];
  /** Length of a column in milliseconds. */
  readonly columnMs: number;
  /** Number of columns; the last one is still being filled. */
  readonly columns: number;
  /** Ranges of partition keys, in key order. */
  readonly rows: readonly HeatRow[];
  /**
   * Each cell gives its column, its row, entity units, requests, refusals, and requests that production would have
   * refused. The values of cells that are missing here are zero.
   */
  readonly cells: readonly HeatCellText[];
  /**
   * Boundaries between ranges of partition keys. In the service, each range would be served by a single server. Ranges
   * split and merge over time.
   */
  readonly boundaries: readonly RangeBoundary[];
  /** What the advisor found; empty without the advisor. */
  readonly signs: readonly HeatSign[];
}

export interface UsedTable extends Readonly<Load> {
  readonly table: string;
}

type HeatCellText = readonly [
  column: number,
  row: number,
  units: number,
  requests: number,
  refusals: number,
  wouldThrottle: number,
];

/** A boundary between two ranges, above a row. */
export interface RangeBoundary {
  readonly partitionKey: string;
  readonly row: number;
  readonly fromColumn: number;
  /** The first column without the boundary. If it still exists, the number of columns. */
  readonly beforeColumn: number;
}

export interface HeatQuestion {
  readonly account: string;
  /** Undefined for the busiest table. */
  readonly table: string | undefined;
  readonly minutes: number;
}

const tablesMax = 100;

export function reportHeat(heat: KeyHeat, { account, table, minutes }: HeatQuestion): Omit<HeatReport, 'signs'> {
  const columns = Math.ceil((minutes * 60_000) / columnMs);
  const first = heat.now() - columns + 1;
  const used = heat.tables(account, first);
  const tables = used.map(loadOf).sort((a, b) => b.requests - a.requests);
  const name = table ?? tables[0]?.table;
  const chosen = used.find((one) => one.table.toLowerCase() === name?.toLowerCase());
  const list = chosen?.columns ?? [];
  const rows = chooseRows(list);
  return {
    account,
    table: chosen?.table ?? name ?? null,
    tables: tables.slice(0, tablesMax),
    columnMs,
    columns,
    rows,
    cells: list.flatMap((column) =>
      cellsOf(column, rows).map(
        ({ row, units, requests, refusals, wouldThrottle }): HeatCellText => [
          column.at - first,
          row,
          rounded(units),
          rounded(requests),
          rounded(refusals),
          rounded(wouldThrottle),
        ],
      ),
    ),
    boundaries: boundariesOf(list, { rows, first, columns }),
  };
}

function loadOf({ table, columns }: TableHeat): UsedTable {
  const sum = noLoad();
  for (const { clusters, sweeps } of columns) for (const load of [...clusters, ...sweeps]) addLoad(sum, load);
  return { table, ...sum };
}

interface Frame {
  readonly rows: readonly HeatRow[];
  /** Number of the first column. */
  readonly first: number;
  readonly columns: number;
}

function boundariesOf(list: readonly HeatColumn[], { rows, first, columns }: Frame): readonly RangeBoundary[] {
  const open = new Map<string, number>();
  const boundaries: RangeBoundary[] = [];
  const close = (partitionKey: string, beforeColumn: number): void => {
    const fromColumn = open.get(partitionKey) ?? 0;
    open.delete(partitionKey);
    boundaries.push({ partitionKey, row: rowAt(partitionKey, rows), fromColumn, beforeColumn });
  };
  for (const { at, rangeStarts } of list) {
    const now = new Set(rangeStarts);
    for (const key of [...open.keys()]) if (!now.has(key)) close(key, at - first);
    for (const key of now) if (!open.has(key)) open.set(key, at - first);
  }
  for (const key of [...open.keys()]) close(key, columns);
  return boundaries;
}

/** The first row that begins at the key or after it. */
function rowAt(key: string, rows: readonly HeatRow[]): number {
  const row = heatRowOf(key, rows);
  return (rows[row]?.from ?? key) < key ? row + 1 : row;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

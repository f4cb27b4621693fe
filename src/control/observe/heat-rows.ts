// Chooses the rows of a heat map, which are ranges of partition keys. The choice depends on the load in the columns: a
// range with more load gets more rows, but no range gets all rows.

import { firstIndex } from '../../model/first-index.ts';
import { addLoad, type HeatColumn, type Load, noLoad } from '../../traffic/heat-column.ts';

/** Maximum number of rows in a map. */
export const heatRowsMax = 96;

/** Partition keys from `from` up to the next row. */
export interface HeatRow {
  readonly from: string;
  /** The last key of the row that was used; `from` for one partition. */
  readonly to: string;
}

/** What happened in one column to one row. */
export interface HeatCell extends Load {
  readonly row: number;
}

/** Chooses the rows, in key order. There is at least one, unless the columns are empty. */
export function chooseRows(columns: readonly HeatColumn[]): readonly HeatRow[] {
  const weights = keyWeights(columns);
  const keys = [...weights.keys()].sort(byCodeUnits);
  if (keys.length <= heatRowsMax) return keys.map((key) => ({ from: key, to: key }));
  // A partition with a hundred times the load of others is ten times as important.
  const importance = keys.map((key) => Math.sqrt(weights.get(key) ?? 0));
  // Any two neighbouring rows together exceed `enough`, so there are at most `heatRowsMax` rows.
  const enough = importance.reduce((sum, one) => sum + one, 0) / (heatRowsMax / 2);
  const rows: { from: string; to: string; importance: number }[] = [];
  for (const [at, key] of keys.entries()) {
    const row = rows.at(-1);
    const own = importance[at] ?? 0;
    if (row && row.importance + own <= enough) {
      row.to = key;
      row.importance += own;
    } else rows.push({ from: key, to: key, importance: own });
  }
  return rows.map(({ from, to }) => ({ from, to }));
}

/**
 * Returns the weight of each key at which a cluster begins or ends. Queries over several partitions are in no cluster.
 * If there were no other requests, returns the weight of each key at which one of these queries begins.
 */
function keyWeights(columns: readonly HeatColumn[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (key: string, weight: number): void => void weights.set(key, (weights.get(key) ?? 0) + weight);
  for (const { clusters } of columns) {
    for (const { first, last, units, requests } of clusters) {
      add(first, (units + requests) / 2);
      add(last, (units + requests) / 2);
    }
  }
  if (weights.size === 0) {
    for (const { sweeps } of columns) for (const { first, requests } of sweeps) add(first, requests);
  }
  return weights;
}

/**
 * Divides the load of a column between rows, and returns the cells in the order of the rows. If a cluster covers
 * several rows, its load is divided evenly between these rows. The sums stay the same.
 */
export function cellsOf({ clusters, sweeps }: HeatColumn, rows: readonly HeatRow[]): readonly HeatCell[] {
  const cells = new Map<number, Load & { readonly row: number }>();
  const spread = (load: Load, first: number, last: number): void => {
    const share = 1 / (last - first + 1);
    for (let row = first; row <= last; row++) {
      const cell = cells.get(row) ?? { row, ...noLoad() };
      cells.set(row, cell);
      addLoad(cell, load, share);
    }
  };
  for (const cluster of clusters) spread(cluster, heatRowOf(cluster.first, rows), heatRowOf(cluster.last, rows));
  for (const sweep of sweeps) {
    const first = heatRowOf(sweep.first, rows);
    spread(sweep, first, sweep.before === undefined ? rows.length - 1 : Math.max(first, rowBefore(sweep.before, rows)));
  }
  return [...cells.values()].sort((a, b) => a.row - b.row);
}

/** The index of the row with a key. Keys before the first row count for the first row. */
export function heatRowOf(key: string, rows: readonly HeatRow[]): number {
  return Math.max(0, firstIndex(rows.length, (at) => (rows[at] as HeatRow).from > key) - 1);
}

/** The index of the last row that begins before a key. */
function rowBefore(key: string, rows: readonly HeatRow[]): number {
  const row = heatRowOf(key, rows);
  return row > 0 && rows[row]?.from === key ? row - 1 : row;
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// The answer of the emulator as a matrix of one measure, and what the page says about its rows.

import type { HeatReport } from '../../../control/observe/heat-report.ts';

export const measures = ['units', 'requests', 'refusals', 'wouldThrottle'] as const;
export type Measure = (typeof measures)[number];

/** The names of the measures within a sentence. */
export const measureNames: Readonly<Record<Measure, string>> = {
  units: 'units',
  requests: 'requests',
  refusals: 'refusals',
  wouldThrottle: 'requests that production would refuse',
};

export type HeatValues = Readonly<Record<Measure, number>>;

export interface HeatMatrix {
  readonly columns: number;
  readonly rows: number;
  /** Row after row; 0 where nothing happened. */
  readonly values: Float64Array;
  readonly max: number;
}

export function matrixOf({ columns, rows, cells }: HeatReport, measure: Measure): HeatMatrix {
  const values = new Float64Array(columns * rows.length);
  let max = 0;
  for (const [column, row, units, requests, refusals, wouldThrottle] of cells) {
    const value = { units, requests, refusals, wouldThrottle }[measure];
    values[row * columns + column] = value;
    max = Math.max(max, value);
  }
  return { columns, rows: rows.length, values, max };
}

/** The larger it is, the more of the brightness range is used for small values. */
const bend = 50;

/** How bright a value is: 0 to 1. Logarithmic, so that small values are visible next to large ones. */
export const brightnessOf = (value: number, max: number): number =>
  value <= 0 || max <= 0 ? 0 : Math.log1p((bend * value) / max) / Math.log1p(bend);

/** The value that has this brightness. */
export const valueAtBrightness = (brightness: number, max: number): number =>
  (Math.expm1(brightness * Math.log1p(bend)) / bend) * max;

/** What happened in one column of one row. */
export function valuesAt({ cells }: HeatReport, place: { readonly column: number; readonly row: number }): HeatValues {
  const cell = cells.find(([column, row]) => column === place.column && row === place.row);
  const [, , units = 0, requests = 0, refusals = 0, wouldThrottle = 0] = cell ?? [];
  return { units, requests, refusals, wouldThrottle };
}

export interface RowLoad extends HeatValues {
  readonly row: number;
  readonly from: string;
  readonly to: string;
  /** The row's share of the chosen measure; 1 is all of it. */
  readonly share: number;
}

/** The rows with the highest sums of a measure, the highest first. */
export function hottestRows(report: HeatReport, measure: Measure, count: number): readonly RowLoad[] {
  const none = { units: 0, requests: 0, refusals: 0, wouldThrottle: 0 };
  const sums = report.rows.map(({ from, to }, row) => ({ row, from, to, ...none }));
  for (const [, row, units, requests, refusals, wouldThrottle] of report.cells) {
    const sum = sums[row];
    if (!sum) continue;
    sum.units += units;
    sum.requests += requests;
    sum.refusals += refusals;
    sum.wouldThrottle += wouldThrottle;
  }
  const total = sums.reduce((all, sum) => all + sum[measure], 0);
  return sums
    .filter((sum) => sum[measure] > 0)
    .sort((a, b) => b[measure] - a[measure])
    .slice(0, count)
    .map((sum) => ({ ...sum, share: sum[measure] / total }));
}

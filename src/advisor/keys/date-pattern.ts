// Formats of dates in keys, such as yyyyMMdd or yyyy-MM-ddTHH. Dates are in UTC. Each unit has a fixed number of
// digits, so all dates of one format have the same width.

import { formatTicksFull, type Ticks } from '../../model/ticks.ts';

export interface DatePattern {
  readonly pieces: readonly DatePiece[];
  /**
   * Whether the dates sort in the order of time. True if the units begin with the year, go from large to small, and
   * leave out no unit in between.
   */
  readonly isRising: boolean;
}

type DatePiece = { readonly unit: Unit } | { readonly text: string };
type Unit = (typeof units)[number];

/** The units from the largest to the smallest, each with its place in `2024-05-01T10:00:01.1234560Z`. */
const places = {
  yyyy: [0, 4],
  MM: [5, 7],
  dd: [8, 10],
  HH: [11, 13],
  mm: [14, 16],
  ss: [17, 19],
  fff: [20, 23],
} as const;
const units = Object.keys(places) as readonly (keyof typeof places)[];
const piece = /yyyy|MM|dd|HH|mm|ss|fff|[-_.:T]/y;

/** Returns undefined for a text that is not a pattern. */
export function parseDatePattern(text: string): DatePattern | undefined {
  const pieces: DatePiece[] = [];
  for (let at = 0; at < text.length; ) {
    piece.lastIndex = at;
    const [found] = piece.exec(text) ?? [];
    if (found === undefined) return undefined;
    const unit = units.find((known) => known === found);
    pieces.push(unit ? { unit } : { text: found });
    at += found.length;
  }
  const used = pieces.flatMap((one) => ('unit' in one ? [one.unit] : []));
  if (used.length === 0 || new Set(used).size < used.length) return undefined;
  return { pieces, isRising: used.every((unit, at) => unit === units[at]) };
}

export function formatDate(ticks: Ticks, { pieces }: DatePattern): string {
  const full = formatTicksFull(ticks);
  return pieces.map((one) => ('unit' in one ? full.slice(...places[one.unit]) : one.text)).join('');
}

// Entities as a table that fits a terminal. Values are safe to print, and shortened if there is no room.

import { type EntityRow, keyNames, valueText } from '../data/entity-text.ts';
import type { EdmValue } from '../model/edm.ts';
import { escapeControls } from '../model/printable-text.ts';
import { clipMiddle, columnsOf } from './columns.ts';

export interface Layout {
  readonly columns: readonly Column[];
  /** Names for which there is no room. */
  readonly hidden: readonly string[];
}

interface Column {
  readonly name: string;
  readonly width: number;
  /** Whether all values are numbers. Numbers are aligned right. */
  readonly isNumeric: boolean;
}

const gap = '  ';
/** Columns are not made narrower than `PartitionKey`; the last ones are hidden instead. */
const widthMin = 12;

/** Names in the order of the columns: keys first, the Timestamp last. */
export function columnNames(rows: readonly EntityRow[], known: readonly string[] = []): string[] {
  const names = new Set<string>(known);
  for (const row of rows) for (const name of row.keys()) names.add(name);
  const first = keyNames.filter((name) => names.delete(name));
  const last = names.delete('Timestamp') ? ['Timestamp'] : [];
  return [...first, ...names, ...last];
}

/** Chooses widths so that a line fits in `columnsMax`. The widest columns are cut first. */
export function layOut(names: readonly string[], rows: readonly EntityRow[], columnsMax: number): Layout {
  const natural = names.map((name) => {
    const values = rows.flatMap((row) => row.get(name) ?? []);
    const width = Math.max(...[cell(name), ...values.map(valueCell)].map((text) => widthOf(text, columnsMax)));
    return { name, width, isNumeric: values.length > 0 && values.every(isNumber) };
  });
  // The first column is always shown, even on a narrow terminal.
  for (let count = names.length; count > 1; count--) {
    const shown = natural.slice(0, count);
    const cap = widthCap(shown, columnsMax);
    if (cap !== undefined) return { columns: capped(shown, cap), hidden: names.slice(count) };
  }
  return { columns: capped(natural.slice(0, 1), columnsMax), hidden: names.slice(1) };
}

const capped = (columns: readonly Column[], cap: number): Column[] =>
  columns.map((column) => ({ ...column, width: Math.min(column.width, cap) }));

/** The largest width to which columns must be cut so that all fit; undefined if it would be too small. */
function widthCap(columns: readonly Column[], columnsMax: number): number | undefined {
  const room = columnsMax - gap.length * (columns.length - 1);
  for (let cap = columnsMax; cap >= widthMin; cap--) {
    if (columns.reduce((sum, { width }) => sum + Math.min(width, cap), 0) <= room) return cap;
  }
  return undefined;
}

export function renderHeader({ columns }: Layout): string {
  const names = columns.map((column) => pad(cell(column.name), column));
  return `${line(names)}${line(columns.map(({ width }) => '-'.repeat(width)))}`;
}

export function renderRow(row: EntityRow, { columns }: Layout): string {
  return line(
    columns.map((column) => {
      const value = row.get(column.name);
      return pad(value === undefined ? '' : valueCell(value), column);
    }),
  );
}

/** One entity, with one property per line. */
export function renderEntityLines(row: EntityRow, columnsMax: number): string {
  const names = [...row.keys()].map((name) => clipMiddle(cell(name), columnsMax >> 1));
  const nameWidth = Math.max(0, ...names.map(columnsOf));
  const typeWidth = 'DateTime'.length;
  const valueWidth = Math.max(widthMin, columnsMax - nameWidth - typeWidth - 2 * gap.length);
  return [...row.values()]
    .map((value, at) => {
      const name = names[at] ?? '';
      const type = value.type.slice('Edm.'.length).padEnd(typeWidth);
      return line([name + ' '.repeat(nameWidth - columnsOf(name)), type, clipMiddle(valueCell(value), valueWidth)]);
    })
    .join('');
}

const line = (cells: readonly string[]): string => `${cells.join(gap).trimEnd()}\n`;

const isNumber = ({ type }: EdmValue): boolean => type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double';

/** An empty text is shown as two quotation marks, to distinguish it from an absent value. */
const valueCell = (value: EdmValue): string => cell(valueText(value)) || "''";

/** A line never shows this many characters of a value. */
const cellCharsMax = 2_000;

/** Makes a text safe to print. Cuts the middle of a long text first, because only its ends can be shown. */
function cell(text: string): string {
  if (text.length <= cellCharsMax) return escapeControls(text);
  const half = cellCharsMax >> 1;
  return `${escapeControls(text.slice(0, half))}…${escapeControls(text.slice(-half))}`;
}

/** The width of a text, at most the width of a line. */
const widthOf = (text: string, columnsMax: number): number => Math.min(columnsOf(text), columnsMax);

function pad(text: string, { width, isNumeric }: Column): string {
  const shown = clipMiddle(text, width);
  const blanks = ' '.repeat(Math.max(0, width - columnsOf(shown)));
  return isNumeric ? blanks + shown : shown + blanks;
}

// Which columns a grid shows, in which order and how wide. The user chooses, and the tab keeps the choice.

import type { EdmType } from '../../client/edm.ts';
import type { PropertyColumn } from './entity-pages.ts';

export interface GridColumn {
  readonly name: string;
  readonly types: ReadonlySet<EdmType>;
  /** In pixels. */
  readonly width: number;
  readonly isShown: boolean;
}

export interface ColumnChoice {
  readonly name: string;
  readonly isShown: boolean;
  readonly width: number;
}

export const widthMin = 60;
export const widthMax = 1200;
/**
 * Maximum number of columns that are shown at first. The dialog offers the other columns. An entity may have 252
 * properties. A table may have even more, if it contains different kinds of entities.
 */
const shownMax = 24;

const keys: readonly PropertyColumn[] = [
  { name: 'PartitionKey', types: new Set(['Edm.String']) },
  { name: 'RowKey', types: new Set(['Edm.String']) },
];
const timestamp: PropertyColumn = { name: 'Timestamp', types: new Set(['Edm.DateTime']) };
const systemNames: ReadonlySet<string> = new Set([...keys, timestamp].map(({ name }) => name));

/** The columns in the chosen order, then those found since. Without a choice, Timestamp is the last column. */
export function gridColumns(seen: readonly PropertyColumn[], choices: readonly ColumnChoice[]): readonly GridColumn[] {
  const known = new Map([...keys, ...seen, timestamp].map((column) => [column.name, column]));
  const chosen = choices.filter(({ name }) => known.has(name));
  const names = [...new Set([...chosen.map(({ name }) => name), ...known.keys()])];
  return names.map((name, at) => {
    const types = known.get(name)?.types ?? new Set<EdmType>();
    const { isShown = at < shownMax || systemNames.has(name), width = widthOf(name, types) } =
      chosen.find((choice) => choice.name === name) ?? {};
    return { name, types, isShown, width };
  });
}

const widths: Readonly<Record<EdmType, number>> = {
  'Edm.String': 180,
  'Edm.Int32': 100,
  'Edm.Int64': 160,
  'Edm.Double': 130,
  'Edm.Boolean': 90,
  'Edm.DateTime': 244,
  'Edm.Guid': 290,
  'Edm.Binary': 180,
};

function widthOf(name: string, types: ReadonlySet<EdmType>): number {
  const values = Math.max(...[...types].map((type) => widths[type]), 90);
  return Math.min(320, Math.max(name === 'PartitionKey' || name === 'RowKey' ? 160 : values, 46 + 8 * name.length));
}

const storageName = (key: string): string => `tanzanite.columns.${key}`;

export function readChoices(key: string): readonly ColumnChoice[] {
  try {
    return JSON.parse(window.sessionStorage.getItem(storageName(key)) ?? '[]') as readonly ColumnChoice[];
  } catch {
    return [];
  }
}

export function keepChoices(key: string, columns: readonly ColumnChoice[]): void {
  const choices = columns.map(({ name, isShown, width }) => ({ name, isShown, width }));
  try {
    window.sessionStorage.setItem(storageName(key), JSON.stringify(choices));
  } catch {
    // The tab's storage is full: the choice is lost when the user leaves the page.
  }
}

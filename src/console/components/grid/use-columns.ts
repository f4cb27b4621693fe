import { useMemo, useState } from 'preact/hooks';
import { type GridColumn, gridColumns, keepChoices, readChoices } from './columns.ts';
import type { PropertyColumn } from './entity-pages.ts';

export interface Columns {
  readonly all: readonly GridColumn[];
  readonly shown: readonly GridColumn[];
  readonly apply: (columns: readonly GridColumn[]) => void;
  readonly resize: (name: string, width: number) => void;
  readonly reset: () => void;
}

/** The columns of a grid. The tab keeps the user's choice under `key`. */
export function useColumns(key: string, seen: readonly PropertyColumn[]): Columns {
  const [choices, setChoices] = useState(() => readChoices(key));
  const all = useMemo(() => gridColumns(seen, choices), [seen, choices]);
  const shown = useMemo(() => all.filter(({ isShown }) => isShown), [all]);
  const apply = (columns: readonly GridColumn[]): void => {
    keepChoices(key, columns);
    setChoices(columns);
  };
  return {
    all,
    shown,
    apply,
    resize: (name, width) => apply(all.map((column) => (column.name === name ? { ...column, width } : column))),
    reset: () => apply([]),
  };
}

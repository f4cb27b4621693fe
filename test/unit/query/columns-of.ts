import { ColumnBuilder } from '../../../src/query/column.ts';
import type { ValueOf } from './naive-filter.ts';

/** Columns with these properties of entities. */
export function columnsOf(names: Iterable<string>, entities: readonly ValueOf[]): Map<string, ColumnBuilder> {
  const columns = new Map<string, ColumnBuilder>();
  for (const name of names) {
    const column = new ColumnBuilder(entities.length);
    for (const [at, read] of entities.entries()) {
      const value = read(name);
      if (value) column.set(at, value);
    }
    columns.set(name, column);
  }
  return columns;
}

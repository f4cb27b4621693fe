// The reader of `$filter`: a text in, a frozen and type-checked tree out, or a refusal in the service's words. The lexer
// and `syntax` find every fault of the text with its place; odata-v4-parser says how short pieces of it hang together;
// `bind` checks types. Knows nothing of HTTP, storage or plans, and no text makes it recurse or run without bound.

import { ServiceError } from '../model/service-error.ts';
import { bindFilter } from './bind.ts';
import type { Filter } from './filter.ts';
import { notImplemented } from './filter-faults.ts';
import { createShapeCache } from './shape.ts';
import { readSyntax } from './syntax.ts';

export interface FilterReader {
  /** Reads a filter over entities; undefined for an empty or blank text. Throws InvalidInput (400), NotImplemented (501). */
  readFilter(text: string): Filter | undefined;
  /**
   * Reads a filter over tables: the only property is TableName, a string. Another one is InternalError (500), anything
   * else that is wrong NotImplemented (501). Evidence: recorded.
   */
  readTableFilter(text: string): Filter | undefined;
}

export interface FilterReaderOptions {
  /** How many shapes of filters are remembered. */
  readonly shapesMax?: number;
}

const entityProperties: ReadonlyMap<string, string> = new Map([
  ['PartitionKey', 'Edm.String'],
  ['RowKey', 'Edm.String'],
  ['Timestamp', 'Edm.DateTime'],
]);
const tableProperties: ReadonlyMap<string, string> = new Map([['TableName', 'Edm.String']]);

export function createFilterReader({ shapesMax = 1000 }: FilterReaderOptions = {}): FilterReader {
  const shapes = createShapeCache(shapesMax);
  const read = (text: string, declared: ReadonlyMap<string, string>): Filter | undefined =>
    text.trim() === '' ? undefined : bindFilter(readSyntax(text), { declared, shapes });
  return {
    readFilter: (text) => read(text, entityProperties),
    readTableFilter(text) {
      const filter = implemented(() => read(text, tableProperties));
      if (filter !== undefined && !isOverTables(filter)) throw new ServiceError('InternalError');
      return filter;
    },
  };
}

function implemented<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ServiceError ? notImplemented() : error;
  }
}

function isOverTables(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.every(isOverTables);
    case 'not':
      return isOverTables(filter.term);
    case 'comparison':
      return tableProperties.has(filter.property);
    case 'property':
      return tableProperties.has(filter.name);
    case 'constant':
      return true;
  }
}

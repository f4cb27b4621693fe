// Reads `$filter`: turns its text into a frozen and type-checked tree, or throws a refusal with the service's message.
// The lexer and the syntax parser find every syntax error with its position. odata-v4-parser groups the terms of `and`
// and of `or` (ADR 0006). The binder checks types. Time and stack depth are bounded for any text. This module knows
// nothing about HTTP, storage or plans.

import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { tableLookup } from '../model/table-name.ts';
import { bindFilter } from './bind.ts';
import type { Filter } from './filter.ts';
import { notImplemented } from './filter-faults.ts';
import { filterHints } from './filter-hint.ts';
import { parseSyntax } from './syntax.ts';
import { createTermTreeReader } from './term-tree.ts';

export interface FilterReader {
  /**
   * Reads a filter over entities. Returns undefined for an empty or blank text. Throws InvalidInput (400) or
   * NotImplemented (501).
   */
  readFilter(text: string): Filter | undefined;
  /**
   * Reads a filter over tables. The only property of a table is TableName, a string. Returns undefined for an empty or
   * blank text. The literals of the filter become lookup names (`tableLookup`), because the service ignores the case of
   * table names. Throws InternalError (500) for another property, and NotImplemented (501) for any other fault.
   * Evidence: recorded; sdk (azure-storage-net, ListTablesWithPrefixExtended: ranges ignore case); assumed (`eq` and
   * `ne` also ignore case).
   */
  readTableFilter(text: string): Filter | undefined;
}

const entityProperties: ReadonlyMap<string, string> = new Map([
  ['PartitionKey', 'Edm.String'],
  ['RowKey', 'Edm.String'],
  ['Timestamp', 'Edm.DateTime'],
]);
const tableProperties: ReadonlyMap<string, string> = new Map([['TableName', 'Edm.String']]);

export function createFilterReader(): FilterReader {
  const readTermTree = createTermTreeReader();
  const read = (text: string, declared: ReadonlyMap<string, string>): Filter | undefined =>
    text.trim() === '' ? undefined : bindFilter(parseSyntax(text), { declared, readTermTree });
  return {
    readFilter: (text) => explaining(text, () => read(text, entityProperties)),
    readTableFilter(text) {
      return explaining(text, () => {
        const filter = implemented(() => read(text, tableProperties));
        return filter && withLookupNames(filter);
      });
    },
  };
}

/** Adds to a refusal what is probably wrong with the text. */
function explaining<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, stage, message, why, place } = error;
    throw new ServiceError(code, {
      stage,
      message,
      ...(place && { place }),
      why: () => {
        const causes = [...filterHints(text), ...why];
        return [...(causes.length > 0 ? causes : [message]), `The filter is ${quote(text)}.`];
      },
    });
  }
}

function implemented<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ServiceError ? notImplemented(error.message) : error;
  }
}

function withLookupNames(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return Object.freeze({ kind: filter.kind, terms: Object.freeze(filter.terms.map(withLookupNames)) });
    case 'not':
      return Object.freeze({ kind: 'not', term: withLookupNames(filter.term) });
    case 'constant':
      return filter;
    case 'comparison': {
      const { property, value } = filter;
      if (!tableProperties.has(property) || value.type !== 'Edm.String') throw noTableProperty(property);
      return Object.freeze({ ...filter, value: Object.freeze({ ...value, value: tableLookup(value.value) }) });
    }
    case 'property':
      throw noTableProperty(filter.name);
  }
}

function noTableProperty(name: string): ServiceError {
  return new ServiceError('InternalError', {
    why: `A filter over tables compares TableName with texts, not ${quote(name)}.`,
  });
}

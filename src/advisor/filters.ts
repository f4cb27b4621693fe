// Finds in a filter what the rules need.

import type { Comparison, Filter } from '../query/filter.ts';
import type { Plan } from '../query/plan.ts';

/** All comparisons of a query's filter, including the comparisons that became bounds on the keys. */
export function comparisonsOf({ bounds, residual }: Plan): readonly Comparison[] {
  return [...bounds, ...(residual ? comparisonsIn(residual) : [])];
}

export function comparisonsIn(filter: Filter): readonly Comparison[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(comparisonsIn);
    case 'not':
      return comparisonsIn(filter.term);
    case 'comparison':
      return [filter];
    default:
      return [];
  }
}

const systemProperties = new Set(['PartitionKey', 'RowKey']);

/** The names of the properties, except the keys, that a query compares in each entity that it visits. */
export function filteredProperties({ residual }: Plan): readonly string[] {
  if (!residual) return [];
  const names = comparisonsIn(residual).map(({ property }) => property);
  const all = residual.kind === 'property' ? [...names, residual.name] : names;
  return [...new Set(all)].filter((name) => !systemProperties.has(name));
}

/** Whether a filter contains an `or` that lists entities by their RowKeys. */
export function listsRowKeys(filter: Filter | undefined): boolean {
  if (filter?.kind === 'or') return filter.terms.every(hasRowKey);
  return filter?.kind === 'and' && filter.terms.some(listsRowKeys);
}

function hasRowKey(filter: Filter): boolean {
  switch (filter.kind) {
    case 'comparison':
      return filter.property === 'RowKey' && filter.operator === 'eq';
    case 'and':
      return filter.terms.some(hasRowKey);
    case 'or':
      return filter.terms.every(hasRowKey);
    default:
      return false;
  }
}

/** Whether a filter has conditions on RowKey, but none on PartitionKey. */
export function isRowKeyOnly({ bounds, residual }: Plan): boolean {
  if (!residual || bounds.length > 0) return false;
  const properties = comparisonsIn(residual).map(({ property }) => property);
  return properties.includes('RowKey') && !properties.includes('PartitionKey');
}

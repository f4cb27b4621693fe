// Evidence: documented (Table design guide: Design for querying; index entities patterns).

import type { Filter } from './filter.ts';
import type { Plan } from './plan.ts';

/** What would make a query cheaper; undefined if Microsoft's design guide has no advice. */
export function planAdvice({ kind, bounds, residual }: Plan): string | undefined {
  const isAlternative = residual && choosesAmongKeys(residual);
  switch (kind) {
    case 'point':
    case 'range':
      return undefined;
    case 'partition scan':
      return isAlternative
        ? '`or` over RowKey scans the partition: send a point query for each key, side by side'
        : 'bound RowKey as well (eq, or ge and lt), so that less than the whole partition is visited';
    case 'table scan':
      if (isAlternative) return '`or` over keys scans the table: send a query for each key, side by side';
      if (bounds.length > 0) return 'pin PartitionKey with eq: send a query for each partition, side by side';
      return `add a condition PartitionKey eq '…', or keep a second table keyed by ${firstProperty(residual)}`;
  }
}

/** Whether an `or` lists keys. */
function choosesAmongKeys(filter: Filter): boolean {
  switch (filter.kind) {
    case 'or':
      return filter.terms.every(hasKeyEquality);
    case 'and':
      return filter.terms.some(choosesAmongKeys);
    default:
      return false;
  }
}

function hasKeyEquality(filter: Filter): boolean {
  switch (filter.kind) {
    case 'comparison':
      return filter.operator === 'eq' && isKey(filter.property);
    case 'and':
      return filter.terms.some(hasKeyEquality);
    case 'or':
      return filter.terms.every(hasKeyEquality);
    default:
      return false;
  }
}

function firstProperty(filter: Filter | undefined): string {
  return (filter && propertiesIn(filter).find((name) => name !== 'PartitionKey')) ?? 'the property you look for';
}

function propertiesIn(filter: Filter): string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(propertiesIn);
    case 'not':
      return propertiesIn(filter.term);
    case 'comparison':
      return [filter.property];
    case 'property':
      return [filter.name];
    case 'constant':
      return [];
  }
}

const isKey = (name: string): boolean => name === 'PartitionKey' || name === 'RowKey';

// Evidence: documented (Table design guide: Design for querying; index entities patterns).

import { misspeltKey } from '../model/misspelt-key.ts';
import type { Filter } from './filter.ts';
import { propertiesOf } from './match.ts';
import type { Plan } from './plan.ts';

/** What is probably not meant so in a filter that the service takes; undefined if nothing is. */
export function filterRemark(filter: Filter | undefined): string | undefined {
  return filter && misspeltKey(propertiesOf(filter));
}

/** What would make a query cheaper, or is wrong with it; undefined if Microsoft's design guide has no advice. */
export function planAdvice({ kind, bounds, residual }: Plan): string | undefined {
  const remark = filterRemark(residual);
  if (remark !== undefined) return remark;
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
  const names = filter ? [...propertiesOf(filter)] : [];
  return names.find((name) => name !== 'PartitionKey') ?? 'the property you look for';
}

const isKey = (name: string): boolean => name === 'PartitionKey' || name === 'RowKey';

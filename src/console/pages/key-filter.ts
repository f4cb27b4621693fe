// Filters on keys, as other pages show in the tables.

import { renderLiteral } from '../../query/render-filter.ts';

/** A text in a filter. */
export const literal = (value: string): string => renderLiteral({ type: 'Edm.String', value });

/** The partitions from one key to another, both included. */
export function partitionsFilter({ from, to }: { readonly from: string; readonly to: string }): string {
  if (from === to) return `PartitionKey eq ${literal(from)}`;
  return `PartitionKey ge ${literal(from)} and PartitionKey le ${literal(to)}`;
}

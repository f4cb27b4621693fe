// Filters on keys, as other pages show in the tables.

import { renderLiteral } from '../../query/render-filter.ts';

/** A text in a filter. */
export const stringLiteral = (value: string): string => renderLiteral({ type: 'Edm.String', value });

/** The partitions from one key to another, both included. */
export function partitionsFilter({ from, to }: { readonly from: string; readonly to: string }): string {
  if (from === to) return `PartitionKey eq ${stringLiteral(from)}`;
  return `PartitionKey ge ${stringLiteral(from)} and PartitionKey le ${stringLiteral(to)}`;
}

// Filters on keys, for links from other pages to the entities that they mean.

import { renderLiteral } from '../../query/render-filter.ts';

/** A text as a literal of a filter. */
export const stringLiteral = (value: string): string => renderLiteral({ type: 'Edm.String', value });

/** The partitions from one key to another, both included. */
export function partitionsFilter({ from, to }: { readonly from: string; readonly to: string }): string {
  if (from === to) return `PartitionKey eq ${stringLiteral(from)}`;
  return `PartitionKey ge ${stringLiteral(from)} and PartitionKey le ${stringLiteral(to)}`;
}

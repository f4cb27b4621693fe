// Filters on keys, as other pages show in the tables.

/** A text in a filter. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The partitions from one key to another, both included. */
export function partitionsFilter({ from, to }: { readonly from: string; readonly to: string }): string {
  if (from === to) return `PartitionKey eq ${literal(from)}`;
  return `PartitionKey ge ${literal(from)} and PartitionKey le ${literal(to)}`;
}

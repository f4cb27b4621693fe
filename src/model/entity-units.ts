import type { EntityKey } from './entity.ts';

/** The size of one unit of capacity. Source: docs, Scalability and performance targets (entities of 1 KiB). */
const unitBytes = 1024;

/** The capacity units of reading or writing an entity: one for each KiB or part of a KiB. Evidence: assumed (for larger entities). */
export function entityUnits({ partitionKey, rowKey, properties }: EntityKey & { readonly properties: string }): number {
  return unitsOf(partitionKey.length + rowKey.length + properties.length);
}

/** Units of a size in bytes. Callers pass the number of characters instead: stored entities are mostly ASCII. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

import type { EntityKey } from './entity.ts';

/** The size of one unit of capacity. Source: docs, Scalability and performance targets (entities of 1 KiB). */
const unitBytes = 1024;

/**
 * Returns the number of capacity units that reading or writing an entity uses: one unit for each KiB or part of a KiB.
 * Evidence: assumed (for entities of more than 1 KiB).
 */
export function entityUnits({ partitionKey, rowKey, properties }: EntityKey & { readonly properties: string }): number {
  return unitsOf(partitionKey.length + rowKey.length + properties.length);
}

/** Units of a size in bytes. Callers pass the number of characters instead: stored entities are mostly ASCII. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

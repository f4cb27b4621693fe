import type { EntityKey } from './entity.ts';

/** What one unit of capacity holds. Source: docs, Scalability and performance targets (entities of 1 KiB). */
const unitBytes = 1024;

/** What reading or writing an entity counts, in units of 1 KiB begun: at least 1. Evidence: assumed (how larger ones count). */
export function entityUnits({ partitionKey, rowKey, properties }: EntityKey & { readonly properties: string }): number {
  return unitsOf(partitionKey.length + rowKey.length + properties.length);
}

/** Units of a size in bytes; characters are near enough, since stored entities are mostly ASCII. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

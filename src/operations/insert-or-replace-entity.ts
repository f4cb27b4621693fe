import type { Entity } from '../model/entity.ts';
import { sortProperties } from '../model/properties.ts';
import type { EntityWrite } from './write-entity.ts';

/** Adds an entity, or replaces the one that is there. Refusals: TableNotFound, limits. */
export function insertOrReplaceEntity({ table, entity }: { table: string; entity: Entity }): EntityWrite {
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'insertOrReplace', ...entity, properties } };
}

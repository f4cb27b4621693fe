import type { Entity, EntityRecord } from '../model/entity.ts';
import { sortProperties } from '../model/properties.ts';
import type { AccountStore } from '../storage/store.ts';
import { writeEntity } from './write-entity.ts';

/** Adds an entity, or replaces the one that is there. Refusals: TableNotFound, limits. */
export function insertOrReplaceEntity(store: AccountStore, table: string, entity: Entity): Promise<EntityRecord> {
  const properties = sortProperties(entity.properties);
  return writeEntity(store, table, { kind: 'insertOrReplace', ...entity, properties });
}

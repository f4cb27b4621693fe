import type { Entity, EntityRecord } from '../model/entity.ts';
import type { AccountStore } from '../storage/store.ts';
import { writeEntity } from './write-entity.ts';

/** Adds an entity that is not there yet. Refusals: TableNotFound, EntityAlreadyExists, the limits of an entity. */
export function insertEntity(store: AccountStore, table: string, entity: Entity): Promise<EntityRecord> {
  return writeEntity(store, table, { kind: 'insert', ...entity });
}

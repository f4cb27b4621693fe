import type { EntityRecord } from '../model/entity.ts';
import { sortProperties } from '../model/properties.ts';
import type { AccountStore } from '../storage/store.ts';
import type { EntityChange } from './update-entity.ts';
import { writeEntity } from './write-entity.ts';

/** Lays properties over an entity that is there. Refusals: as UpdateEntity; the limits count for what comes out. */
export function mergeEntity(store: AccountStore, { table, entity, ifMatch }: EntityChange): Promise<EntityRecord> {
  return writeEntity(store, table, {
    kind: 'merge',
    ...entity,
    properties: sortProperties(entity.properties),
    ifMatch,
  });
}

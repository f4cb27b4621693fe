import type { Entity, EntityRecord } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import { sortProperties } from '../model/properties.ts';
import type { AccountStore } from '../storage/store.ts';
import { writeEntity } from './write-entity.ts';

export interface EntityChange {
  readonly table: string;
  readonly entity: Entity;
  readonly ifMatch: IfMatch;
}

/** Replaces an entity that is there. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied, limits. */
export function updateEntity(store: AccountStore, { table, entity, ifMatch }: EntityChange): Promise<EntityRecord> {
  return writeEntity(store, table, {
    kind: 'replace',
    ...entity,
    properties: sortProperties(entity.properties),
    ifMatch,
  });
}

import type { Entity } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import { sortProperties } from '../model/properties.ts';
import type { EntityWrite } from './write-entity.ts';

export interface EntityChange {
  readonly table: string;
  readonly entity: Entity;
  readonly ifMatch: IfMatch;
}

/** Replaces an entity that is there. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied, limits. */
export function updateEntity({ table, entity, ifMatch }: EntityChange): EntityWrite {
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'replace', ...entity, properties, ifMatch } };
}

import type { Entity } from '../model/entity.ts';
import type { EntityWrite } from './write-entity.ts';

/** Adds an entity that is not there yet. Refusals: TableNotFound, EntityAlreadyExists, the limits of an entity. */
export function insertEntity({ table, entity }: { table: string; entity: Entity }): EntityWrite {
  return { table, mutation: { kind: 'insert', ...entity } };
}

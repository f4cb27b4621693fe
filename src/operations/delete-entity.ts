import type { EntityKey } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import type { EntityWrite } from './write-entity.ts';

export interface EntityRemoval {
  readonly table: string;
  readonly key: EntityKey;
  readonly ifMatch: IfMatch;
}

/** Removes an entity. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied. */
export function deleteEntity({ table, key, ifMatch }: EntityRemoval): EntityWrite {
  return { table, mutation: { kind: 'delete', ...key, ifMatch } };
}

import type { EntityKey } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import type { AccountStore } from '../storage/store.ts';
import { writeEntity } from './write-entity.ts';

export interface EntityRemoval {
  readonly table: string;
  readonly key: EntityKey;
  readonly ifMatch: IfMatch;
}

/** Removes an entity. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied. */
export async function deleteEntity(store: AccountStore, { table, key, ifMatch }: EntityRemoval): Promise<void> {
  await writeEntity(store, table, { kind: 'delete', ...key, ifMatch });
}

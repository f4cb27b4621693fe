import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { keyCharsMax } from '../model/limits.ts';
import type { AccountStore } from '../storage/store.ts';
import { absentTable, resourceNotFound } from './refusals.ts';

/** Reads one entity by its key. Refusals: TableNotFound, ResourceNotFound (also for a key longer than any can be). */
export async function getEntity(store: AccountStore, table: string, key: EntityKey): Promise<EntityRecord> {
  const isPossible = key.partitionKey.length <= keyCharsMax && key.rowKey.length <= keyCharsMax;
  const outcome = await store.get(table, isPossible ? key : { partitionKey: '', rowKey: '' });
  if (outcome.kind === 'found' && isPossible) return outcome.entity;
  throw outcome.kind === 'found' || outcome.kind === 'missing' ? resourceNotFound() : absentTable(outcome.kind);
}

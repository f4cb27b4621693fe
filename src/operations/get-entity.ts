import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { isInRange } from '../model/key-range.ts';
import { keyCharsMax } from '../model/limits.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTable, resourceNotFound } from './refusals.ts';

/**
 * Reads one entity by its key. Refusals: TableNotFound, ResourceNotFound (also for a key longer than any can be, and one
 * that the caller may not see).
 */
export async function getEntity(
  { store, range }: Pick<OperationContext, 'store' | 'range'>,
  table: string,
  key: EntityKey,
): Promise<EntityRecord> {
  const isShort = key.partitionKey.length <= keyCharsMax && key.rowKey.length <= keyCharsMax;
  const isPossible = isShort && (!range || isInRange(key, range));
  const outcome = await store.get(table, isPossible ? key : { partitionKey: '', rowKey: '' });
  if (outcome.kind === 'found' && isPossible) return outcome.entity;
  throw outcome.kind === 'found' || outcome.kind === 'missing' ? resourceNotFound() : absentTable(outcome.kind);
}

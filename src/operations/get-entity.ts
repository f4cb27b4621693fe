import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { entityUnits } from '../model/entity-units.ts';
import { isInRange } from '../model/key-range.ts';
import { keyCharsMax } from '../model/limits.ts';
import { admit } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf, resourceNotFound } from './refusals.ts';

/**
 * Reads one entity by its key. Refusals: TableNotFound, ResourceNotFound (also for a key beyond the length limit and for
 * one outside the caller's range), ServerBusy, OperationTimedOut.
 */
export async function getEntity(context: OperationContext, table: string, key: EntityKey): Promise<EntityRecord> {
  const { store, range, waitMsMax, isAbandoned } = context;
  const { partitionKey } = key;
  const demand = { table, partitionKey, isPinned: true, isWrite: false, units: 1, waitMsMax, isAbandoned };
  const admitted = admit(context, demand);
  const admission = admitted instanceof Promise ? await admitted : admitted;
  const isShort = key.partitionKey.length <= keyCharsMax && key.rowKey.length <= keyCharsMax;
  const isPossible = isShort && (!range || isInRange(key, range));
  const outcome = await store.get(table, isPossible ? key : { partitionKey: '', rowKey: '' });
  if (outcome.kind === 'found' && isPossible) {
    admission.charge(entityUnits(outcome.entity) - demand.units);
    return outcome.entity;
  }
  const isThere = outcome.kind === 'found' || outcome.kind === 'missing';
  throw isThere ? resourceNotFound() : absentTableOf(context, table, outcome.kind);
}

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
  if (!isPossible) {
    const { kind } = await store.findTable(table);
    const why = isShort
      ? 'The key is outside the range of the signature.'
      : `A key is longer than ${keyCharsMax} characters.`;
    throw kind === 'found' ? resourceNotFound(why) : absentTableOf(context, table, kind);
  }
  const outcome = await store.get(table, key);
  if (outcome.kind === 'missing') throw resourceNotFound();
  if (outcome.kind !== 'found') throw absentTableOf(context, table, outcome.kind);
  admission.charge(entityUnits(outcome.entity) - demand.units);
  context.record.entities = [outcome.entity];
  return outcome.entity;
}

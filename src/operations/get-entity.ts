import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { entityUnits } from '../model/entity-units.ts';
import { isInRange } from '../model/key-range.ts';
import { keyCharsMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import type { Filter } from '../query/filter.ts';
import { matchesEntity } from '../query/match.ts';
import { planPointRead } from '../query/plan.ts';
import type { QueryReport } from '../query/report.ts';
import { admit } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf, resourceNotFound } from './refusals.ts';

export interface PointRead {
  readonly table: string;
  readonly key: EntityKey;
  /** The text of `$filter` as sent. */
  readonly filter?: string | undefined;
}

export interface FoundEntity {
  readonly entity: EntityRecord;
  /** Present for a read with a filter. */
  readonly report: QueryReport | undefined;
}

/**
 * Reads one entity by its key. Refusals: those of the filter, TableNotFound, ResourceNotFound, ServerBusy,
 * OperationTimedOut. ResourceNotFound is the refusal if the entity does not exist, if the filter does not select it, if
 * a key is too long, or if the key is outside the caller's range. Evidence: sdk (fast-azure-storage: its tests read an
 * entity with a filter as a condition); the refusals of a filter are assumed.
 */
export async function getEntity(
  context: OperationContext,
  { table, key, filter: text = '' }: PointRead,
): Promise<FoundEntity> {
  const { store, filters, range, waitMsMax, isAbandoned, request } = context;
  const filter = filters.readFilter(text);
  const { partitionKey } = key;
  const demand = { table, partitionKey, isPinned: true, units: 1, waitMsMax, isAbandoned, request };
  const admission = await admit(context, demand);
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
  const { entity } = outcome;
  admission.charge(entityUnits(entity) - demand.units);
  if (filter && !matchesEntity(filter, entity)) {
    throw resourceNotFound(`The entity exists, but the filter does not select it: ${quote(text)}.`);
  }
  context.record.entities = [entity];
  return { entity, report: filter && reportOf(key, filter, admission.units) };
}

function reportOf(key: EntityKey, filter: Filter, units: number): QueryReport {
  const report = { plan: planPointRead(key, filter), visited: 1, returned: 1, end: 'range' } as const;
  return units > 0 ? { ...report, units } : report;
}

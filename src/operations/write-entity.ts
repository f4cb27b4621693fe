import type { EntityRecord } from '../model/entity.ts';
import { findLimitViolation } from '../model/entity-limits.ts';
import { entityUnits } from '../model/entity-units.ts';
import type { Mutation } from '../model/mutation.ts';
import type { ServiceError } from '../model/service-error.ts';
import { admit } from './admit.ts';
import type { EntityWrite } from './entity-writes.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf, mutationRefusal } from './refusals.ts';

/** One write is refused, and with it all writes of its transaction. */
export interface WriteRefusal {
  readonly kind: 'refused';
  readonly error: ServiceError;
  /** 0-based index of the refused write. */
  readonly index: number;
}

export type WriteOutcome = { readonly kind: 'written'; readonly entities: readonly EntityRecord[] } | WriteRefusal;

/** Applies one write as its own transaction. Refusals: ServerBusy, OperationTimedOut, those of the write. */
export async function writeEntity(context: OperationContext, { table, mutation }: EntityWrite): Promise<EntityRecord> {
  context.record.partitionKey = mutation.partitionKey;
  context.record.rowKey = mutation.rowKey;
  context.record.mutation = mutation;
  const outcome = await writeEntities(context, table, [mutation]);
  if (outcome.kind === 'refused') throw outcome.error;
  const [written] = outcome.entities;
  if (!written) throw new Error('the store applied a mutation and returned no entity');
  return written;
}

/**
 * Applies all writes or none. Every write of an entity goes through this function. The function reports a missing table
 * first, then an exceeded limit, then a refusal because of the state of an entity. Evidence: assumed (the order).
 * Before it reads anything, the function may throw ServerBusy or OperationTimedOut. These two errors concern all writes
 * together.
 */
export async function writeEntities(
  context: OperationContext,
  table: string,
  mutations: readonly Mutation[],
): Promise<WriteOutcome> {
  const { store, waitMsMax, isAbandoned, request } = context;
  const partitionKey = mutations[0]?.partitionKey ?? '';
  const units = mutations.length;
  const demand = { table, partitionKey, isPinned: true, units, waitMsMax, isAbandoned, request };
  const admission = await admit(context, demand);
  for (const [index, mutation] of mutations.entries()) {
    const violation = mutation.kind === 'delete' ? undefined : findLimitViolation(mutation);
    if (!violation) continue;
    const { kind } = await store.findTable(table);
    if (kind === 'found') return { kind: 'refused', error: violation, index };
    return { kind: 'refused', error: absentTableOf(context, table, kind), index: 0 };
  }
  const outcome = await store.apply(table, mutations);
  if ('failedAt' in outcome) {
    const { failedAt: index } = outcome;
    return { kind: 'refused', error: mutationRefusal(outcome, mutations[index]), index };
  }
  if (outcome.kind !== 'applied') {
    return { kind: 'refused', error: absentTableOf(context, table, outcome.kind), index: 0 };
  }
  let unitsWritten = 0;
  const entities = outcome.entities.map(({ timestamp, properties }, index) => {
    const { partitionKey, rowKey } = mutations[index] as Mutation;
    const record = { partitionKey, rowKey, timestamp, properties };
    unitsWritten += entityUnits(record);
    return record;
  });
  admission.charge(unitsWritten - units);
  return { kind: 'written', entities };
}

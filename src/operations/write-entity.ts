import type { EntityRecord } from '../model/entity.ts';
import { findLimitViolation } from '../model/entity-limits.ts';
import { entityUnits } from '../model/entity-units.ts';
import type { Mutation } from '../model/mutation.ts';
import type { ServiceError } from '../model/service-error.ts';
import { admit } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf, refusalOf } from './refusals.ts';

/** What an operation on an entity wants written, as data: it may run by itself or within a transaction. */
export interface EntityWrite {
  readonly table: string;
  readonly mutation: Mutation;
}

/** One of several writes is refused, and with it all of them. */
export interface WriteRefusal {
  readonly kind: 'refused';
  readonly error: ServiceError;
  /** Of the write, from 0. */
  readonly index: number;
}

export type WriteOutcome = { readonly kind: 'written'; readonly entities: readonly EntityRecord[] } | WriteRefusal;

/** What writing takes of the context. */
export type WriteContext = Pick<OperationContext, 'store' | 'meter' | 'waitMsMax' | 'isAbandoned'>;

/** Carries out a write by itself: a transaction of one. Refusals: ServerBusy, OperationTimedOut, those of the write. */
export async function writeEntity(context: WriteContext, { table, mutation }: EntityWrite): Promise<EntityRecord> {
  const outcome = await writeEntities(context, table, [mutation]);
  if (outcome.kind === 'refused') throw outcome.error;
  const [written] = outcome.entities;
  if (!written) throw new Error('the store applied a mutation and gave no entity');
  return written;
}

/**
 * The one path of writes: all of them or none. A table that is not there is reported before a limit that is broken, a
 * limit before what is there. Evidence: the order is assumed (data-model.md §4). Throws ServerBusy and OperationTimedOut,
 * which are of no write in particular, before anything is looked at.
 */
export async function writeEntities(
  context: WriteContext,
  table: string,
  mutations: readonly Mutation[],
): Promise<WriteOutcome> {
  const { store, meter, waitMsMax, isAbandoned } = context;
  const partitionKey = mutations[0]?.partitionKey ?? '';
  const units = mutations.length;
  const demand = { table, partitionKey, isPinned: true, isWrite: true, units, waitMsMax, isAbandoned };
  const admitted = admit(meter, demand);
  const admission = admitted instanceof Promise ? await admitted : admitted;
  for (const [index, mutation] of mutations.entries()) {
    const violation = mutation.kind === 'delete' ? undefined : findLimitViolation(mutation);
    if (!violation) continue;
    const { kind } = await store.get(table, mutation);
    if (kind === 'found' || kind === 'missing') return { kind: 'refused', error: violation, index };
    return { kind: 'refused', error: absentTableOf(context, table, kind), index: 0 };
  }
  const outcome = await store.apply(table, mutations);
  if (outcome.kind !== 'applied') {
    if (!('failedAt' in outcome)) meter.forgetAbsentTable(table);
    return { kind: 'refused', error: refusalOf(outcome.kind), index: 'failedAt' in outcome ? outcome.failedAt : 0 };
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

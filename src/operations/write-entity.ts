import type { EntityRecord } from '../model/entity.ts';
import { findLimitViolation } from '../model/entity-limits.ts';
import type { Mutation } from '../model/mutation.ts';
import type { AccountStore } from '../storage/store.ts';
import { absentTable, refusalOf } from './refusals.ts';

/**
 * The one path of single writes: a transaction of one mutation. A table that is not there is reported before a limit
 * that is broken. Evidence: the order is assumed (data-model.md §4).
 */
export async function writeEntity(store: AccountStore, table: string, mutation: Mutation): Promise<EntityRecord> {
  const violation = mutation.kind === 'delete' ? undefined : findLimitViolation(mutation);
  if (violation) {
    const { kind } = await store.get(table, mutation);
    throw kind === 'found' || kind === 'missing' ? violation : absentTable(kind);
  }
  const outcome = await store.apply(table, [mutation]);
  if (outcome.kind !== 'applied') throw refusalOf(outcome.kind);
  const [written] = outcome.entities;
  if (!written) throw new Error('the store applied a mutation and gave no entity');
  return { partitionKey: mutation.partitionKey, rowKey: mutation.rowKey, ...written };
}

import { ServiceError } from '../model/service-error.ts';
import { parseTableName } from '../model/table-name.ts';
import type { AccountStore, TableRecord } from '../storage/store.ts';
import { absentTable } from './refusals.ts';

/** Creates a table. Refusals: TableAlreadyExists, TableBeingDeleted, InvalidResourceName, OutOfRangeInput, InvalidInput for `tables`. */
export async function createTable(store: AccountStore, name: string): Promise<TableRecord> {
  const outcome = await store.createTable(parseTableName(name));
  if (outcome.kind === 'created') return outcome.table;
  throw outcome.kind === 'exists' ? new ServiceError('TableAlreadyExists') : absentTable(outcome.kind);
}

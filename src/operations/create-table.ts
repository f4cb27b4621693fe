import { ServiceError } from '../model/service-error.ts';
import { parseTableName } from '../model/table-name.ts';
import type { AccountStore, TableRecord } from '../storage/store.ts';

/** Creates a table. Refusals: TableAlreadyExists, InvalidResourceName, OutOfRangeInput, InvalidInput for `tables`. */
export async function createTable(store: AccountStore, name: string): Promise<TableRecord> {
  const outcome = await store.createTable(parseTableName(name));
  if (outcome.kind === 'exists') throw new ServiceError('TableAlreadyExists');
  return outcome.table;
}

import { ServiceError } from '../model/service-error.ts';
import { parseTableName } from '../model/table-name.ts';
import type { TableRecord } from '../storage/store.ts';
import { admitPlainly } from './admit.ts';
import type { TableContext } from './operation-context.ts';

/** Creates a table. Refusals: TableAlreadyExists, TableBeingDeleted, InvalidResourceName, OutOfRangeInput, InvalidInput for `tables`. */
export async function createTable(context: TableContext, name: string): Promise<TableRecord> {
  const tableName = parseTableName(name);
  const wait = admitPlainly(context);
  if (wait) await wait;
  const outcome = await context.store.createTable(tableName);
  if (outcome.kind === 'created') return outcome.table;
  throw new ServiceError(outcome.kind === 'exists' ? 'TableAlreadyExists' : 'TableBeingDeleted');
}

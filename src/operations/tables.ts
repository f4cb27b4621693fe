// The operations on tables.

import { pageEntitiesMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseTableName, tableLookup } from '../model/table-name.ts';
import type { Filter } from '../query/filter.ts';
import { matchTexts } from '../query/match.ts';
import type { AccountStore, TablePage, TableRecord } from '../storage/store.ts';
import { admitTableOperation } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { resourceNotFound, tableBeingDeleted } from './refusals.ts';

/**
 * Creates a table. Refusals: TableAlreadyExists, TableBeingDeleted, InvalidResourceName, OutOfRangeInput, and
 * InvalidInput for the name `tables`.
 */
export async function createTable(context: OperationContext, name: string): Promise<TableRecord> {
  const tableName = parseTableName(name);
  await admitTableOperation(context);
  const outcome = await context.store.createTable(tableName);
  if (outcome.kind === 'created') return outcome.table;
  if (outcome.kind === 'exists') throw new ServiceError('TableAlreadyExists');
  throw tableBeingDeleted();
}

/** Deletes a table and its entities. Refusal: ResourceNotFound, also for a name that no table can have. */
export async function deleteTable(context: OperationContext, name: string): Promise<void> {
  await admitTableOperation(context);
  const outcome = await context.store.deleteTable(name);
  if (outcome.kind === 'missing') throw resourceNotFound(`There is no table ${quote(name)}.`);
  context.meter.forgetTable(name);
}

/** Finds one table. Refusal: ResourceNotFound, also for a name that no table can have. */
export async function getTable(context: OperationContext, name: string): Promise<TableRecord> {
  await admitTableOperation(context);
  const outcome = await context.store.findTable(name);
  if (outcome.kind !== 'found') throw resourceNotFound(`There is no table ${quote(name)}.`);
  return outcome.table;
}

export interface TableQuery {
  /** The text of `$filter` as sent. */
  readonly filter?: string | undefined;
  /** Lookup name of the first table of the page. */
  readonly from?: string | undefined;
  /** Maximum number of tables on this page; 0 to 1000. */
  readonly top?: number | undefined;
}

/**
 * Reads one page of the account's tables, ordered by lookup name. Refusals: those of the filter, ServerBusy,
 * OperationTimedOut.
 */
export async function queryTables(
  context: OperationContext,
  { filter = '', from, top = pageEntitiesMax }: TableQuery,
): Promise<TablePage> {
  const { store, filters } = context;
  const condition = filters.readTableFilter(filter);
  await admitTableOperation(context);
  if (top === 0) return { tables: [] };
  const limit = Math.min(top, pageEntitiesMax);
  const start = from === undefined ? {} : { from };
  return condition ? selectTables(store, condition, { ...start, limit }) : store.listTables({ ...start, limit });
}

/** The page has a continuation only if the filter selects a further table. */
async function selectTables(
  store: AccountStore,
  filter: Filter,
  { from, limit }: { from?: string; limit: number },
): Promise<TablePage> {
  const tables: TableRecord[] = [];
  let start = from;
  for (;;) {
    const page = await store.listTables({ ...(start === undefined ? {} : { from: start }), limit: pageEntitiesMax });
    const names = page.tables.map(({ name }) => tableLookup(name));
    const selected = matchTexts(filter, 'TableName', names);
    tables.push(...page.tables.filter((_, at) => selected[at] === 1));
    const next = tables[limit];
    if (next) return { tables: tables.slice(0, limit), next };
    if (!page.next) return { tables };
    start = tableLookup(page.next.name);
  }
}

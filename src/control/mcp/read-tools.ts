// The tools that show tables and entities.

import { type EntityRow, entityJson } from '../../data/entity-text.ts';
import { planAdvice } from '../../query/plan-advice.ts';
import { planText } from '../../query/report.ts';
import { accountNamed } from '../control-route.ts';
import { rowOfEntity } from '../data/sample-table.ts';
import { tableSizesOf } from '../data/table-sizes.ts';
import { explainReport, planOfFilter, readQueryPage } from '../observe/explain.ts';
import { unknownTable } from '../observe/unknown-table.ts';
import { type ToolContext, ToolRefusal } from './tool-context.ts';

const rowsMax = 100;
const accountsMax = 100;

interface Place {
  readonly account?: string;
  readonly table: string;
}

export async function listSizedTables(
  input: { readonly account?: string; readonly from?: string },
  { tools }: ToolContext,
): Promise<object> {
  const accounts = await tools.accountNames();
  const sizes = await tableSizesOf(input, tools);
  return {
    ...sizes,
    accounts: accounts.slice(0, accountsMax),
    accountsLeftOut: Math.max(0, accounts.length - accountsMax),
  };
}

interface QueryInput extends Place {
  readonly filter?: string;
  readonly select?: readonly string[];
  readonly limit?: number;
}

export async function queryTable(input: QueryInput, { tools, isAbandoned }: ToolContext): Promise<object> {
  const { table, filter = '', select, limit = rowsMax } = input;
  planOfFilter(filter, tools);
  const account = accountNamed(input.account, await tools.accountNames());
  const page = await readQueryPage({ account, table, filter, top: limit, isAbandoned }, tools);
  const rows = page.entities.map((entity) => selected(rowOfEntity(entity), select));
  return {
    account,
    table,
    ...explainReport(page.report),
    hasMore: page.next !== undefined,
    entities: rows.map(entityObject),
  };
}

/** Evidence: documented: a property that an entity lacks is left out. */
function selected(row: EntityRow, select: readonly string[] | undefined): EntityRow {
  if (select === undefined) return row;
  return new Map([...row].filter(([name]) => select.includes(name)));
}

/** An entity in the service's form at minimal metadata, keys first. */
export function entityObject(row: EntityRow): object {
  const names = ['PartitionKey', 'RowKey', 'Timestamp'].filter((name) => row.has(name));
  const { Timestamp, ...entity } = JSON.parse(entityJson(row)) as Readonly<Record<string, unknown>>;
  void Timestamp;
  return { ...Object.fromEntries(names.map((name) => [name, entity[name] ?? Timestamp])), ...entity };
}

interface KeyInput extends Place {
  readonly partitionKey: string;
  readonly rowKey: string;
}

export async function getEntityByKey(
  { partitionKey, rowKey, ...place }: KeyInput,
  { tools }: ToolContext,
): Promise<object> {
  const { table } = place;
  const account = accountNamed(place.account, await tools.accountNames());
  if (!(await tools.store.exists(account))) throw unknownTable('tableMissing', { account, table });
  const outcome = await tools.store.account(account).get(table, { partitionKey, rowKey });
  if (outcome.kind === 'missing') throw new ToolRefusal('EntityNotFound', 'The table has no entity with these keys.');
  if (outcome.kind !== 'found') throw unknownTable(outcome.kind, { account, table });
  return { account, table, entity: entityObject(rowOfEntity(outcome.entity)) };
}

export async function explainFilter({ filter }: { readonly filter: string }, { tools }: ToolContext): Promise<object> {
  const plan = planOfFilter(filter, tools);
  return { plan: planText(plan), advice: planAdvice(plan) ?? null };
}

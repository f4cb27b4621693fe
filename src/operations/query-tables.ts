import { pageEntitiesMax } from '../model/limits.ts';
import { tableLookup } from '../model/table-name.ts';
import type { Filter } from '../query/filter.ts';
import { matchTexts } from '../query/match.ts';
import type { AccountStore, TablePage, TableRecord } from '../storage/store.ts';
import { admitPlainly } from './admit.ts';
import type { OperationContext } from './operation-context.ts';

export interface TableQuery {
  /** As sent. */
  readonly filter?: string | undefined;
  /** Lookup name at which the page begins. */
  readonly from?: string | undefined;
  /** Tables at most on this page; 0 to 1000. */
  readonly top?: number | undefined;
}

/** Reads one page of the account's tables, ordered by lower-case name. Refusals: those of the filter, ServerBusy, OperationTimedOut. */
export async function queryTables(
  context: OperationContext,
  { filter = '', from, top = pageEntitiesMax }: TableQuery,
): Promise<TablePage> {
  const { store, filters } = context;
  const condition = filters.readTableFilter(filter);
  const wait = admitPlainly(context);
  if (wait) await wait;
  if (top === 0) return { tables: [] };
  const limit = Math.min(top, pageEntitiesMax);
  const start = from === undefined ? {} : { from };
  return condition ? selectTables(store, condition, { ...start, limit }) : store.listTables({ ...start, limit });
}

/** No continuation comes where no table follows that the filter selects. */
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

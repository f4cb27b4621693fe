import { pageEntitiesMax } from '../model/limits.ts';
import type { AccountStore, TablePage } from '../storage/store.ts';

export interface TableQuery {
  /** Lookup name at which the page begins. */
  readonly from?: string;
  /** Tables at most on this page; 0 to 1000. */
  readonly top?: number;
}

/** Reads one page of the account's tables, ordered by lower-case name. */
export async function queryTables(store: AccountStore, { from, top }: TableQuery): Promise<TablePage> {
  if (top === 0) return { tables: [] };
  const limit = Math.min(top ?? pageEntitiesMax, pageEntitiesMax);
  return store.listTables({ ...(from === undefined ? {} : { from }), limit });
}

import type { AccountStore, TableRecord } from '../storage/store.ts';
import { resourceNotFound } from './refusals.ts';

/** Finds one table. Refusal: ResourceNotFound, also for a name no table can have. */
export async function getTable(store: AccountStore, name: string): Promise<TableRecord> {
  const table = await store.findTable(name);
  if (!table) throw resourceNotFound();
  return table;
}

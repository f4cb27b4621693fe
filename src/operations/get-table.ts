import type { TableRecord } from '../storage/store.ts';
import { admitPlainly } from './admit.ts';
import type { TableContext } from './operation-context.ts';
import { resourceNotFound } from './refusals.ts';

/** Finds one table. Refusal: ResourceNotFound, also for a name no table can have. */
export async function getTable(context: TableContext, name: string): Promise<TableRecord> {
  const wait = admitPlainly(context);
  if (wait) await wait;
  const table = await context.store.findTable(name);
  if (!table) throw resourceNotFound();
  return table;
}

import { admitPlainly } from './admit.ts';
import type { TableContext } from './operation-context.ts';
import { resourceNotFound } from './refusals.ts';

/** Deletes a table and all it holds. Refusal: ResourceNotFound, also for a name no table can have. */
export async function deleteTable(context: TableContext, name: string): Promise<void> {
  const wait = admitPlainly(context);
  if (wait) await wait;
  const outcome = await context.store.deleteTable(name);
  if (outcome.kind === 'missing') throw resourceNotFound();
  context.meter.forgetTable(name);
}

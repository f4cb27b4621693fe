import type { AccountStore } from '../storage/store.ts';
import { resourceNotFound } from './refusals.ts';

/** Deletes a table and all it holds. Refusal: ResourceNotFound, also for a name no table can have. */
export async function deleteTable(store: AccountStore, name: string): Promise<void> {
  const outcome = await store.deleteTable(name);
  if (outcome.kind === 'missing') throw resourceNotFound();
}

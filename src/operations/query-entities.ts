import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { pageBytesMax, pageEntitiesMax } from '../model/limits.ts';
import type { AccountStore } from '../storage/store.ts';
import { absentTable } from './refusals.ts';

export interface EntityQuery {
  readonly table: string;
  /** First key of the page. */
  readonly from?: EntityKey;
  /** Entities at most on this page; 0 to 1000. */
  readonly top?: number;
}

export interface EntityPage {
  readonly entities: readonly EntityRecord[];
  /** Key at which the next page begins; absent at the end. */
  readonly next?: EntityKey;
}

/** Reads one page of a table in key order. Refusal: TableNotFound. */
export async function queryEntities(store: AccountStore, { table, from, top }: EntityQuery): Promise<EntityPage> {
  const limit = Math.max(1, Math.min(top ?? pageEntitiesMax, pageEntitiesMax));
  const outcome = await store.scan(table, { range: from ? { from } : {}, limit, bytesMax: pageBytesMax });
  if (outcome.kind !== 'page') throw absentTable(outcome.kind);
  // Evidence: recorded: no entities and no continuation.
  return top === 0 ? { entities: [] } : outcome;
}

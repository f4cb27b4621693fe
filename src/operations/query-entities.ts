import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { planQuery } from '../query/plan.ts';
import type { QueryReport } from '../query/report.ts';
import { scanRequest } from '../storage/scan-request.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTable } from './refusals.ts';

export interface EntityQuery {
  readonly table: string;
  /** As sent. */
  readonly filter?: string | undefined;
  /** First key of the page. */
  readonly from?: EntityKey | undefined;
  /** Entities at most on this page; 0 to 1000. */
  readonly top?: number | undefined;
}

export interface EntityPage {
  readonly entities: readonly EntityRecord[];
  /** Key at which the next page begins; absent at the end. */
  readonly next: EntityKey | undefined;
  readonly report: QueryReport;
}

/** Reads one page of a table in key order. Refusals: those of the filter, TableNotFound. */
export async function queryEntities(
  { store, filters, pageBoundaries, range }: OperationContext,
  { table, filter = '', from, top }: EntityQuery,
): Promise<EntityPage> {
  const plan = planQuery(filters.readFilter(filter));
  const request = scanRequest(plan, { from, top, endsAtPartition: pageBoundaries === 'partition', range });
  const outcome = await store.scan(table, request);
  if (outcome.kind !== 'page') throw absentTable(outcome.kind);
  const { entities, next, visited, end } = outcome;
  const report = { plan, visited, returned: entities.length, end };
  return { entities, next, report };
}

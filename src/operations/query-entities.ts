import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { planQuery } from '../query/plan.ts';
import type { QueryReport } from '../query/report.ts';
import { type PlannedScan, scanRequest } from '../storage/scan-request.ts';
import type { ScanRequest } from '../storage/store.ts';
import { admit } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf } from './refusals.ts';

export interface EntityQuery {
  readonly table: string;
  /** As sent. */
  readonly filter?: string | undefined;
  /** Key at which the page begins. */
  readonly from?: EntityKey | undefined;
  /** Maximum number of entities on this page; 0 to 1000. */
  readonly top?: number | undefined;
}

export interface EntityPage {
  readonly entities: readonly EntityRecord[];
  /** Key at which the next page begins; undefined on the last page. */
  readonly next: EntityKey | undefined;
  readonly report: QueryReport;
}

/** Reads one page of a table in key order. Refusals: those of the filter, TableNotFound, ServerBusy, OperationTimedOut. */
export async function queryEntities(
  context: OperationContext,
  { table, filter = '', from, top }: EntityQuery,
): Promise<EntityPage> {
  const { store, filters, pageBoundaries, range, meter, waitMsMax, isAbandoned } = context;
  const plan = planQuery(filters.readFilter(filter));
  const endsAtPartition = pageBoundaries === 'partition';
  const request = scanRequest(plan, { from, top, endsAtPartition, range, timeMsMax: waitMsMax });
  const { range: pageRange, filter: residual, limit, bytesMax, timeMsMax } = request;
  context.record.visitedRange = pageRange;
  const partitionKey = pageRange.from?.partitionKey ?? '';
  const isPinned = plan.kind !== 'table scan';
  const demand = { table, partitionKey, isPinned, isWrite: false, units: 1, waitMsMax, isAbandoned };
  const admission = await admit(context, demand);
  const rangeEnd = pageBoundaries === 'range' ? meter.rangeEnd(table, partitionKey) : undefined;
  const endsBefore = rangeEnd === undefined ? undefined : { partitionKey: rangeEnd, rowKey: '' };
  const outcome = await store.scan(table, {
    range: pageRange,
    filter: residual,
    limit,
    bytesMax,
    timeMsMax,
    endsAtPartition,
    endsBefore,
    onVisit: admission.chargePage(),
    isAbandoned,
  } satisfies PlannedScan & ScanRequest);
  if (outcome.kind !== 'page') throw absentTableOf(context, table, outcome.kind);
  const { entities, next, visited, end } = outcome;
  context.record.entities = entities;
  if (next) context.record.visitedRange = { from: pageRange.from, before: next };
  const { units } = admission;
  const report: QueryReport =
    units > 0
      ? { plan, visited, returned: entities.length, end, units }
      : { plan, visited, returned: entities.length, end };
  return { entities, next, report };
}

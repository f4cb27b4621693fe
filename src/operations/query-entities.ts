import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { firstKey, intersectRanges, type KeyRange } from '../model/key-range.ts';
import { pageBytesMax, pageEntitiesMax, pageTimeMsMax } from '../model/limits.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { type Plan, planQuery } from '../query/plan.ts';
import type { QueryReport } from '../query/report.ts';
import { TypesMet } from '../query/types-met.ts';
import type { ScanPage } from '../storage/store.ts';
import { admit } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTableOf } from './refusals.ts';

/** What a query needs, and the parts of the record that it fills. */
export interface QueryContext extends Omit<OperationContext, 'clock' | 'replica' | 'record'> {
  readonly record: Pick<RequestRecord, 'capacity' | 'entities' | 'visitedRange'>;
}

export interface EntityQuery {
  readonly table: string;
  /** The text of `$filter` as sent. */
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

/**
 * Reads one page of a table in key order. Refusals: TableNotFound, ServerBusy, OperationTimedOut, and the refusals of
 * the filter.
 */
export async function queryEntities(context: QueryContext, query: EntityQuery): Promise<EntityPage> {
  const { store, filters, pageBoundaries, meter, record, waitMsMax, isAbandoned, request } = context;
  const { table, filter = '', top = pageEntitiesMax } = query;
  const plan = planQuery(filters.readFilter(filter));
  const range = rangeOfPage(plan, query, context.range);
  record.visitedRange = range;
  const partitionKey = range.from?.partitionKey ?? '';
  const isPinned = plan.kind !== 'table scan';
  const demand = { table, partitionKey, isPinned, units: 1, waitMsMax, isAbandoned, request };
  const admission = await admit(context, demand);
  const rangeEnd = pageBoundaries === 'range' ? meter.rangeEnd(table, partitionKey) : undefined;
  const typesMet = plan.residual && new TypesMet(plan.residual);
  const outcome = await store.scan({
    table,
    range,
    filter: plan.residual,
    limit: Math.max(1, Math.min(top, context.pageEntitiesMax ?? pageEntitiesMax)),
    bytesMax: pageBytesMax,
    // A `timeout` of less than five seconds ends the page with a continuation, in the same way as the limit of five
    // seconds. Evidence: assumed. Microsoft documents only that a request that takes longer than its `timeout` gets 500
    // OperationTimedOut.
    timeMsMax: Math.min(waitMsMax, pageTimeMsMax),
    endsAtPartition: pageBoundaries === 'partition',
    endsBefore: rangeEnd === undefined ? undefined : { partitionKey: rangeEnd, rowKey: '' },
    onVisit: admission.chargePage(),
    onColumns: typesMet && ((columns) => typesMet.add(columns)),
    isAbandoned,
  });
  if (outcome.kind !== 'page') throw absentTableOf(context, table, outcome.kind);
  const { entities, next, visited, end } = context.pageEntitiesMax === 0 ? emptied(outcome) : outcome;
  record.entities = entities;
  if (next) record.visitedRange = { from: range.from, before: next };
  const { units } = admission;
  const report: QueryReport =
    units > 0
      ? { plan, visited, returned: entities.length, end, typesMet, units }
      : { plan, visited, returned: entities.length, end, typesMet };
  return { entities, next, report };
}

/** The page without its entities. The next page begins with the first of the removed entities. */
function emptied({ entities, next, visited, end }: ScanPage): ScanPage {
  const from = entities[0] ?? next;
  return { kind: 'page', entities: [], visited, end, ...(from && { next: from }) };
}

/** The keys of the plan, from the beginning of the page on, that the caller may read. */
function rangeOfPage(plan: Plan, { from, top }: EntityQuery, permitted: KeyRange | undefined): KeyRange {
  // Evidence: recorded: `$top=0` gives no entities and no continuation.
  if (top === 0) return emptyRange;
  const asked = from ? intersectRanges(plan.range, { from }) : plan.range;
  return permitted ? intersectRanges(asked, permitted) : asked;
}

const emptyRange: KeyRange = { from: firstKey, before: firstKey };

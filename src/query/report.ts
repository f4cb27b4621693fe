// What a query cost, as data and as a sentence. Azure does not report this cost, but counts it toward the scalability
// targets.

import type { Filter } from './filter.ts';
import type { Plan } from './plan.ts';
import { renderFilter } from './render-filter.ts';
import type { TypesMet } from './types-met.ts';

/**
 * Why a page ended. `range`: no keys of the plan are left; `limit`: the page has `$top` or 1000 entities; `size`: the
 * page has 4 MiB; `time`: the time limit was reached, or the client disconnected; `partition` and `boundary`: see
 * PageBoundaries; `budget`: the capacity model admits no more entities for now.
 */
export type PageEnd = 'range' | 'limit' | 'size' | 'time' | 'partition' | 'boundary' | 'budget';

export interface QueryReport {
  readonly plan: Plan;
  /** Entities examined, whether selected or not. */
  readonly visited: number;
  readonly returned: number;
  readonly end: PageEnd;
  /** Entity units (1 KiB) that the capacity model charged; absent if it charged nothing. */
  readonly units?: number;
  /** Absent if no filter was evaluated. */
  readonly typesMet?: TypesMet | undefined;
}

/** "table scan: no condition pins PartitionKey; 40,000 entities visited for 1 returned" */
export function describeReport({ plan, visited, returned, end }: QueryReport): string {
  const effort = `${count(visited, 'entity', 'entities')} visited for ${returned.toLocaleString('en-US')} returned`;
  const ending = endings[end];
  return `${describePlan(plan)}; ${effort}${ending === '' ? '' : `; ${ending}`}`;
}

const endings: Readonly<Record<PageEnd, string>> = {
  range: '',
  limit: 'the page is full and more entities follow',
  size: 'the page ended at 4 MiB',
  time: 'the page ended at the time limit of 5 s',
  partition: 'the page ended with its partition',
  boundary: 'the page ended at the boundary of its range partition',
  budget: 'the page ended where its capacity was spent',
};

/** The kind of a plan and why it was chosen. */
export function describePlan({ kind, bounds, residual }: Plan): string {
  const onPartition = bounds.filter(({ property }) => property === 'PartitionKey');
  switch (kind) {
    case 'point':
      return 'point: PartitionKey and RowKey are pinned';
    case 'range':
      return 'range: PartitionKey is pinned and RowKey is bounded';
    case 'partition scan':
      return `partition scan: PartitionKey is pinned, but no condition bounds RowKey${evaluatedConditions(residual, 'RowKey')}`;
    case 'table scan':
      return onPartition.length > 0
        ? 'table scan: PartitionKey is bounded, but no condition pins it'
        : `table scan: no condition pins PartitionKey${evaluatedConditions(residual, 'PartitionKey')}`;
  }
}

/** Explains why the conditions on a key do not bound it. */
function evaluatedConditions(residual: Filter | undefined, property: string): string {
  if (!residual || !mentions(residual, property)) return '';
  return ' (conditions under `or`, `not` and `ne` are evaluated for each entity)';
}

function mentions(filter: Filter, property: string): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.some((term) => mentions(term, property));
    case 'not':
      return mentions(filter.term, property);
    case 'comparison':
      return filter.property === property;
    default:
      return false;
  }
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** A plan as JSON. */
export interface PlanText {
  readonly kind: Plan['kind'];
  readonly reason: string;
  /** The conditions that bound the keys, such as `PartitionKey eq 'a'`. */
  readonly bounds: readonly string[];
  /** The filter evaluated for each entity visited; null if there is none. */
  readonly residual: string | null;
}

export function planText(plan: Plan): PlanText {
  return {
    kind: plan.kind,
    reason: describePlan(plan),
    bounds: plan.bounds.map(renderFilter),
    residual: plan.residual ? renderFilter(plan.residual) : null,
  };
}

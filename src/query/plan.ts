// Chooses the entities that a query visits. The service has one index, on (PartitionKey, RowKey). It uses the index
// only for terms of the outermost conjunction. It evaluates conditions under `or` or `not` for each entity. Evidence:
// documented (Designing a scalable partitioning strategy; Table design guide).

import type { EntityKey } from '../model/entity.ts';
import { endOfPartition, type KeyRange, successorOf } from '../model/key-range.ts';
import type { Comparison, Filter } from './filter.ts';

/** The kinds of plans, with their names from Microsoft's table design guide, the cheapest first. */
export type PlanKind = 'point' | 'range' | 'partition scan' | 'table scan';

export interface Plan {
  readonly kind: PlanKind;
  /** The keys to visit. */
  readonly range: KeyRange;
  /** The conditions on keys that define the range, in the order PartitionKey, RowKey. */
  readonly bounds: readonly Comparison[];
  /** The conditions left to evaluate for each entity visited; undefined if there are none. */
  readonly residual: Filter | undefined;
}

/** The plan of a query; without a filter, a scan of the whole table. */
export function planQuery(filter: Filter | undefined): Plan {
  const terms = filter === undefined ? [] : filter.kind === 'and' ? filter.terms : [filter];
  const partition = boundsOn('PartitionKey', terms);
  const pinned = partition.find(({ operator }) => operator === 'eq');
  const rows = pinned ? boundsOn('RowKey', terms) : [];
  const bounds = [...partition, ...rows];
  const others: Filter[] = [];
  for (const term of terms) if (!bounds.some((bound) => bound === term)) others.push(term);
  return Object.freeze({
    kind: kindOf(pinned !== undefined, rows),
    range: rangeOf(intervalOf(partition), pinned ? intervalOf(rows) : undefined),
    bounds,
    residual: conjunctionOf(others),
  });
}

/** The plan of a read by key that applies a filter to the one entity. */
export function planPointRead({ partitionKey, rowKey }: EntityKey, filter: Filter): Plan {
  const bounds = [pinned('PartitionKey', partitionKey), pinned('RowKey', rowKey)];
  const range = rangeOf(intervalOf(bounds.slice(0, 1)), intervalOf(bounds.slice(1)));
  return Object.freeze({ kind: 'point', range, bounds, residual: filter });
}

function pinned(property: string, text: string): Comparison {
  const value = Object.freeze({ type: 'Edm.String', value: text } as const);
  return Object.freeze({ kind: 'comparison', property, operator: 'eq', value });
}

function kindOf(isPinned: boolean, rows: readonly Comparison[]): PlanKind {
  if (!isPinned) return 'table scan';
  if (rows.length === 0) return 'partition scan';
  return rows.some(({ operator }) => operator === 'eq') ? 'point' : 'range';
}

function boundsOn(property: 'PartitionKey' | 'RowKey', terms: readonly Filter[]): Comparison[] {
  const bounds: Comparison[] = [];
  // `filter` is slow on a frozen array.
  for (const term of terms) {
    if (term.kind !== 'comparison' || term.property !== property || term.operator === 'ne') continue;
    if (term.value.type === 'Edm.String') bounds.push(term);
  }
  return bounds;
}

function conjunctionOf(terms: readonly Filter[]): Filter | undefined {
  const [only] = terms;
  return terms.length > 1 ? Object.freeze({ kind: 'and', terms: Object.freeze(terms) }) : only;
}

/** Texts from `low` (inclusive) to `high` (exclusive); unbounded without `high`. */
interface Interval {
  readonly low: string;
  readonly high?: string;
}

function intervalOf(bounds: readonly Comparison[]): Interval {
  let low = '';
  let high: string | undefined;
  for (const { operator, value } of bounds) {
    const text = String(value.value);
    if (operator === 'eq' || operator === 'ge' || operator === 'gt') {
      const start = operator === 'gt' ? successorOf(text) : text;
      if (start > low) low = start;
    }
    if (operator === 'eq' || operator === 'le' || operator === 'lt') {
      const end = operator === 'lt' ? text : successorOf(text);
      if (high === undefined || end < high) high = end;
    }
  }
  return high === undefined ? { low } : { low, high };
}

/** Contradictory bounds give an empty range. */
function rangeOf(partition: Interval, rows: Interval | undefined): KeyRange {
  const from: EntityKey = { partitionKey: partition.low, rowKey: '' };
  if (partition.high === undefined) return partition.low === '' ? {} : { from };
  if (partition.high <= partition.low) return { from, before: from };
  if (!rows) return { from, before: { partitionKey: partition.high, rowKey: '' } };
  return {
    from: { partitionKey: partition.low, rowKey: rows.low },
    before:
      rows.high === undefined ? endOfPartition(partition.low) : { partitionKey: partition.low, rowKey: rows.high },
  };
}

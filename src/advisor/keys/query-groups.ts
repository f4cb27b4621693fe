// Groups the queries of an application. Queries that differ only in their literals are in one group.

import type { Filter } from '../../query/filter.ts';
import type { PlanKind } from '../../query/plan.ts';
import { createFilterReader } from '../../query/read-filter.ts';
import { renderFilter } from '../../query/render-filter.ts';
import { redact } from '../show-request.ts';
import type { SimulatedQuery } from './simulated-query.ts';

export interface AskedQuery {
  /** Undefined for a query of all entities. */
  readonly filter: Filter | undefined;
  /** `$top`. With it, the query is a single request, which returns at most this many entities. */
  readonly top?: number | undefined;
  /** How often it was sent. */
  readonly requests: number;
}

/** A query as an application sends it. */
export interface GivenQuery {
  readonly filter: string;
  readonly top?: number | undefined;
  /** How often the query was sent. Default 1. */
  readonly requests?: number;
}

export interface TriedQuery {
  readonly query: AskedQuery;
  readonly present: SimulatedQuery | null;
  readonly design: SimulatedQuery;
  readonly table: 'table' | 'index';
}

/**
 * A group of queries that differ only in the literals of their filters and that are carried out in the same way. The
 * figures are sums over all requests of the group.
 */
export interface QueryGroup {
  /** The filter without its literals; empty for a query of all entities. */
  readonly shape: string;
  readonly requests: number;
  /** The most frequent query of the group, as the application sends it. */
  readonly example: string;
  /** The `$top` of the example. Null if it has none. */
  readonly top: number | null;
  readonly present: QueryFigures | null;
  readonly design: QueryFigures & {
    readonly table: 'table' | 'index';
    /** The filters that replace the example. */
    readonly filters: readonly string[];
    readonly reason: string;
    readonly advice: string | null;
  };
}

export interface QueryFigures {
  readonly plan: PlanKind;
  readonly visited: number;
  readonly returned: number;
  readonly transactions: number;
}

/**
 * Returns a function that parses a query. The returned function throws ServiceError for a query that the service
 * refuses.
 */
export function createQueryReader(): (query: GivenQuery) => AskedQuery {
  const { readFilter } = createFilterReader();
  return ({ filter, top, requests = 1 }) => ({ filter: readFilter(filter), top, requests });
}

/** The groups of queries, the most expensive first. */
export function groupQueries(tried: readonly TriedQuery[]): readonly QueryGroup[] {
  const groups = new Map<string, TriedQuery[]>();
  for (const one of tried) {
    const { filters, plan } = one.design;
    const name = [
      shapeOf(one.query.filter),
      one.query.top ?? '',
      one.present?.plan ?? '',
      plan,
      one.table,
      String(filters.length),
    ].join('\n');
    const known = groups.get(name);
    if (known) known.push(one);
    else groups.set(name, [one]);
  }
  return [...groups.values()].map(groupOf).sort((a, b) => costOf(b) - costOf(a));
}

const shapeOf = (filter: Filter | undefined): string => (filter ? redact(renderFilter(filter)) : '');

const costOf = ({ present, design }: QueryGroup): number => Math.max(present?.visited ?? 0, design.visited);

function groupOf(list: readonly TriedQuery[]): QueryGroup {
  const typical = list.reduce((a, b) => (b.query.requests > a.query.requests ? b : a));
  const { query, present, design, table } = typical;
  const { filters, reason, advice } = design;
  return {
    shape: shapeOf(query.filter),
    requests: list.reduce((sum, one) => sum + one.query.requests, 0),
    example: query.filter ? renderFilter(query.filter) : '',
    top: query.top ?? null,
    present: present && { plan: present.plan, ...sumsOf(list, (one) => one.present) },
    design: { table, filters, plan: design.plan, reason, ...sumsOf(list, (one) => one.design), advice },
  };
}

function sumsOf(
  list: readonly TriedQuery[],
  side: (one: TriedQuery) => SimulatedQuery | null,
): Omit<QueryFigures, 'plan'> {
  const sums = { visited: 0, returned: 0, transactions: 0 };
  for (const one of list) {
    const outcome = side(one);
    if (!outcome) continue;
    sums.visited += outcome.visited * one.query.requests;
    sums.returned += outcome.returned * one.query.requests;
    sums.transactions += outcome.transactions * one.query.requests;
  }
  return sums;
}

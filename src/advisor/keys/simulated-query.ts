// Finds how the application would send a query to a table with the new keys, and what this query would cost.

import type { Comparison, Filter } from '../../query/filter.ts';
import { propertiesOf } from '../../query/match.ts';
import { type Plan, type PlanKind, planQuery } from '../../query/plan.ts';
import { planAdvice } from '../../query/plan-advice.ts';
import { renderFilter } from '../../query/render-filter.ts';
import { describePlan } from '../../query/report.ts';
import { isBucketKnown, type KeyConditions, type KeyConditionsOptions, keyConditions } from './key-conditions.ts';
import { type BucketPart, type KeyExpression, literalPrefixOf } from './key-expression.ts';
import type { KeyDesign, KeyedTable, Visited } from './keyed-table.ts';
import { knownText, type PropertyType, type TypesOf } from './known-values.ts';
import type { Sample } from './sample.ts';

export interface SimulatedQuery extends Omit<Visited, 'pages'> {
  /**
   * The filters that replace the filter of the application: a single filter, or one filter for each bucket of a hashed
   * property.
   */
  readonly filters: readonly string[];
  readonly plan: PlanKind;
  readonly reason: string;
  /** The number of billable requests, one for each page. */
  readonly transactions: number;
  /** How to make the query cheaper. Null if Microsoft's design guide has no advice. */
  readonly advice: string | null;
  /** The names of the added properties with texts of present keys that the query needs. */
  readonly keeps: readonly string[];
}

/** A query of the application. With `top`, it ends after at most that many entities. */
interface Asked {
  readonly filter: Filter | undefined;
  readonly top?: number | undefined;
}

/** The most queries that may replace one query, one for each bucket. */
const fanOutMax = 256;

/**
 * Returns the cheapest way to send a query to a table. If the table also contains copies of the entities, the query
 * uses either the copies or the originals.
 */
export function simulateQuery({ filter, top }: Asked, table: KeyedTable, sample: Sample): SimulatedQuery {
  const renamed = { filter: filter && withoutPresentKeys(filter, sample), top };
  return cheapest(table.designs.flatMap((design) => routesBy(design, renamed, table, sample)));
}

/**
 * Considers only the queries that return the most entities, and returns the cheapest of these queries. An entity has no
 * copy if no usable keys can be made for the copy. A query that uses copies may therefore return fewer entities.
 */
export function cheapest<Query extends Pick<SimulatedQuery, 'visited' | 'returned' | 'transactions'>>(
  queries: readonly Query[],
): Query {
  const most = Math.max(...queries.map(({ returned }) => returned));
  const [first, ...others] = queries.filter(({ returned }) => returned === most);
  if (!first) throw new Error('a query without a way to carry it out');
  const costOf = ({ visited, transactions }: Query): number => visited + transactions;
  return others.reduce((best, other) => (costOf(other) < costOf(best) ? other : best), first);
}

/** What a query costs with the keys that the entities have now. */
export function presentQuery({ filter, top }: Asked, table: KeyedTable): SimulatedQuery {
  return outcomeOf([filter], { table, asked: { filter, top }, mayKeep: [] });
}

/** Replaces comparisons with a present key by comparisons with the property that has its text. */
function withoutPresentKeys(filter: Filter, sample: Sample): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map((term) => withoutPresentKeys(term, sample)) };
    case 'not':
      return { kind: 'not', term: withoutPresentKeys(filter.term, sample) };
    case 'comparison': {
      const present = sample.presentKeys.find(({ key }) => key === filter.property);
      return present ? { ...filter, property: present.property } : filter;
    }
    default:
      return filter;
  }
}

const noTypes: ReadonlySet<PropertyType> = new Set();

function routesBy(
  design: KeyDesign,
  { filter, top }: Asked,
  table: KeyedTable,
  sample: Sample,
): readonly SimulatedQuery[] {
  const terms = filter === undefined ? [] : filter.kind === 'and' ? filter.terms : [filter];
  const typesOf: TypesOf = (property) => sample.types.get(property) ?? noTypes;
  const isShared = table.designs.length > 1;
  const route = (chosenBucket?: (part: BucketPart) => number): Filter | undefined =>
    filterFor(design, { terms, typesOf, chosenBucket }, isShared);
  const mayKeep = sample.presentKeys.filter(({ isOwn }) => !isOwn).map(({ property }) => property);
  const single = outcomeOf([route()], { table, asked: { filter, top }, mayKeep });
  const parts = unknownBuckets(design.partitionKey, { terms, typesOf });
  const count = parts.reduce((product, { buckets }) => product * buckets, 1);
  if (single.plan !== 'table scan' || parts.length === 0 || count > fanOutMax) return [single];
  const filters = Array.from({ length: count }, (_, at) => route((part) => bucketAt(part, parts, at)));
  return [single, outcomeOf(filters, { table, asked: { filter, top }, mayKeep })];
}

/**
 * Returns those hashed parts of a key for which the filter does not determine the bucket. Stops at the first property
 * value that the filter does not determine. The program can send one query for each bucket instead of a scan. The key
 * ranges of these queries begin with different texts, so no entity is found twice.
 */
function unknownBuckets({ parts }: KeyExpression, options: Omit<KeyConditionsOptions, 'name'>): readonly BucketPart[] {
  const { terms, typesOf } = options;
  const unknown: BucketPart[] = [];
  for (const part of parts) {
    if (part.kind === 'bucket' && !isBucketKnown(part, options)) unknown.push(part);
    if (part.kind === 'value' && knownText(part, terms, typesOf(part.property))?.equal === undefined) break;
  }
  return unknown;
}

/** The bucket of one hashed part in query number `at`. The buckets of all parts are the digits of this number. */
function bucketAt(part: BucketPart, parts: readonly BucketPart[], at: number): number {
  let rest = at;
  for (const one of parts) {
    if (one === part) return rest % one.buckets;
    rest = Math.floor(rest / one.buckets);
  }
  return 0;
}

function filterFor(
  { partitionKey, rowKey }: KeyDesign,
  options: Omit<KeyConditionsOptions, 'name'>,
  isShared: boolean,
): Filter | undefined {
  const { terms } = options;
  const partition = keyConditions(partitionKey, { ...options, name: 'PartitionKey' });
  const row = keyConditions(rowKey, { ...options, name: 'RowKey' });
  // A bound on RowKey is useful within one partition, or if it distinguishes an entity from its copies.
  const isOfUse = partition.isEqual || (isShared && literalPrefixOf(rowKey) !== '');
  const used: readonly KeyConditions[] = isOfUse ? [partition, row] : [partition];
  const covered = new Set(used.flatMap((one) => one.covered));
  const conditions: readonly Comparison[] = used.flatMap((one) => one.conditions);
  const all = [...conditions, ...terms.filter((term) => !covered.has(term))];
  const [only] = all;
  return all.length > 1 ? { kind: 'and', terms: all } : only;
}

interface OutcomeOptions {
  readonly table: KeyedTable;
  readonly asked: Asked;
  readonly mayKeep: readonly string[];
}

function outcomeOf(
  filters: readonly (Filter | undefined)[],
  { table, asked, mayKeep }: OutcomeOptions,
): SimulatedQuery {
  const plans = filters.map(planQuery);
  const [plan] = plans as [Plan, ...Plan[]];
  const { top = Number.POSITIVE_INFINITY } = asked;
  const sums = { visited: 0, returned: 0, transactions: 0 };
  for (const one of plans) {
    const { visited, returned, pages } = table.visit(one, asked.top);
    sums.visited += visited;
    // If several queries replace one query, the program keeps at most `top` of the entities in all answers.
    sums.returned = Math.min(sums.returned + returned, top);
    sums.transactions += pages;
  }
  const names = new Set(filters.flatMap((filter) => (filter ? [...propertiesOf(filter)] : [])));
  return {
    filters: filters.map((filter) => (filter ? renderFilter(filter) : '')),
    plan: plan.kind,
    reason: describePlan(plan),
    ...sums,
    // For a scan of a table with copies, the advice is about the original filter of the application. The filter that is
    // sent has an added condition, which distinguishes entities from their copies.
    advice: planAdvice(table.designs.length > 1 && plan.kind === 'table scan' ? planQuery(asked.filter) : plan) ?? null,
    keeps: mayKeep.filter((name) => names.has(name)),
  };
}

// Tries a key design. This module finds which keys the entities of a sample would have, how the entities would be
// distributed over partitions, and what the queries of the application would cost. The emulator's planner plans the
// queries, and the advisor's functions judge the keys. The module does not use the store or the server. Every figure is
// exact for the sample.

import type { AdvisorRules } from '../advisor-rules.ts';
import type { RateTargets } from '../window.ts';
import { type Distribution, distributionOf } from './distribution.ts';
import { textAfter } from './key-conditions.ts';
import { type KeyExpression, literalPrefixOf, parseKeyExpression, propertiesOfKey } from './key-expression.ts';
import { type KeyDesign, KeyedTable, type KeyProblem } from './keyed-table.ts';
import type { Pause } from './pause.ts';
import { type AskedQuery, groupQueries, type QueryGroup, type TriedQuery } from './query-groups.ts';
import { noProperty, prepareSample, type Sample, type SampleEntity, SimulationFault } from './sample.ts';
import { cheapest, presentQuery, simulateQuery } from './simulated-query.ts';

/** The texts of the two key expressions (see parseKeyExpression). */
export interface KeyTexts {
  readonly partitionKey: string;
  readonly rowKey: string;
}

export interface SimulationRequest extends KeyTexts {
  /** If present, the design has a copy of each entity under these keys. */
  readonly index?: (KeyTexts & { readonly isInSameTable: boolean }) | undefined;
  readonly entities: readonly SampleEntity[];
  /** The number of entities in the table, if the sample does not contain all of them. */
  readonly total?: number | undefined;
  readonly queries: readonly AskedQuery[];
  readonly orderBy?: string | undefined;
  readonly givenOrder?: string | undefined;
  readonly settings: AdvisorRules;
  readonly targets: RateTargets;
  readonly pause: Pause;
}

export interface KeySimulation {
  /**
   * `total`: the number of entities from which the sample was taken. `order`: how the order of the writes is known,
   * such as `by Timestamp`. `order` is null if the order of the writes is not known.
   */
  readonly sample: { readonly entities: number; readonly total: number; readonly order: string | null };
  /** The distribution of the keys that the entities have now. Null if they have no keys. */
  readonly present: Distribution | null;
  /** The table with the new keys, and the index table if the design has one. */
  readonly tables: readonly SimulatedTable[];
  readonly writes: WriteCost;
  readonly queries: readonly QueryGroup[];
  /** Sums over all queries. `present` is null if the entities have no keys now. */
  readonly totals: { readonly present: Effort | null; readonly design: Effort };
  /**
   * Keys of the present design that the queries still need under the new design. The program must store each of these
   * keys in the property that `property` names.
   */
  readonly keeps: readonly { readonly key: string; readonly property: string }[];
}

export interface SimulatedTable {
  readonly name: TableRole;
  readonly keys: readonly KeyTexts[];
  readonly distribution: Distribution;
  readonly problems: readonly KeyProblem[];
}

export type TableRole = 'table' | 'index';

/** What it costs to write each entity of the sample once. */
export interface WriteCost {
  readonly entities: number;
  /** The number of entities that are written, including copies. The scalability targets count these. */
  readonly written: number;
  /** The number of billable requests if each entity is written separately, together with its copy. */
  readonly transactions: number;
  /** Whether an entity and its copy are written in one transaction. */
  readonly isAtomic: boolean;
}

export interface Effort {
  readonly visited: number;
  readonly transactions: number;
}

/** Throws KeyExpressionFault, SimulationFault, and ServiceError for a filter that the service refuses. */
export async function simulateKeys(request: SimulationRequest): Promise<KeySimulation> {
  const { pause, settings, targets, total } = request;
  if (request.entities.length === 0) throw new SimulationFault('there is no entity to try the keys with');
  const main = designOf(request);
  const second = request.index && designOf(request.index);
  const isInSameTable = second !== undefined && request.index?.isInSameTable === true;
  if (isInSameTable) checkApart(main, second);
  const sample = await prepareSample(request.entities, request);
  const designs = [main, ...(second ? [second] : [])].map((design) => resolved(design, sample));
  const present = await presentTable(sample, pause);
  const named = await namedTables(designs, { sample, isInSameTable, pause });
  const judge = { settings, targets, isOrderKnown: sample.order !== null };
  const tried = await tryQueries(request.queries, { sample, present, named, pause });
  const queries = groupQueries(tried);
  return {
    sample: { entities: sample.entities.length, total: total ?? sample.entities.length, order: sample.order },
    present: present ? distributionOf(present.written, judge) : null,
    tables: named.map(({ name, table }) => ({
      name,
      keys: keyTexts(request, name, isInSameTable),
      distribution: distributionOf(table.written, judge),
      problems: table.problems,
    })),
    writes: writeCost(named, designs),
    queries,
    totals: {
      present: present ? effortOf(queries, 'present') : null,
      design: effortOf(queries, 'design'),
    },
    keeps: sample.presentKeys
      .filter(({ property }) => tried.some(({ design }) => design.keeps.includes(property)))
      .map(({ key, property }) => ({ key, property })),
  };
}

function designOf({ partitionKey, rowKey }: KeyTexts): KeyDesign {
  return { partitionKey: parseKeyExpression(partitionKey), rowKey: parseKeyExpression(rowKey) };
}

/**
 * Throws SimulationFault unless the RowKeys of the entities and the RowKeys of the copies begin with different texts. A
 * query of the table needs this difference to distinguish entities from copies.
 */
function checkApart(a: KeyDesign, b: KeyDesign): void {
  const areApart = (one: KeyExpression, other: KeyExpression): boolean => {
    const [left, right] = [literalPrefixOf(one), literalPrefixOf(other)];
    if (textAfter(left) === undefined || textAfter(right) === undefined) return false;
    return !left.startsWith(right) && !right.startsWith(left);
  };
  if (areApart(a.rowKey, b.rowKey)) return;
  throw new SimulationFault(
    'copies in one table need RowKeys that begin with different texts, such as empid_{EmployeeId:000000} and email_{Email}',
  );
}

/** Replaces each present key in the key expressions of a design by the property that has the text of this key. */
function resolved({ partitionKey, rowKey }: KeyDesign, sample: Sample): KeyDesign {
  const resolve = (key: KeyExpression): KeyExpression => {
    const parts = key.parts.map((part) => {
      if (part.kind === 'literal') return part;
      const property = sample.presentKeys.find((present) => present.key === part.property)?.property;
      return property === undefined ? part : { ...part, property };
    });
    const missing = propertiesOfKey({ ...key, parts }).find((name) => !sample.types.has(name));
    if (missing !== undefined) throw noProperty(missing, sample.entities);
    return { ...key, parts };
  };
  return { partitionKey: resolve(partitionKey), rowKey: resolve(rowKey) };
}

async function presentTable(sample: Sample, pause: Pause): Promise<KeyedTable | undefined> {
  const [partitionKey, rowKey] = sample.presentKeys;
  if (!partitionKey || !rowKey) return undefined;
  const expressionOf = (property: string): KeyExpression => ({
    text: '',
    parts: [{ kind: 'value', property, format: { kind: 'plain' } }],
  });
  const design = { partitionKey: expressionOf(partitionKey.property), rowKey: expressionOf(rowKey.property) };
  return KeyedTable.build(sample, [design], pause);
}

interface NamedTable {
  readonly name: TableRole;
  readonly table: KeyedTable;
}

async function namedTables(
  designs: readonly KeyDesign[],
  { sample, isInSameTable, pause }: { readonly sample: Sample; readonly isInSameTable: boolean; readonly pause: Pause },
): Promise<readonly NamedTable[]> {
  const groups = isInSameTable ? [designs] : designs.map((design) => [design]);
  const named: NamedTable[] = [];
  for (const [at, group] of groups.entries()) {
    named.push({ name: at === 0 ? 'table' : 'index', table: await KeyedTable.build(sample, group, pause) });
  }
  return named;
}

function keyTexts(
  { partitionKey, rowKey, index }: SimulationRequest,
  name: TableRole,
  isInSameTable: boolean,
): KeyTexts[] {
  const second = index && { partitionKey: index.partitionKey, rowKey: index.rowKey };
  if (name === 'index') return second ? [second] : [];
  return [{ partitionKey, rowKey }, ...(second && isInSameTable ? [second] : [])];
}

interface Trial {
  readonly sample: Sample;
  readonly present: KeyedTable | undefined;
  readonly named: readonly NamedTable[];
  readonly pause: Pause;
}

async function tryQueries(queries: readonly AskedQuery[], trial: Trial): Promise<readonly TriedQuery[]> {
  const tried: TriedQuery[] = [];
  for (const query of queries) {
    await trial.pause();
    tried.push(tryQuery(query, trial));
  }
  return tried;
}

function tryQuery(query: AskedQuery, { sample, present, named }: Trial): TriedQuery {
  const { role, ...design } = cheapest(
    named.map(({ name, table }) => ({ ...simulateQuery(query, table, sample), role: name })),
  );
  return { query, present: present ? presentQuery(query, present) : null, design, table: role };
}

function writeCost(named: readonly NamedTable[], designs: readonly KeyDesign[]): WriteCost {
  const [main, second] = designs;
  const entities = new Set(named[0]?.table.written.map(({ at }) => at)).size;
  const written = named.reduce((sum, { table }) => sum + table.written.length, 0);
  const isAtomic = !second || (named.length === 1 && isSamePartition(main, second));
  return { entities, written, transactions: isAtomic ? entities : written, isAtomic };
}

const isSamePartition = (a: KeyDesign | undefined, b: KeyDesign): boolean =>
  JSON.stringify(a?.partitionKey.parts) === JSON.stringify(b.partitionKey.parts);

function effortOf(groups: readonly QueryGroup[], side: 'present' | 'design'): Effort {
  const sum = (name: keyof Effort): number => groups.reduce((all, group) => all + (group[side]?.[name] ?? 0), 0);
  return { visited: sum('visited'), transactions: sum('transactions') };
}

// Shows that an assistant can find a better key for the relational sample with nothing but the tools, as docs/agents.md
// describes. To prove that the key is better, the test loads the entities under the new key, and sends the same queries
// again.

import { TableClient } from '@azure/data-tables';
import { afterAll, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { runBadSample } from './bad-sample.ts';

const emulator = await startEmulator();
const mcp = await connectMcp(emulator.url, { allowsWrites: true });
afterAll(async () => {
  await mcp.client.close();
  await emulator.close();
});

interface Asked {
  readonly filters: readonly string[];
  readonly table: 'table' | 'index';
  readonly visited: number;
}

interface Simulation {
  readonly totals: Readonly<Record<'present' | 'design', { readonly visited: number }>>;
  readonly tables: readonly { readonly distribution: { readonly findings: readonly object[] } }[];
  readonly queries: readonly {
    readonly example: string;
    readonly requests: number;
    readonly present: { readonly plan: string; readonly visited: number };
    readonly design: Asked & { readonly plan: string };
  }[];
}

interface Page {
  readonly visited: number;
  readonly entities: readonly Readonly<Record<string, string>>[];
  readonly hasMore: boolean;
}

const found = <T>(name: string, input: Readonly<Record<string, unknown>>): Promise<T> =>
  mcp.found(name, input) as Promise<T>;

/** Reads every entity of a table with some properties, a hundred at a time. */
async function readAll(table: string, select: readonly string[]): Promise<Page['entities']> {
  const all: Readonly<Record<string, string>>[] = [];
  for (;;) {
    const last = all.at(-1);
    const filter = last ? `PartitionKey eq '${last['PartitionKey']}' and RowKey gt '${last['RowKey']}'` : '';
    const page = await found<Page>('query', { table, filter, select: ['PartitionKey', 'RowKey', ...select] });
    all.push(...page.entities);
    if (!page.hasMore) return all;
  }
}

it('a better key for the bad sample is found and proved with only the tools', async () => {
  const tableOf = (name: string): TableClient =>
    TableClient.fromConnectionString(emulator.connectionString, name, { allowInsecureConnection: true });
  await mcp.found('list_tables');
  await runBadSample({ people: tableOf('People'), visits: tableOf('Visits') });

  // First step: which tables exist, and what is wrong with them?
  const { tables } = await found<{ tables: { name: string; entities: number }[] }>('list_tables', {});
  const table = tables.toSorted((a, b) => b.entities - a.entities)[0]?.name ?? '';
  const advice = { table, rule: 'repeated-property-scan' };
  const { findings } = await found<{ findings: { evidence: Record<string, string> }[] }>('advise', advice);
  const property = findings[0]?.evidence['property'] ?? '';
  expect([table, property]).toEqual(['People', 'email']);

  // Second step: which keys are better?
  const index = { partitionKey: `{${property}}`, rowKey: '' };
  const candidates = [
    { partitionKey: `{${property}}`, rowKey: '' },
    { partitionKey: '{PartitionKey}', rowKey: '{RowKey}', index },
    { partitionKey: '{RowKey}', rowKey: '', index },
  ];
  const tried: Simulation[] = [];
  for (const candidate of candidates) tried.push(await found('simulate_keys', { table, ...candidate }));
  const best = tried.toSorted((a, b) => a.totals.design.visited - b.totals.design.visited)[0] as Simulation;
  expect(tried.indexOf(best)).toBe(2);
  expect(best.tables.flatMap(({ distribution }) => distribution.findings)).toEqual([]);
  expect(best.totals).toMatchObject({ present: { visited: 19_265 }, design: { visited: 6_076 } });

  // Third step: to check the prediction, store the entities under these keys, with the old keys as properties.
  const people = await readAll(table, [property, 'room']);
  expect(people).toHaveLength(1_200);
  const keyedBy = (key: string): object[] =>
    people.map(({ PartitionKey, RowKey, Timestamp: _, ...rest }) => ({
      ...rest,
      PartitionKey: { RowKey, ...rest }[key],
      RowKey: '',
      OldPartitionKey: PartitionKey,
      OldRowKey: RowKey,
    }));
  await mcp.found('seed', { table: 'PeopleById', entities: keyedBy('RowKey') });
  await mcp.found('seed', { table: 'PeopleByEmail', entities: keyedBy(property) });
  const visitedBy = async (name: string, filters: readonly string[]): Promise<number> => {
    let visited = 0;
    for (const filter of filters) visited += (await found<Page>('query', { table: name, filter })).visited;
    return visited;
  };
  const measured = [];
  for (const { example, requests, present, design } of best.queries) {
    // A page of the tools has only a hundred entities, so the query that returns the entire table is not repeated.
    if (example === '') continue;
    const before = (await visitedBy(table, [example])) * requests;
    const name = design.table === 'index' ? 'PeopleByEmail' : 'PeopleById';
    const after = (await visitedBy(name, design.filters)) * requests;
    expect([example, before, after]).toEqual([example, present.visited, design.visited]);
    measured.push(`${present.plan} → ${design.plan}, ${before} → ${after}`);
  }
  expect(measured.sort()).toEqual([
    'partition scan → table scan, 1200 → 1200',
    'point → point, 65 → 65',
    'table scan → point, 1200 → 1',
    'table scan → point, 12000 → 10',
    'table scan → table scan, 1200 → 1200',
  ]);
});

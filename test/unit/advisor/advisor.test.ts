// Tests the advisor with requests that the tests of single rules do not use: more requests than a window holds, from
// several accounts and sessions.

import { beforeEach, describe, expect, it } from 'vitest';
import { Advisor } from '../../../src/advisor/advisor.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import { newRequestRecord, type RequestRecord } from '../../../src/model/request-record.ts';
import { planQuery } from '../../../src/query/plan.ts';
import { ManualTime } from '../../support/manual-time.ts';

type Given = Partial<RequestRecord> & { readonly partitionKey?: string; readonly rowKey?: string };

const windowRequests = 4_096;
let time: ManualTime;
let advisor: Advisor;

beforeEach(() => {
  time = new ManualTime();
  advisor = new Advisor({
    settings: {},
    targets: { account: 1e9, partition: 1e9 },
    clock: time,
    time,
    storedBytes: async () => null,
  });
});

/** Notes an answered request, a millisecond after the previous one. */
function note(given: Given): void {
  time.advance(1);
  const record = newRequestRecord({
    requestId: 'id',
    clientRequestId: undefined,
    trace: undefined,
    isSecure: false,
    method: 'GET',
    url: '/',
    remoteAddress: '127.0.0.1',
    userAgent: 'app',
    connection: 1,
    connectionsOpen: 1,
    expectsContinue: false,
    startedAtMs: time.nowMs(),
    startedMs: time.monotonicMs(),
    headers: {},
    ...given,
  });
  Object.assign(record, { credential: 'key', account: 'one', table: 'Pets', status: 200, durationMs: 0.5 }, given);
  advisor.observe(record);
}

const operations = {
  insert: 'InsertEntity',
  insertOrReplace: 'InsertOrReplaceEntity',
  insertOrMerge: 'InsertOrMergeEntity',
  merge: 'MergeEntity',
} as const;

function mutationOf(kind: keyof typeof operations, partitionKey: string, rowKey: string): Mutation {
  const properties = new Map();
  if (kind === 'merge') return { kind, partitionKey, rowKey, properties, ifMatch: { kind: 'any' } };
  return { kind, partitionKey, rowKey, properties };
}

interface WriteOptions extends Given {
  readonly kind?: keyof typeof operations;
}

function write(partitionKey: string, rowKey: string, { kind = 'insert', ...given }: WriteOptions = {}): void {
  const mutation = mutationOf(kind, partitionKey, rowKey);
  note({ operation: operations[kind], partitionKey, rowKey, mutation, status: 204, bytesIn: 100, ...given });
}

function transact(partitionKey: string, rowKeys: readonly string[], given: Given = {}): void {
  const operation = operations.insertOrReplace;
  const members = rowKeys.map((rowKey, index) => {
    const mutation = mutationOf('insertOrReplace', partitionKey, rowKey);
    return { operation, table: 'Pets', partitionKey, rowKey, status: 204, index, refusal: undefined, mutation };
  });
  note({
    operation: 'EntityGroupTransaction',
    table: undefined,
    members,
    batchSize: members.length,
    status: 202,
    ...given,
  });
}

const get = (table: string, rowKey: string, given: Given = {}): void =>
  note({ operation: 'GetEntity', table, partitionKey: 'p', rowKey, ...given });

/** Notes a query of a partition, with an answer that has these rows. */
function query(table: string, rowKeys: readonly string[]): void {
  const value = { type: 'Edm.String', value: 'p' } as const;
  const plan = planQuery({ kind: 'comparison', property: 'PartitionKey', operator: 'eq', value });
  const entities = rowKeys.map((rowKey) => ({ partitionKey: 'p', rowKey, properties: '' }) as never);
  note({ operation: 'QueryEntities', table, plan, entities, visited: rowKeys.length, returned: rowKeys.length });
}

/** Notes requests that fill the rest of a window. */
function fillWindow(requests: number): void {
  for (let at = 0; at < requests; at++) note({ operation: 'QueryTables', table: undefined });
}

const raised = async (): Promise<string[]> =>
  (await advisor.report()).findings.map(({ rule, table }) => `${rule} ${table ?? '–'}`);
const pad = (at: number): string => String(at).padStart(6, '0');
const rows = ['1', '2', '3', '4', '5', '6'];

describe('lone-partition', () => {
  it('is raised only while the table has no other partition, regardless of earlier windows', async () => {
    for (let at = 0; at < 10_500; at++) write('all', pad(at), { connection: at });
    expect(await raised()).toContain('lone-partition Pets');
    const { findings } = await advisor.report();
    expect(findings.find(({ rule }) => rule === 'lone-partition')?.evidence).toMatchObject({
      partitionKey: "'all'",
      request: "POST /Pets(PartitionKey='all',RowKey='000000')",
    });
    write('another', '');
    expect(await raised()).not.toContain('lone-partition Pets');
  });

  it('is not raised for a deleted table, and starts again for a new table of the same name', async () => {
    for (let at = 0; at < 10_500; at++) write('all', pad(at), { connection: at });
    note({ operation: 'DeleteTable', status: 204 });
    expect(await raised()).not.toContain('lone-partition Pets');
    for (let at = 0; at < 10_500; at++) write('other', pad(at), { connection: at });
    expect(await raised()).toContain('lone-partition Pets');
  });
});

describe('append-only-keys', () => {
  const inOrder = (kind: keyof typeof operations, from: number): void => {
    for (let at = 0; at < 300; at++) write(`t${pad(from + at)}`, '', { kind });
  };

  it('is raised by partitions that come after those of earlier windows', async () => {
    write('s', '');
    fillWindow(windowRequests);
    expect(await raised()).toEqual([]);
    inOrder('insertOrReplace', 0);
    expect(await raised()).toEqual(['append-only-keys Pets']);
  });

  it('is not raised by partitions of an earlier window, nor by new partitions between them', async () => {
    write(`t${pad(0)}`, '');
    write(`t${pad(900)}`, '');
    fillWindow(windowRequests);
    expect(await raised()).toEqual([]);
    inOrder('insertOrReplace', 0);
    inOrder('insert', 400);
    expect(await raised()).toEqual([]);
  });

  it('is not raised by updates, because their partitions exist already', async () => {
    inOrder('merge', 0);
    expect(await raised()).toEqual([]);
  });
});

describe('a window that is full while another window is judged', () => {
  it('keeps rare requests, counts all for key order and load, and is judged afterwards', async () => {
    for (let at = 0; at < 3 * windowRequests; at++) write(`t${pad(at)}`, '', { connection: at });
    for (const row of rows) get('Pets', row, { status: 404 });
    const report = await advisor.report();
    expect(report.requests).toBe(3 * windowRequests + rows.length);
    expect(report.notJudged).toBeGreaterThan(windowRequests / 2);
    expect(report.findings.find(({ rule }) => rule === 'append-only-keys')?.count).toBe(3 * windowRequests);
    const notJudged = report.notJudged;
    for (let at = 0; at < 100; at++) write(`t${pad(at)}`, '', { kind: 'merge' });
    expect(await advisor.report()).toMatchObject({ notJudged });
  });
});

describe('hot-partition', () => {
  it('counts the requests inside transactions', async () => {
    for (let at = 0; at < 10; at++)
      transact(
        'hot',
        Array.from({ length: 60 }, (_, row) => `${at}-${row}`),
      );
    for (let at = 0; at < 10; at++)
      transact(
        `p${at}`,
        Array.from({ length: 41 }, (_, row) => `${at}-${row}`),
      );
    expect(await raised()).toEqual(['hot-partition Pets']);
    const [finding] = (await advisor.report()).findings;
    expect(finding?.evidence).toMatchObject({ requests: 600, ofRequests: 1_010 });
  });
});

describe('requests of several accounts with the same tables and keys', () => {
  const accounts = ['one', 'two'];

  it('are not colliding transactions', async () => {
    for (let at = 0; at < 5; at++) {
      for (const account of accounts)
        transact('p', ['total'], { account, connection: accounts.indexOf(account), durationMs: 5 });
    }
    expect(await raised()).not.toContain('colliding-transactions Pets');
    for (let at = 0; at < 3; at++) {
      for (const connection of [1, 2]) transact('q', ['total'], { connection, durationMs: 5 });
    }
    expect(await raised()).toContain('colliding-transactions Pets');
  });

  it('are not retries of each other', async () => {
    const refused = { operation: 'GetEntity', partitionKey: 'p', rowKey: 'r', url: '/Pets', status: 404 };
    for (const account of [...accounts, ...accounts]) note({ ...refused, account });
    expect(await raised()).toEqual([]);
    note({ ...refused, account: 'one' });
    expect(await raised()).toEqual(['retry-of-final-error Pets']);
  });
});

describe('chained-reads of another table', () => {
  it('are raised if the reads begin on the connection of the query', async () => {
    query('Index', rows);
    for (const [at, row] of rows.entries()) get('Pets', row, { connection: 1 + (at % 3) });
    expect(await raised()).toEqual(['chained-reads Index']);
  });

  it('are not raised by another session with the same keys', async () => {
    query('Index', rows);
    for (const row of rows) get('Pets', row, { connection: 2 });
    expect(await raised()).toEqual([]);
  });

  it('are not raised if the client wrote the entities after the query', async () => {
    query('Index', rows);
    for (const row of rows) write('p', row);
    time.advance(1_000);
    for (const row of rows) get('Pets', row);
    expect(await raised()).toEqual([]);
  });
});

it('a replacement after a reset is not compared with the entity before the reset', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
  const properties = new Map(names.map((name) => [name, { type: 'Edm.Int32', value: 1 } as const]));
  const put = (rowKey: string): void => {
    const mutation = { kind: 'insertOrReplace', partitionKey: 'p', rowKey, properties } as const;
    note({ operation: 'InsertOrReplaceEntity', partitionKey: 'p', rowKey, mutation, status: 204, bytesIn: 100 });
  };
  for (const row of rows) put(row);
  advisor.forget('one');
  for (const row of rows) put(row);
  expect(await raised()).toEqual([]);
  for (const row of rows) put(row);
  expect(await raised()).toEqual(['replace-for-merge Pets']);
});

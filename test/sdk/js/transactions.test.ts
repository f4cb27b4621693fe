// Entity group transactions with @azure/data-tables.
import { randomBytes } from 'node:crypto';
import { RestError, TableClient, type TransactionAction } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../support/start-server.ts';
import { scenario } from './scenario.ts';

const modes = ['Replace', 'Merge'] as const;
let server: RunningServer;
let table: TableClient;

beforeAll(async () => {
  server = await startServer();
  const options = { allowInsecureConnection: true };
  const name = `jsTransactions${randomBytes(4).toString('hex')}`;
  table = TableClient.fromConnectionString(server.connectionString, name, options);
  await table.createTable();
}, 240_000);

afterAll(async () => {
  await table?.deleteTable();
  await server?.stop();
});

/** Makes a new partition with these rows. */
async function partitionOf(...rowKeys: string[]): Promise<string> {
  const partitionKey = randomBytes(6).toString('hex');
  for (const rowKey of rowKeys) await table.createEntity({ partitionKey, rowKey, a: 1, b: 'old' });
  return partitionKey;
}

/** The properties a, b and c of all entities in a partition, by row key. */
async function rowsOf(partitionKey: string): Promise<Record<string, object>> {
  const rows: Record<string, object> = {};
  const filter = `PartitionKey eq '${partitionKey}'`;
  for await (const { rowKey = '', a, b, c } of table.listEntities({ queryOptions: { filter } })) {
    rows[rowKey] = Object.fromEntries(Object.entries({ a, b, c }).filter(([, value]) => value !== undefined));
  }
  return rows;
}

/** What the SDK reports about a failed transaction. */
async function failureOf(actions: TransactionAction[]): Promise<{ status?: number; code?: string; message: string }> {
  try {
    await table.submitTransaction(actions);
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    const { statusCode, code, message } = error;
    return { ...(statusCode && { status: statusCode }), ...(code && { code }), message };
  }
  throw new Error('the transaction did not fail');
}

describe('@azure/data-tables: transactions', () => {
  it('create entities, and return the ETag of each', async () => {
    const partitionKey = await partitionOf();
    const { status, subResponses, getResponseForEntity } = await table.submitTransaction([
      ['create', { partitionKey, rowKey: 'one', a: 1 }],
      ['create', { partitionKey, rowKey: 'two', a: 2 }],
    ]);
    expect(status).toBe(202);
    expect(subResponses.map((answer) => [answer.status, answer.rowKey])).toEqual([
      [204, 'one'],
      [204, 'two'],
    ]);
    expect(getResponseForEntity('one')?.etag).toBe((await table.getEntity(partitionKey, 'one')).etag);
    expect(await rowsOf(partitionKey)).toEqual({ one: { a: 1 }, two: { a: 2 } });
  });

  it('find entities with quotes, spaces and Unicode in their keys', async () => {
    const rowKeys = ["it's", 'a b', '\u6f22', '50%', "',RowKey='"];
    const partitionKey = await partitionOf(...rowKeys);
    await table.submitTransaction(
      rowKeys.map((rowKey): TransactionAction => ['update', { partitionKey, rowKey, c: 3 }, 'Replace']),
    );
    expect(await rowsOf(partitionKey)).toEqual(Object.fromEntries(rowKeys.map((rowKey) => [rowKey, { c: 3 }])));
  });

  it.each(modes)('update entities: %s', async (mode) => {
    const partitionKey = await partitionOf('x', 'y');
    const actions = ['x', 'y'].map((rowKey): TransactionAction => ['update', { partitionKey, rowKey, c: 3 }, mode]);
    const { subResponses } = await table.submitTransaction(actions);
    expect(subResponses.map(({ status }) => status)).toEqual([204, 204]);
    const expected = mode === 'Merge' ? { a: 1, b: 'old', c: 3 } : { c: 3 };
    expect(await rowsOf(partitionKey)).toEqual({ x: expected, y: expected });
  });

  it.each(modes)('upsert new and existing entities: %s', async (mode) => {
    const partitionKey = await partitionOf('old');
    const actions = ['new', 'old'].map((rowKey): TransactionAction => ['upsert', { partitionKey, rowKey, c: 3 }, mode]);
    await table.submitTransaction(actions);
    const expected = mode === 'Merge' ? { a: 1, b: 'old', c: 3 } : { c: 3 };
    expect(await rowsOf(partitionKey)).toEqual({ new: { c: 3 }, old: expected });
  });

  scenario('transaction-kinds', async () => {
    const partitionKey = await partitionOf('gone', 'kept');
    const { subResponses } = await table.submitTransaction([
      ['delete', { partitionKey, rowKey: 'gone' }],
      ['create', { partitionKey, rowKey: 'new' }],
      ['update', { partitionKey, rowKey: 'kept', b: 'new' }, 'Merge'],
      ['upsert', { partitionKey, rowKey: 'upserted' }, 'Replace'],
    ]);
    expect(subResponses.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(await rowsOf(partitionKey)).toEqual({ kept: { a: 1, b: 'new' }, new: {}, upserted: {} });
  });

  scenario('transaction-100', async () => {
    const partitionKey = await partitionOf();
    const actions = Array.from({ length: 100 }, (_, a): TransactionAction => {
      return ['create', { partitionKey, rowKey: String(a).padStart(3, '0'), a }];
    });
    const { subResponses } = await table.submitTransaction(actions);
    expect(subResponses).toHaveLength(100);
    expect(Object.values(await rowsOf(partitionKey))).toEqual(actions.map((_, a) => ({ a })));
  });

  it('fail with 400 InvalidInput for 101 operations, and write nothing', async () => {
    const partitionKey = await partitionOf();
    const actions = Array.from({ length: 101 }, (_, a): TransactionAction => {
      return ['create', { partitionKey, rowKey: String(a) }];
    });
    expect(await failureOf(actions)).toMatchObject({ status: 400, code: 'InvalidInput' });
    expect(await rowsOf(partitionKey)).toEqual({});
  });

  scenario('transaction-fails', async () => {
    const partitionKey = await partitionOf('taken');
    const failure = await failureOf([
      ['create', { partitionKey, rowKey: 'new' }],
      ['create', { partitionKey, rowKey: 'taken' }],
    ]);
    expect(failure).toMatchObject({ status: 409, code: 'EntityAlreadyExists' });
    expect(failure.message).toContain('1:The specified entity already exists.');
    expect(await rowsOf(partitionKey)).toEqual({ taken: { a: 1, b: 'old' } });
  });

  it('fail with 412 when an ETag is stale, and with 404 when an entity is missing', async () => {
    const partitionKey = await partitionOf('row');
    const { etag = '' } = await table.getEntity(partitionKey, 'row');
    await table.updateEntity({ partitionKey, rowKey: 'row', a: 2 }, 'Merge');
    expect(
      await failureOf([
        ['create', { partitionKey, rowKey: 'new' }],
        ['update', { partitionKey, rowKey: 'row', a: 3 }, 'Merge', { etag }],
      ]),
    ).toMatchObject({ status: 412, code: 'UpdateConditionNotSatisfied' });
    expect(
      await failureOf([
        ['create', { partitionKey, rowKey: 'new' }],
        ['delete', { partitionKey, rowKey: 'none' }],
      ]),
    ).toMatchObject({ status: 404, code: 'ResourceNotFound' });
    expect(await rowsOf(partitionKey)).toEqual({ row: { a: 2, b: 'old' } });
  });
});

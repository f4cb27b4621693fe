// @azure/data-tables, with its retries, meets every kind of fault.

import { AzureNamedKeyCredential, RestError, TableClient, type TransactionAction } from '@azure/data-tables';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultRule, startEmulator } from '../../../src/index.ts';
import { developmentKey } from '../../support/table-client.ts';

const emulator = await startEmulator();
afterAll(() => emulator.close());
afterEach(() => emulator.faults.clear());

const credential = new AzureNamedKeyCredential('devstoreaccount1', developmentKey);
const retryOptions = { retryDelayInMs: 1, maxRetryDelayInMs: 20 };

function clientOf(table: string, maxRetries = 3): TableClient {
  return new TableClient(`${emulator.url}/devstoreaccount1`, table, credential, {
    allowInsecureConnection: true,
    retryOptions: { ...retryOptions, maxRetries },
  });
}

let tables = 0;
let orders: TableClient;
beforeEach(async () => {
  orders = clientOf(`orders${tables++}`);
  await orders.createTable();
});

const entity = { partitionKey: 'p', rowKey: 'r', value: 1 };

async function keysOf(client = orders): Promise<string[]> {
  const keys: string[] = [];
  for await (const { rowKey = '' } of client.listEntities()) keys.push(rowKey);
  return keys;
}

async function hits(): Promise<number[]> {
  return (await emulator.faults.list()).map((rule) => rule.hits);
}

/** The status of the error with which an action ends, or `done` if it succeeds. */
async function endOf(action: Promise<unknown>): Promise<number | string> {
  try {
    await action;
    return 'done';
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return error.statusCode ?? error.code ?? 'failed';
  }
}

const inserts = { operation: 'InsertEntity' } as const;

describe('An insert with a lost response', () => {
  it.each(['timeout', 'reset'] as const)('by a %s after the commit ends in 409, with one entity', async (kind) => {
    await emulator.faults.add({ match: inserts, when: { first: 1 }, fault: { kind, at: 'afterCommit' } });
    expect(await endOf(orders.createEntity(entity))).toBe(409);
    expect([await keysOf(), await hits()]).toEqual([['r'], [1]]);
  });

  it.each(['timeout', 'reset'] as const)('by a %s before the commit ends in one entity', async (kind) => {
    await emulator.faults.add({ match: inserts, when: { first: 1 }, fault: { kind, at: 'beforeCommit' } });
    expect(await endOf(orders.createEntity(entity))).toBe('done');
    expect([await keysOf(), await hits()]).toEqual([['r'], [1]]);
  });

  it('ends in one entity if it is an upsert', async () => {
    await emulator.faults.add({ when: { first: 1 }, fault: { kind: 'reset', at: 'afterCommit' } });
    expect(await endOf(orders.upsertEntity(entity, 'Replace'))).toBe('done');
    expect(await keysOf()).toEqual(['r']);
  });

  it('is refused in later attempts because of the entity that the first one wrote: refusals are not lost', async () => {
    await emulator.faults.add({ match: inserts, fault: { kind: 'timeout', at: 'afterCommit' } });
    expect(await endOf(orders.createEntity(entity))).toBe(409);
    expect([await keysOf(), await hits()]).toEqual([['r'], [1]]);
  });

  it.each([
    ['beforeCommit', []],
    ['afterCommit', ['r']],
  ] as const)('by a hang at %s is stored or not when the client gives up', async (at, keys) => {
    await emulator.faults.add({ match: inserts, when: { first: 1 }, fault: { kind: 'hang', at } });
    const abort = new AbortController();
    const attempt = orders.createEntity(entity, { abortSignal: abort.signal });
    await expect.poll(hits).toEqual([1]);
    abort.abort();
    await expect(attempt).rejects.toThrow('abort');
    expect(await keysOf()).toEqual(keys);
  });
});

describe('A batch', () => {
  const actions: TransactionAction[] = ['a', 'b', 'c'].map((rowKey) => ['create', { partitionKey: 'p', rowKey }]);

  it.each(['timeout', 'reset'] as const)(
    'with a %s after the commit, at an operation inside, was carried out; a second attempt is refused',
    async (kind) => {
      const match = { ...inserts, rowKey: 'b' };
      await emulator.faults.add({ match, when: { first: 1 }, fault: { kind, at: 'afterCommit' } });
      expect(await endOf(orders.submitTransaction(actions))).toBe(kind === 'timeout' ? 500 : 409);
      expect([await keysOf(), await hits()]).toEqual([['a', 'b', 'c'], [1]]);
    },
  );

  it.each(['timeout', 'reset'] as const)(
    'with a %s before the commit, at an operation inside, was not carried out; a second attempt is',
    async (kind) => {
      const match = { ...inserts, rowKey: 'b' };
      await emulator.faults.add({ match, when: { first: 1 }, fault: { kind, at: 'beforeCommit' } });
      const first = await endOf(orders.submitTransaction(actions));
      expect(first).toBe(kind === 'timeout' ? 500 : 'done');
      if (kind === 'timeout') {
        expect(await keysOf()).toEqual([]);
        expect(await endOf(orders.submitTransaction(actions))).toBe('done');
      }
      expect([await keysOf(), await hits()]).toEqual([['a', 'b', 'c'], [1]]);
    },
  );

  it('fails completely with the error of an operation inside, and names its index', async () => {
    await emulator.faults.add({ match: { rowKey: 'b' }, fault: { kind: 'error', code: 'InternalError' } });
    const failure = await orders.submitTransaction(actions).catch((error: unknown) => error);
    expect(failure).toMatchObject({ statusCode: 500, code: 'InternalError' });
    expect((failure as RestError).message).toMatch(/^1:/);
    expect([await keysOf(), await hits()]).toEqual([[], [1]]);
  });

  it('fails at the index that a fault of batches names', async () => {
    const match = { operation: 'EntityGroupTransaction' };
    await emulator.faults.add({ match, fault: { kind: 'error', code: 'EntityAlreadyExists', failedAt: 2 } });
    const failure = await orders.submitTransaction(actions).catch((error: unknown) => error);
    expect(failure).toMatchObject({ statusCode: 409, code: 'EntityAlreadyExists' });
    expect((failure as RestError).message).toMatch(/^2:/);
    expect(await keysOf()).toEqual([]);
  });

  it.each(['timeout', 'reset'] as const)('whose response is lost by a %s is tried again by the SDK', async (kind) => {
    const match = { operation: 'EntityGroupTransaction' };
    await emulator.faults.add({ match, when: { first: 1 }, fault: { kind, at: 'afterCommit' } });
    expect(await endOf(orders.submitTransaction(actions))).toBe(409);
    expect([await keysOf(), await hits()]).toEqual([['a', 'b', 'c'], [1]]);
  });
});

describe('A query', () => {
  const rowKeys = Array.from({ length: 5 }, (_, at) => `r${at}`);
  beforeEach(async () => {
    await orders.submitTransaction(rowKeys.map((rowKey) => ['create', { partitionKey: 'p', rowKey }]));
  });

  it.each<[string, FaultRule['when'], number]>([
    ['once', { first: 1 }, 1],
    ['three times', { first: 3 }, 3],
    ['every other time', { every: 2 }, 0],
    ['always', undefined, 1],
  ])('with an empty page %s is read to its end by the SDK', async (_, when, count) => {
    await emulator.faults.add({ ...(when && { when }), fault: { kind: 'shortPage', entities: 0 } });
    expect(await keysOf()).toEqual(rowKeys);
    expect(await hits()).toEqual([count]);
  });

  it('with an empty page ends early in a loop that takes an empty page for the end', async () => {
    await emulator.faults.add({ when: { first: 1 }, fault: { kind: 'shortPage', entities: 0 } });
    const seen: string[] = [];
    for await (const page of orders.listEntities().byPage()) {
      if (page.length === 0) break;
      seen.push(...page.map(({ rowKey = '' }) => rowKey));
    }
    expect(seen).toEqual([]);
  });

  it('with pages of two entities has three pages', async () => {
    await emulator.faults.add({ fault: { kind: 'shortPage', entities: 2 } });
    const sizes: number[] = [];
    for await (const page of orders.listEntities().byPage()) sizes.push(page.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect(await hits()).toEqual([2]);
  });

  it('with an expired continuation fails with 400', async () => {
    await emulator.faults.add({ when: { first: 1 }, fault: { kind: 'expireContinuation' } });
    const read = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const page of orders.listEntities().byPage({ maxPageSize: 2 })) {
        keys.push(...page.map(({ rowKey = '' }) => rowKey));
      }
      return keys;
    };
    const failure = await read().catch((error: unknown) => error);
    expect(failure).toMatchObject({ statusCode: 400, message: expect.stringContaining('InvalidInput') });
    expect(await hits()).toEqual([1]);
    expect(await read()).toEqual(rowKeys);
  });

  it.each<[string, FaultRule['fault']]>([
    ['cut', { kind: 'truncate', bytes: 100 }],
    ['reset', { kind: 'reset', at: 'midBody' }],
  ])('with a response that is %s in the middle returns no entities; a second attempt returns all', async (_, fault) => {
    await emulator.faults.add({ when: { first: 1 }, fault });
    const keys = await keysOf().catch((error: unknown) => error);
    if (keys instanceof Error) expect(await keysOf()).toEqual(rowKeys);
    else expect(keys).toEqual(rowKeys);
    expect(await hits()).toEqual([1]);
  });

  it.each<[string, FaultRule['fault']]>([
    ['delayed', { kind: 'delay', ms: 30 }],
    ['delayed at random', { kind: 'delay', p50Ms: 1, p99Ms: 20 }],
    ['slow', { kind: 'drip', bytesPerSecond: 20_000 }],
    ['cut behind its end', { kind: 'truncate', bytes: 1_000_000 }],
  ])('with a response that is %s is complete', async (_, fault) => {
    await emulator.faults.add({ fault });
    expect(await keysOf()).toEqual(rowKeys);
    expect(await hits()).toEqual([1]);
  });
});

describe('A request', () => {
  it('is tried again by the SDK if the service is busy or fails', async () => {
    await emulator.faults.add({ when: { nth: 1 }, fault: { kind: 'error', code: 'ServerBusy' } });
    await emulator.faults.add({ when: { nth: 2 }, fault: { kind: 'error', code: 'InternalError' } });
    await orders.createEntity(entity);
    expect(await hits()).toEqual([1, 1]);
  });

  it('that is signed with the key does not match a rule about shared access signatures', async () => {
    const match = { credential: '*Sas' };
    await emulator.faults.add({ match, when: { first: 1 }, fault: { kind: 'error', code: 'AuthenticationFailed' } });
    await orders.createEntity(entity);
    expect(await hits()).toEqual([0]);
  });
});

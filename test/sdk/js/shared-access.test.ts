// Tests the signatures that @azure/data-tables for JavaScript makes, and the stored policies that this package sets.
// The emulator must allow what each signature and each policy says.
import { randomBytes } from 'node:crypto';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  TableClient,
  type TableSasPermissions,
  type TableSasSignatureValues,
  TableServiceClient,
} from '@azure/data-tables';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../support/start-server.ts';
import { scenario } from './scenario.ts';
import { answerOf } from './wire-answer.ts';

const options = { allowInsecureConnection: true };
const name = `jsShared${randomBytes(4).toString('hex')}`;
let server: RunningServer;
let owner: TableClient;
let credential: AzureNamedKeyCredential;

beforeAll(async () => {
  server = await startServer();
  owner = TableClient.fromConnectionString(server.connectionString, name, options);
  await owner.createTable();
  const key = /AccountKey=([^;]+)/.exec(server.connectionString)?.[1] ?? '';
  credential = new AzureNamedKeyCredential('devstoreaccount1', key);
}, 240_000);

afterAll(async () => {
  await owner?.deleteTable();
  await server?.stop();
});

beforeEach(prepareEntities);

async function prepareEntities(): Promise<void> {
  for (const partitionKey of ['a', 'b', 'c']) await owner.upsertEntity({ partitionKey, rowKey: '1', n: 1 }, 'Replace');
  for (const rowKey of ['new', 'put']) await owner.deleteEntity('b', rowKey).catch(() => undefined);
}

const tokenFor = (values?: TableSasSignatureValues): string => generateTableSas(name, credential, values);
const holding = (token: string, table = name): TableClient =>
  new TableClient(server.url, table, new AzureSASCredential(token), options);
const serviceHolding = (token: string): TableServiceClient =>
  new TableServiceClient(server.url, new AzureSASCredential(token), options);

async function partitionsSeen(client: TableClient): Promise<string> {
  const seen: (string | undefined)[] = [];
  for await (const { partitionKey } of client.listEntities()) seen.push(partitionKey);
  return seen.join('');
}

/** The responses to requests of each kind: get, insert, update, upsert and delete. */
async function answersTo(client: TableClient): Promise<string[]> {
  const entity = { partitionKey: 'b', rowKey: '1', n: 2 };
  const answers = [
    await answerOf((o) => client.getEntity('b', '1', o)),
    await answerOf((o) => client.createEntity({ partitionKey: 'b', rowKey: 'new' }, o)),
    await answerOf((o) => client.updateEntity(entity, 'Merge', o)),
    await answerOf((o) => client.upsertEntity({ partitionKey: 'b', rowKey: 'put' }, 'Replace', o)),
    await answerOf((o) => client.deleteEntity('b', '1', o)),
  ];
  return answers.map((answer) => answer.replace('AuthorizationPermissionMismatch', 'permission'));
}

const refused = '403 permission';

describe('@azure/data-tables: a signature for a table', () => {
  it('allows only reads, if it is made without options', async () => {
    expect(await answersTo(holding(tokenFor()))).toEqual(['200', refused, refused, refused, refused]);
    expect(await partitionsSeen(holding(tokenFor()))).toBe('abc');
  });

  const permitted: readonly [TableSasPermissions, readonly string[]][] = [
    [{ query: true }, ['200', refused, refused, refused, refused]],
    [{ add: true }, [refused, '204', refused, refused, refused]],
    [{ update: true }, [refused, refused, '204', refused, refused]],
    [{ delete: true }, [refused, refused, refused, refused, '204']],
    [{ add: true, update: true }, [refused, '204', '204', '204', refused]],
    [{ query: true, add: true, update: true, delete: true }, ['200', '204', '204', '204', '204']],
  ];
  scenario('sas-table', async () => {
    for (const [permissions, expected] of permitted) {
      await prepareEntities();
      expect(await answersTo(holding(tokenFor({ permissions }))), JSON.stringify(permissions)).toEqual(expected);
    }
  });

  scenario('sas-range', async () => {
    const permissions = { query: true, add: true, update: true, delete: true };
    const client = holding(tokenFor({ permissions, startPartitionKey: 'b', endPartitionKey: 'b' }));
    expect(await partitionsSeen(client)).toBe('b');
    expect(await answerOf((o) => client.getEntity('a', '1', o))).toBe('404 ResourceNotFound');
    expect(await answerOf((o) => client.deleteEntity('a', '1', o))).toBe('403 AuthorizationFailure');
    expect(await partitionsSeen(owner)).toBe('abc');
  });

  it('allows a transaction, and refuses a transaction outside its range', async () => {
    const permissions = { query: true, add: true };
    const client = holding(tokenFor({ permissions, startPartitionKey: 'b', startRowKey: 'm', endPartitionKey: 'b' }));
    const create = (rowKey: string): ['create', { partitionKey: string; rowKey: string }] => [
      'create',
      { partitionKey: 'b', rowKey },
    ];
    await expect(client.submitTransaction([create('new'), create('d')])).rejects.toMatchObject({ statusCode: 403 });
    expect(await partitionsSeen(owner)).toBe('abc');
    expect((await client.submitTransaction([create('new'), create('put')])).status).toBe(202);
  });

  async function expectRefusal(values: TableSasSignatureValues): Promise<void> {
    const client = holding(tokenFor({ permissions: { query: true }, ...values }));
    expect(await answerOf((o) => client.getEntity('b', '1', o))).toBe('403 AuthenticationFailed');
  }

  scenario('sas-expired', () => expectRefusal({ expiresOn: new Date(Date.now() - 60_000) }));

  it('that is not valid yet is refused', () => expectRefusal({ startsOn: new Date(Date.now() + 60_000) }));

  it('does not allow access to another table or to the list of tables', async () => {
    expect(await answerOf((o) => holding(tokenFor(), `${name}x`).getEntity('b', '1', o))).toBe(
      '403 AuthorizationFailure',
    );
    await expect(serviceHolding(tokenFor()).listTables().next()).rejects.toMatchObject({ statusCode: 403 });
  });
});

describe('@azure/data-tables: a signature for the account', () => {
  it('lists tables and reads entities, if it is made without options', async () => {
    const token = generateAccountSas(credential);
    expect((await serviceHolding(token).listTables().next()).value?.name).toBe(name);
    expect(await partitionsSeen(holding(token))).toBe('abc');
  });

  scenario('sas-account', async () => {
    const permissions = { query: true, list: true };
    const ofTables = generateAccountSas(credential, { permissions, resourceTypes: 'c' });
    expect((await serviceHolding(ofTables).listTables().next()).value?.name).toBe(name);
    expect(await answerOf((o) => holding(ofTables).getEntity('b', '1', o))).toBe(
      '403 AuthorizationResourceTypeMismatch',
    );
    const ofEntities = generateAccountSas(credential, { permissions, resourceTypes: 'o' });
    expect((await answersTo(holding(ofEntities)))[0]).toBe('200');
    await expect(serviceHolding(ofEntities).listTables().next()).rejects.toMatchObject({ statusCode: 403 });
  });

  scenario('sas-https', async () => {
    const token = generateAccountSas(credential, { permissions: { query: true }, protocol: 'https' });
    const answer = await answerOf((o) => holding(token).getEntity('b', '1', o));
    expect(answer).toBe('403 AuthorizationProtocolMismatch');
  });

  it('reads the service properties, if the service is among its resource types', async () => {
    const token = generateAccountSas(credential, { permissions: { query: true }, resourceTypes: 's' });
    expect((await serviceHolding(token).getProperties()).logging?.version).toBe('1.0');
    await expect(serviceHolding(token).setProperties({ cors: [] })).rejects.toMatchObject({ statusCode: 403 });
  });
});

describe('@azure/data-tables: a stored policy', () => {
  const startsOn = new Date('2024-01-01T00:00:00Z');
  const expiresOn = new Date('2099-01-01T00:00:00Z');

  it('is returned as it was set', async () => {
    const policies = [
      { id: 'readers', accessPolicy: { start: startsOn, expiry: expiresOn, permission: 'r' } },
      { id: 'empty & é' },
    ];
    await owner.setAccessPolicy(policies);
    const found = (await owner.getAccessPolicy()).map(({ id, accessPolicy }) => ({ id, ...accessPolicy }));
    expect(found).toMatchObject([
      { id: 'readers', start: startsOn, expiry: expiresOn, permission: 'r' },
      { id: 'empty & é' },
    ]);
    await owner.setAccessPolicy([]);
    expect(await owner.getAccessPolicy()).toEqual([]);
  });

  scenario('sas-policy', async () => {
    await owner.setAccessPolicy([{ id: 'readers', accessPolicy: { expiry: expiresOn, permission: 'r' } }]);
    const client = holding(tokenFor({ identifier: 'readers' }));
    expect(await answersTo(client)).toEqual(['200', refused, refused, refused, refused]);
    await owner.setAccessPolicy([]);
    expect(await answerOf((o) => client.getEntity('b', '1', o))).toBe('403 AuthenticationFailed');
  });
});

/** Advances the clock of the emulator, or resets it. */
async function turnClock(method: 'POST' | 'DELETE', body?: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${new URL(server.url).origin}/_emulator/clock`, init);
  expect(response.status, await response.text()).toBe(200);
}

// This test must be last: timestamps stay in the future to which it advances the clock.
describe('@azure/data-tables: the clock', () => {
  scenario('clock', async () => {
    const dayMs = 86_400_000;
    const reader = holding(tokenFor({ permissions: { query: true } }));
    const read = () => answerOf((o) => reader.getEntity('b', '1', o));
    const before = Date.parse((await owner.getEntity('b', '1')).timestamp ?? '');
    expect(await read()).toBe('200');
    await turnClock('POST', { advanceMs: dayMs });
    try {
      const entity = { partitionKey: 'b', rowKey: '1', n: 2 };
      expect(await answerOf((o) => owner.upsertEntity(entity, 'Replace', o))).toBe('204');
      expect(await read()).toBe('403 AuthenticationFailed');
    } finally {
      await turnClock('DELETE');
    }
    const after = Date.parse((await owner.getEntity('b', '1')).timestamp ?? '');
    expect(after - before).toBeGreaterThanOrEqual(dayMs);
    expect(await read()).toBe('200');
  });
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { setCors } from '../../support/expect-xml.ts';
import { keepsFiles, type Service, startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { replaceByForeignDatabase } from '../../unit/storage/sqlite/harms.ts';

const path = '/_emulator/reset';
const first = 'devstoreaccount1';
const other = 'otheraccount';
const unused = 'unusedaccount';
const folder = temporaryFolder();
const location = join(folder.path, 'data');
const service = await startService({
  location,
  accounts: [first, other, unused].map((name) => ({ name, keys: [developmentKey] })),
});
const delayed = await startService({ tableDeleteDelayMs: 60_000 });
const open = await startService({ accounts: 'any' });
afterAll(() => folder.remove());

const inOther = service.with({ prefix: `/${other}`, account: other });

const reset = (body: object | string, { origin }: Service = service): Promise<ControlAnswer> =>
  ask(origin, { path, body });

type Sender = Pick<Service, 'send'>;

async function tablesOf({ send }: Sender): Promise<readonly string[]> {
  const { body } = await send({ method: 'GET', path: '/Tables' });
  return JSON.parse(body).value.map(({ TableName }: { TableName: string }) => TableName);
}

async function entitiesOf({ send }: Sender, table: string): Promise<number> {
  const { body } = await send({ method: 'GET', path: `/${table}()` });
  return JSON.parse(body).value.length;
}

/** Creates the table Pets if it is missing, with one entity. */
async function fill({ send }: Sender): Promise<void> {
  await send({ method: 'POST', path: '/Tables', body: '{"TableName":"Pets"}' });
  await send({ method: 'POST', path: '/Pets', body: '{"PartitionKey":"p","RowKey":"r"}' });
  expect(await entitiesOf({ send }, 'Pets')).toBe(1);
}

beforeEach(async () => {
  for (const client of [service, inOther]) await fill(client);
});

describe('Reset refuses to read', () => {
  it.each([
    ['nothing', '', /[Bb]ody/],
    ['no object', '[]', /The body must be object/],
    ['no JSON', '{"table":', /JSON/],
    ['a table that is not a string', { table: null }, /"table" must be string/],
    ['an account that is not a string', { account: [first] }, /"account" must be string/],
    ['a member it does not know', { acount: first }, /"acount", which means nothing here/],
  ])('%s: 400 InvalidRequest with the wrong member, and resets nothing', async (_, body, message) => {
    const answer = await reset(body);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toMatch(message);
    expect(await entitiesOf(service, 'Pets')).toBe(1);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of %s: 415',
    async (type) => {
      const answer = await ask(service.origin, { path, headers: { 'Content-Type': type }, body: '{}' });
      expect([answer.status, codeOf(answer)]).toEqual([415, 'UnsupportedMediaType']);
      expect(await entitiesOf(service, 'Pets')).toBe(1);
    },
  );

  it('a request without a body: 400', async () => {
    const answer = await ask(service.origin, { path });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
  });

  it.each([
    ['account', { account: 'absent' }, 'AccountNotFound', '"account": there is no account absent here.'],
    ['account before the table', { account: 'absent', table: 'x' }, 'AccountNotFound', 'no account absent'],
    ['empty account', { account: '' }, 'AccountNotFound', '"account"'],
    ['table', { table: 'absent' }, 'TableNotFound', `"table": account ${first} has no table absent.`],
    ['table of a named account', { account: other, table: 'absent' }, 'TableNotFound', `account ${other} has no table`],
    ['table of an unused account', { account: unused, table: 'Pets' }, 'TableNotFound', `account ${unused} has no`],
    ['name that no table can have', { table: '../Pets' }, 'TableNotFound', 'no table ../Pets.'],
    ['empty table', { table: '' }, 'TableNotFound', '"table"'],
  ])('an unknown %s: 404, and resets nothing', async (_, names, code, message) => {
    const answer = await reset(names);
    expect([answer.status, codeOf(answer)]).toEqual([404, code]);
    expect(messageOf(answer)).toContain(message);
    for (const client of [service, inOther]) expect(await entitiesOf(client, 'Pets')).toBe(1);
  });

  it('a table that is being deleted: 404 TableBeingDeleted', async () => {
    await delayed.createTable('Gone');
    expect((await delayed.send({ method: 'DELETE', path: "/Tables('Gone')" })).status).toBe(204);
    const answer = await reset({ table: 'Gone' }, delayed);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'TableBeingDeleted']);
  });
});

describe('Reset', () => {
  it.runIf(keepsFiles)(
    'with an empty object empties everything, and creates no data for an unused account',
    async () => {
      const answer = await reset({});
      expect([answer.status, answer.json]).toEqual([200, { accounts: [first, other, unused] }]);
      for (const client of [service, inOther]) expect(await tablesOf(client)).toEqual([]);
      expect(readdirSync(location).filter((name) => name.startsWith(unused))).toEqual([]);
    },
  );

  it('empties the named account, and no other', async () => {
    const answer = await reset({ account: other });
    expect([answer.status, answer.json]).toEqual([200, { accounts: [other] }]);
    expect(await tablesOf(inOther)).toEqual([]);
    expect(await entitiesOf(service, 'Pets')).toBe(1);
  });

  it('empties the named table of the first account, with the name in any case; the table stays', async () => {
    await service.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Kept"}' });
    await service.send({ method: 'POST', path: '/Kept', body: '{"PartitionKey":"p","RowKey":"r"}' });
    const answer = await reset({ table: 'pETS' });
    expect([answer.status, answer.json]).toEqual([200, { accounts: [first], table: 'pETS' }]);
    expect(await tablesOf(service)).toEqual(['Kept', 'Pets']);
    expect(await entitiesOf(service, 'Pets')).toBe(0);
    expect(await entitiesOf(service, 'Kept')).toBe(1);
    expect(await entitiesOf(inOther, 'Pets')).toBe(1);
  });

  it('empties the table of the named account', async () => {
    const answer = await reset({ account: other, table: 'Pets' });
    expect([answer.status, answer.json]).toEqual([200, { accounts: [other], table: 'Pets' }]);
    expect(await entitiesOf(inOther, 'Pets')).toBe(0);
    expect(await entitiesOf(service, 'Pets')).toBe(1);
  });

  it('removes the service properties, including the CORS rules', async () => {
    await setCors(service, [{ origins: 'http://page.example', allowed: '*' }]);
    const headers = { Origin: 'http://page.example' };
    expect((await service.get('/Tables', headers)).header('access-control-allow-origin')).toBe('http://page.example');
    await reset({ account: first });
    expect((await service.get('/Tables', headers)).header('access-control-allow-origin')).toBeUndefined();
  });

  it('frees the names of tables that are being deleted', async () => {
    await delayed.createTable('Freed');
    await delayed.send({ method: 'DELETE', path: "/Tables('Freed')" });
    await reset({}, delayed);
    await delayed.createTable('Freed');
  });

  it('may be repeated, and writes succeed afterwards', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect((await reset({})).status).toBe(200);
      await fill(service);
    }
  });
});

describe('Reset with accounts any', () => {
  const worker = open.with({ prefix: '/worker1', account: 'worker1' });

  it('accepts the names of accounts that were used, and of the development account', async () => {
    expect(codeOf(await reset({ account: 'worker1' }, open))).toBe('AccountNotFound');
    await fill(worker);
    expect((await reset({ account: first }, open)).json).toEqual({ accounts: [first] });
    expect(await entitiesOf(worker, 'Pets')).toBe(1);
    expect((await reset({ account: 'worker1' }, open)).json).toEqual({ accounts: ['worker1'] });
    expect(await tablesOf(worker)).toEqual([]);
  });

  it.runIf(keepsFiles)('empties the accounts that it can, and names those with a foreign or damaged file', async () => {
    const place = join(folder.path, 'partly');
    const partly = await startService({ accounts: 'any', location: place });
    const [whole, second] = ['worker1', 'worker2'].map((account) => partly.with({ account, prefix: `/${account}` }));
    for (const client of [partly, whole!, second!]) await fill(client);
    writeFileSync(join(place, 'damaged.sqlite'), 'no database');
    replaceByForeignDatabase(join(place, 'aforeign.sqlite'));
    const answer = await reset({}, partly);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'StoreFailed']);
    expect(messageOf(answer)).toContain('Not emptied: aforeign, damaged. All others are empty.');
    for (const client of [partly, whole!, second!]) expect(await tablesOf(client)).toEqual([]);
    expect(messageOf(await reset({ account: 'damaged' }, partly))).toContain('Not emptied: damaged. The log');
    expect(readFileSync(join(place, 'damaged.sqlite'), 'utf8')).toBe('no database');
  });

  it('empties all accounts that were used', async () => {
    await fill(worker);
    await fill(open);
    expect((await reset({}, open)).json).toEqual({ accounts: [first, 'worker1'] });
    for (const client of [worker, open]) expect(await tablesOf(client)).toEqual([]);
  });
});

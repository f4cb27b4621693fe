import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import {
  aclPath,
  expectServiceRefusal,
  expectStored,
  expectXml,
  invalidDocument,
  putXml,
} from '../support/expect-xml.ts';
import { keepsData, startService } from '../support/service.ts';
import { holderOf, momentAt, tableToken } from '../support/shared-access-tokens.ts';
import { openClient } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');

const policy = (id: string, inside = ''): string =>
  `<SignedIdentifier><Id>${id}</Id><AccessPolicy>${inside}</AccessPolicy></SignedIdentifier>`;
const list = (...policies: string[]): string => `<SignedIdentifiers>${policies.join('')}</SignedIdentifiers>`;
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => policy(`id${index}`));
const set = (body: string | Buffer | undefined, headers = {}) => putXml(service, aclPath('pets'), body, headers);

describe('Set Table ACL refuses to read', () => {
  it.each([
    ['six policies', list(...numbered(6))],
    ['no XML', 'nonsense'],
    ['XML cut short', '<SignedIdentifiers>'],
    ['another root', '<Policies/>'],
    ['an unknown element', '<SignedIdentifiers><Policy/></SignedIdentifiers>'],
    ['an unknown member', list('<SignedIdentifier><Id>a</Id><Name>b</Name></SignedIdentifier>')],
    ['an unknown member of the policy', list(policy('a', '<Range>x</Range>'))],
    ['text between elements', '<SignedIdentifiers>text</SignedIdentifiers>'],
    ['no Id', list('<SignedIdentifier><AccessPolicy/></SignedIdentifier>')],
    ['an empty Id', list(policy(''))],
    ['an Id of 65 characters', list(policy('i'.repeat(65)))],
    ['an Id twice', list(policy('a'), policy('a'))],
    ['an invalid date', list(policy('a', '<Start>banana</Start>'))],
    ['a day that does not exist', list(policy('a', '<Expiry>2024-02-30</Expiry>'))],
    ['a time without a zone', list(policy('a', '<Expiry>2024-02-20T10:00:00</Expiry>'))],
    ['an invalid permission', list(policy('a', '<Permission>rx</Permission>'))],
    ['an entity of a DTD', '<!DOCTYPE x [<!ENTITY e "a">]><SignedIdentifiers/>'],
  ])('%s: 400 InvalidXmlDocument', async (_, body) => {
    await set(list(policy('kept')));
    expectServiceRefusal(await set(body), invalidDocument);
    expectXml(await service.get(aclPath('pets')), list('<SignedIdentifier><Id>kept</Id></SignedIdentifier>'));
  });

  it('only Accept: */*, from 2015-12-11 on: 415 MediaTypeNotSupported', async () => {
    for (const version of ['2015-12-11', '2019-07-07', '2026-06-06']) {
      const answer = await set(list(), { Accept: '*/*', 'x-ms-version': version });
      expect([answer.status, answer.header('x-ms-error-code')]).toEqual([415, 'MediaTypeNotSupported']);
    }
    expectStored(await set(list(), { Accept: undefined }), 204);
    expectStored(await set(list(), { Accept: 'application/atom+xml,application/xml' }), 204);
  });
});

describe('Set Table ACL refuses', () => {
  it('a missing table: 404 TableNotFound', async () => {
    const missing = { status: 404, code: 'TableNotFound', message: 'The table specified does not exist.' };
    expectServiceRefusal(await putXml(service, aclPath('absent'), list()), missing);
  });

  it('the secondary', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    expect((await putXml(secondary, aclPath('pets'), list())).status).toBe(403);
  });
});

describe('Set Table ACL', () => {
  it.each([
    ['one', list(policy('a'))],
    ['five', list(...numbered(5))],
    ['none', '<SignedIdentifiers/>'],
    ['none, in two tags', '<SignedIdentifiers></SignedIdentifiers>'],
    ['an Id of 64 characters', list(policy('i'.repeat(64)))],
    ['Ids that differ in case', list(policy('a'), policy('A'))],
    [
      'a declaration that says standalone',
      `<?xml version="1.0" encoding="utf-8" standalone="yes"?>${list(policy('a'))}`,
    ],
    ['a byte order mark', `\ufeff<?xml version="1.0" encoding="utf-8"?>${list(policy('a'))}`],
    ['white space', `\n ${list(`\n ${policy('a')}\n`)}\n`],
  ])('stores %s: 204', async (_, body) => {
    expectStored(await set(body), 204);
  });

  it.each(['2012-02-12', '2013-08-15', '2015-07-08'])(
    'accepts Accept: */* at %s, and any Content-Type',
    async (version) => {
      const headers = { Accept: '*/*', 'Content-Type': 'application/json', 'x-ms-version': version };
      expectStored(await set(list(policy('old')), headers), 204);
      expectXml(await service.get(aclPath('pets')), list('<SignedIdentifier><Id>old</Id></SignedIdentifier>'));
    },
  );

  it('replaces the whole list, and clears it without a body', async () => {
    await set(list(policy('a'), policy('b')));
    await set(list(policy('c')));
    expectXml(await service.get(aclPath('pets')), list('<SignedIdentifier><Id>c</Id></SignedIdentifier>'));
    expectStored(
      await service.send({ method: 'PUT', path: aclPath('pets'), headers: { Accept: 'application/xml' } }),
      204,
    );
    expectXml(await service.get(aclPath('pets')), '<SignedIdentifiers />');
  });

  it('is deleted with its table', async () => {
    await service.createTable('brief');
    await putXml(service, aclPath('brief'), list(policy('a')));
    await service.send({ method: 'DELETE', path: "/Tables('brief')" });
    await service.createTable('brief');
    expectXml(await service.get(aclPath('brief')), '<SignedIdentifiers />');
  });

  it('takes effect immediately when a policy is created, changed, renamed or revoked', async () => {
    const { send } = holderOf(service, tableToken('pets', { se: undefined, si: 'p' }));
    const read = async (): Promise<number> => (await send({ method: 'GET', path: '/pets()' })).status;
    const write = async (): Promise<number> =>
      (await send({ method: 'PUT', path: "/pets(PartitionKey='p',RowKey='r')", body: '{}' })).status;
    const open = (permission: string): string =>
      `<Expiry>${momentAt(600_000)}</Expiry><Permission>${permission}</Permission>`;

    await set(list());
    expect(await read()).toBe(403);
    await set(list(policy('p', open('r'))));
    expect([await read(), await write()]).toEqual([200, 403]);
    await set(list(policy('p', open('raud'))));
    expect([await read(), await write()]).toEqual([200, 204]);
    await set(list(policy('P', open('raud'))));
    expect(await read()).toBe(403);
    await set(list(policy('p', open('r'))));
    expect(await read()).toBe(200);
    await set(list(policy('p', `<Expiry>${momentAt(-1000)}</Expiry><Permission>r</Permission>`)));
    expect(await read()).toBe(403);
  });

  it.runIf(keepsData)('survives a restart', async () => {
    const location = await mkdtemp(join(tmpdir(), 'tanzanite-acl-'));
    const body = list(policy('kept', '<Permission>rd</Permission>'));
    const first = await startEmulator({ location });
    const before = openClient(first.url);
    await before.send({ method: 'POST', path: '/Tables', body: '{"TableName":"pets"}' });
    expectStored(await putXml(before, aclPath('pets'), body), 204);
    await before.close();
    await first.close();

    const second = await startEmulator({ location });
    const after = openClient(second.url);
    expectXml(await after.send({ method: 'GET', path: aclPath('pets') }), body);
    await after.close();
    await second.close();
    await rm(location, { recursive: true });
  });
});

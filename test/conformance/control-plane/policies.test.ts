import { describe, expect, it } from 'vitest';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const [first, unused] = ['devstoreaccount1', 'unusedaccount'];
const service = await startService({ accounts: [first, unused].map((name) => ({ name, keys: [developmentKey] })) });
await service.createTable('pets');
const deleting = await startService({ tableDeleteDelayMs: 60_000 });

const pathOf = (table: string, account = first): string => `/_emulator/policies/${table}?account=${account}`;
const get = (path = pathOf('pets')): Promise<ControlAnswer> => ask(service.origin, { method: 'GET', path });
const put = (signedIdentifiers: unknown, path = pathOf('pets')): Promise<ControlAnswer> =>
  ask(service.origin, { method: 'PUT', path, body: { signedIdentifiers } });

describe('Policies', () => {
  it.each([
    ['no list', 5, 'signedIdentifiers'],
    ['six', Array.from({ length: 6 }, (_, id) => ({ id: String(id) })), 'it has 6 policies; 5 are allowed'],
    ['two of one id', [{ id: 'a' }, { id: 'a' }], 'two policies with the id a'],
    ['an unknown permission', [{ id: 'a', permission: 'x' }], 'letters of raud'],
    ['a time that is none', [{ id: 'a', start: 'soon' }], 'start and expiry are times'],
    ['an unknown member', [{ id: 'a', permissions: 'r' }], 'a policy has "permissions"'],
  ])('refuse %s: 400, and change nothing', async (_, list, message) => {
    const before = (await get()).json;
    const answer = await put(list);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toContain(message);
    expect((await get()).json).toEqual(before);
  });

  it.each([
    ['account', pathOf('pets', 'nobody'), 'AccountNotFound'],
    ['table', pathOf('plants'), 'TableNotFound'],
    ['table of an account that was never used', pathOf('pets', unused), 'TableNotFound'],
  ])('refuse an unknown %s: 404', async (_, path, code) => {
    for (const answer of [await get(path), await put([], path)]) {
      expect([answer.status, codeOf(answer)]).toEqual([404, code]);
    }
  });

  it('refuse a table that is being deleted: 404', async () => {
    await deleting.createTable('leaving');
    await deleting.send({ method: 'DELETE', path: "/Tables('leaving')" });
    const answer = await ask(deleting.origin, { method: 'GET', path: '/_emulator/policies/leaving' });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'TableBeingDeleted']);
  });

  it('are the same as in Set and Get Table ACL, in both directions', async () => {
    expect((await get()).json).toEqual({ account: first, table: 'pets', signedIdentifiers: [] });
    const answer = await put([{ id: '<&', expiry: '2030-01-31T00:00:00Z', permission: 'ra' }, { id: 'b' }]);
    const signedIdentifiers = [{ id: '<&', expiry: '2030-01-31T00:00:00.0000000Z', permission: 'ra' }, { id: 'b' }];
    expect([answer.status, answer.json]).toEqual([200, { account: first, table: 'pets', signedIdentifiers }]);
    const { body } = await service.send({ method: 'GET', path: '/pets?comp=acl' });
    expect(body).toContain('<Id>&lt;&amp;</Id>');
    expect(body).toContain('<Permission>ra</Permission>');
    await put([]);
    expect((await get()).json).toMatchObject({ signedIdentifiers: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const [first, other] = ['devstoreaccount1', 'otheraccount'];
const service = await startService({ accounts: [first, other].map((name) => ({ name, keys: [developmentKey] })) });
const inOther = service.with({ prefix: `/${other}`, account: other });

const at = (method: string, rest: string, body?: object | string): Promise<ControlAnswer> =>
  ask(service.origin, { method, path: `/_emulator/snapshots${rest}`, body });

type Sender = Pick<typeof service, 'send'>;

async function contentsOf({ send }: Sender, table = 'Pets'): Promise<unknown> {
  const { status, body } = await send({ method: 'GET', path: `/${table}()` });
  return status === 200 ? JSON.parse(body).value : status;
}

async function fill({ send }: Sender, table = 'Pets'): Promise<void> {
  await send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: table }) });
  await send({ method: 'POST', path: `/${table}`, body: '{"PartitionKey":"p","RowKey":"r"}' });
}

const addTo = ({ send }: Sender, table: string, rowKey: string) =>
  send({ method: 'POST', path: `/${table}`, body: JSON.stringify({ PartitionKey: 'p', RowKey: rowKey }) });

describe('Snapshots', () => {
  it('restore an account with its ETags, and leave others unchanged', async () => {
    for (const client of [service, inOther]) await fill(client);
    const before = await contentsOf(service);
    const saved = await at('PUT', '/base');
    expect(saved).toMatchObject({ status: 200, json: { account: first, name: 'base', tables: 1 } });
    for (const client of [service, inOther]) await addTo(client, 'Pets', 'later');
    await fill(service, 'Later');
    expect(await at('POST', '/base/restore')).toMatchObject({ status: 200, json: saved.json as object });
    expect(await contentsOf(service)).toEqual(before);
    expect(await contentsOf(service, 'Later')).toBe(404);
    expect(await contentsOf(inOther)).toHaveLength(2);
  });

  it('bring back a single table, even if it was deleted', async () => {
    await fill(service);
    await fill(service, 'Plants');
    await at('PUT', '/two');
    await addTo(service, 'Plants', 'later');
    const before = await contentsOf(service);
    await service.send({ method: 'DELETE', path: "/Tables('Pets')" });
    expect(await at('POST', '/two/restore?table=pets')).toMatchObject({ status: 200 });
    expect(await contentsOf(service)).toEqual(before);
    expect(await contentsOf(service, 'Plants')).toHaveLength(2);
    expect(await at('PUT', `/one?table=Plants&account=${first}`)).toMatchObject({ json: { table: 'Plants' } });
  });

  it('have any text as names, are listed in order, and survive a reset', async () => {
    const names = ['%41%20b', '%27;%20--', '%C3%A4', '%252E%252E', 'x'.repeat(128), '%F0%9F%90%B1'.repeat(64)];
    for (const name of names) expect(await at('PUT', `/${name}?account=${other}`)).toMatchObject({ status: 200 });
    await ask(service.origin, { path: '/_emulator/reset', body: {} });
    const { json } = await at('GET', `?account=${other}`);
    const { account, snapshots } = json as { account: string; snapshots: { name: string }[] };
    expect(account).toBe(other);
    expect(snapshots.map(({ name }) => name)).toEqual(names.map(decodeURIComponent).sort());
    for (const name of names) expect(await at('DELETE', `/${name}?account=${other}`)).toMatchObject({ status: 200 });
    expect((await at('GET', `?account=${other}`)).json).toEqual({ account: other, snapshots: [] });
  });

  it.each([
    ['PUT', `/${'x'.repeat(129)}`, 400, 'InvalidInput', /1 to 128 characters/],
    ['PUT', '/a%00b', 400, 'InvalidInput', /no control characters/],
    ['PUT', '/base?tabel=x', 400, 'InvalidRequest', /"tabel"/],
    ['PUT', '/base?table=Missing', 404, 'TableNotFound', /has no table Missing/],
    ['PUT', '/base?account=nobody', 404, 'AccountNotFound', /no account nobody/],
    ['POST', '/missing/restore', 404, 'SnapshotNotFound', /no snapshot "missing"/],
    ['DELETE', '/missing', 404, 'SnapshotNotFound', /no snapshot "missing"/],
    ['GET', '?table=Pets', 400, 'InvalidRequest', /"table"/],
  ])('refuse %s %s with %i %s', async (method, path, status, code, message) => {
    const answer = await at(method, path);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(messageOf(answer)).toMatch(message);
  });

  it('refuse a body, which would be ignored, and name the allowed verbs if the verb is wrong', async () => {
    await at('PUT', '/base');
    expect(codeOf(await at('POST', '/base/restore', { table: 'Pets' }))).toBe('InvalidRequest');
    const wrong = await at('PATCH', '/base');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'PUT, DELETE']);
  });

  it('are behind the guard', async () => {
    const headers = { Origin: 'http://example.com' };
    for (const [method, rest] of [
      ['GET', ''],
      ['PUT', '/x'],
      ['POST', '/x/restore'],
      ['DELETE', '/x'],
    ] as const) {
      const answer = await ask(service.origin, { method, path: `/_emulator/snapshots${rest}`, headers });
      expect(codeOf(answer)).toBe('ForeignOrigin');
    }
  });
});

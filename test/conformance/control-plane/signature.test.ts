import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const service = await startService();
await service.createTable('pets');
await service.createTable('plants');
await service.insert('pets', {});

interface Signature {
  readonly account: string;
  readonly table: string | null;
  readonly permissions: string;
  readonly signature: string;
  readonly expiresAt: string;
  readonly expiresInSeconds: number;
}

const sign = (body: object): Promise<ControlAnswer> => ask(service.origin, { path: '/_emulator/signature', body });

async function signed(body: object): Promise<Signature> {
  const answer = await sign(body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Signature;
}

const statusOf = async (path: string, { signature }: Signature, method = 'GET'): Promise<number> =>
  (await fetch(`${service.base}/${path}?${signature}`, { method, headers: { 'If-Match': '*' } })).status;

const pet = "pets(PartitionKey='p',RowKey='r')";

describe('Signature', () => {
  it.each([
    ['another account', { account: 'nobody' }, 404, 'AccountNotFound'],
    ['more than 15 minutes', { minutes: 16 }, 400, 'InvalidRequest'],
    ['no time at all', { minutes: 0 }, 400, 'InvalidRequest'],
    ['an unknown permission', { permissions: 'rx' }, 400, 'InvalidRequest'],
    ['more permissions than there are', { permissions: 'r'.repeat(100_000) }, 400, 'InvalidRequest'],
    ['one permission too many', { permissions: 'rwdlacur' }, 400, 'InvalidRequest'],
    ['no permission', { permissions: '' }, 400, 'InvalidRequest'],
    ['a permission of accounts for a table', { table: 'pets', permissions: 'w' }, 400, 'InvalidRequest'],
    ['what is not a name of a table', { table: '../pets' }, 400, 'InvalidRequest'],
    ['an unknown member', { key: 'a' }, 400, 'InvalidRequest'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await sign(body);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(messageOf(answer)).toMatch(/^[^\n]+\.$/);
  });

  it('is made for the first account with all permissions, for 15 minutes', async () => {
    const given = await signed({});
    expect(given).toMatchObject({ account: 'devstoreaccount1', table: null, permissions: 'rwdlacu' });
    const left = (Date.parse(given.expiresAt) - Date.now()) / 1000;
    expect(left).toBeLessThanOrEqual(15 * 60);
    expect(given.expiresInSeconds).toBeLessThanOrEqual(15 * 60);
    expect(given.expiresInSeconds).toBeGreaterThan(14 * 60);
    expect(await statusOf('Tables', given)).toBe(200);
    expect(await statusOf(pet, given)).toBe(200);
  });

  it('allows only the permissions that are named', async () => {
    const given = await signed({ permissions: 'r' });
    expect(await statusOf(pet, given)).toBe(200);
    expect(await statusOf('Tables', given)).toBe(403);
    expect(await statusOf(pet, given, 'DELETE')).toBe(403);
  });

  it('gives access to one table only, if the request names it', async () => {
    const given = await signed({ table: 'pets' });
    expect(given).toMatchObject({ table: 'pets', permissions: 'raud' });
    expect(await statusOf('pets()', given)).toBe(200);
    expect(await statusOf('plants()', given)).toBe(403);
  });

  it('is made with the key of the named account, and gives access to no other', async () => {
    await using emulator = await startEmulator();
    const { name } = emulator.account();
    const answer = await ask(emulator.url, { path: '/_emulator/signature', body: { account: name } });
    const { signature } = answer.json as Signature;
    const tablesOf = (account: string) => fetch(`${emulator.url}/${account}/Tables?${signature}`);
    expect((await tablesOf(name)).status).toBe(200);
    expect((await tablesOf('devstoreaccount1')).status).toBe(403);
  });
});

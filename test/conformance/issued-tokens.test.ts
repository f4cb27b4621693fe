// The table service accepts tokens of the emulator's own issuer.

import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { bearing, claims, createSigningKey, encode, signedText, signedToken } from '../support/bearer-tokens.ts';
import { entityPath, serviceAt } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const emulator = await startEmulator({ oauth: 'verify' });
const service = serviceAt(emulator.url, () => emulator.close());
afterAll(() => emulator.close());
await service.createTable('pets');
await service.createTable('others');
await service.insert('pets', {});
await service.insert('others', {});

const get = (token: string, path = '/Tables', version = '2020-12-06'): Promise<WireAnswer> =>
  service.get(path, bearing(token, { 'x-ms-version': version }));
const tenantIn = (answer: WireAnswer): string | undefined =>
  /microsoftonline\.com\/([^/]+)\//.exec(answer.header('WWW-Authenticate') ?? '')?.[1];
const partOf = (token: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('A token of the emulator itself', () => {
  it('remains valid after the keys have changed, and tokens with the new keys are accepted', async () => {
    const before = await emulator.identity.token();
    expect((await get(before)).status).toBe(200);
    await emulator.identity.rotateKeys();
    const after = await emulator.identity.token();
    expect(partOf(after, 0)['kid']).not.toBe(partOf(before, 0)['kid']);
    expect([(await get(before)).status, (await get(after)).status]).toEqual([200, 200]);
  });

  it('expires by the clock of the emulator, even if it was accepted before', async () => {
    const token = await emulator.identity.token({ minutes: 10 });
    expect((await get(token)).status).toBe(200);
    await emulator.clock.advance(20 * 60_000);
    try {
      const answer = await get(token);
      expect([answer.status, answer.header('x-emulator-why')]).toEqual([401, expect.stringContaining('has expired')]);
      expect(tenantIn(answer)).toBe(partOf(token, 1)['tid']);
      expect((await get(await emulator.identity.token())).status).toBe(200);
    } finally {
      await emulator.reset({ clock: true });
    }
    expect((await get(token)).status).toBe(200);
  });

  it('gives its principal exactly the roles that it was created with', async () => {
    const principal = await emulator.identity.principal({
      roles: [{ role: 'Storage Table Data Contributor', account: 'devstoreaccount1', table: 'Pets' }],
    });
    const token = await principal.token();
    const outcomes = await Promise.all(
      [entityPath('pets'), entityPath('others'), '/Tables', '/pets?comp=acl'].map(
        async (path) => (await get(token, path)).status,
      ),
    );
    expect(outcomes).toEqual([200, 403, 403, 404]);
    const none = await emulator.identity.principal({ roles: ['Owner'] });
    expect((await get(await none.token(), entityPath('pets'))).status).toBe(403);
    const everyones = await emulator.identity.principal();
    expect((await get(await everyones.token(), entityPath('pets'))).status).toBe(200);
  });

  it('cannot be made with another key, not even under the name of the right one', async () => {
    const real = await emulator.identity.token();
    const { kid } = partOf(real, 0) as { kid: string };
    const evil = createSigningKey(kid);
    const forged = signedText(evil, `${encode(partOf(real, 0))}.${encode(partOf(real, 1))}`);
    const answer = await get(forged);
    expect([answer.status, answer.header('x-emulator-why')]).toEqual([
      401,
      expect.stringContaining('does not fit the key'),
    ]);
    // A token that claims another issuer is refused too: the emulator has no keys of other issuers in this test.
    const other = await get(signedToken(evil, claims()));
    expect([other.status, other.header('x-emulator-why')]).toEqual([
      401,
      expect.stringContaining('is not one of the configured keys'),
    ]);
  });

  it('is named in the challenge of a request without credentials', async () => {
    const answer = await service.get('/Tables', { Authorization: undefined, 'x-ms-version': '2020-12-06' });
    expect([answer.status, tenantIn(answer)]).toEqual([401, partOf(await emulator.identity.token(), 1)['tid']]);
  });
});

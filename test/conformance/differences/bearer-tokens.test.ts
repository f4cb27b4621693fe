// With `--oauth` Tanzanite accepts bearer tokens. The service trusts one tenant and fetches the keys of this tenant.
// Tanzanite trusts its own issuer and the keys of `--oauth-keys`. With `--oauth basic` it trusts every token with the
// right claims.
//
// If the emulator is at localhost, two clients may ask for a token with the audience `https://cosmos.azure.com`.
// Python's client asks for this audience if the port is not 10002. JavaScript's client asks for it if the path does not
// begin with `/devstoreaccount1`. Tanzanite therefore accepts this audience in tokens from its own issuer.

import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { bearing, unsignedToken } from '../../support/bearer-tokens.ts';
import { serviceAt, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const emulator = await startEmulator({ oauth: 'verify' });
afterAll(() => emulator.close());
const service = serviceAt(emulator.url, () => emulator.close());
const basic = await startService({ oauth: 'basic' });
const ask = async (token: string, at = service): Promise<string> =>
  outcomeOf(await at.send({ method: 'GET', path: '/Tables', headers: bearing(token) }));

describe('Bearer tokens', () => {
  it("from the emulator's own issuer are also accepted for https://cosmos.azure.com", async () => {
    for (const audience of ['https://cosmos.azure.com', 'https://cosmos.azure.com/', 'https://storage.azure.com']) {
      expect(await ask(await emulator.identity.token({ audience }))).toBe('200');
    }
  });

  it('from any other issuer are not', async () => {
    expect(await ask(unsignedToken({ aud: 'https://cosmos.azure.com' }), basic)).toBe('403 AuthenticationFailed');
  });

  it('are accepted over HTTP from the same machine; the service requires HTTPS', async () => {
    expect(new URL(emulator.url).protocol).toBe('http:');
    expect(await ask(await emulator.identity.token())).toBe('200');
  });

  it('give their owner the permissions of Storage Table Data Contributor, until a file assigns roles', async () => {
    const token = await emulator.identity.token();
    const create = await service.send({
      method: 'POST',
      path: '/Tables',
      headers: bearing(token),
      body: '{"TableName":"pets"}',
    });
    expect(outcomeOf(create)).toBe('201');
  });

  it('get and lose a role within a second; the service takes minutes', async () => {
    const principal = await emulator.identity.principal({ roles: ['Storage Table Data Reader'] });
    const token = await principal.token();
    expect(await ask(token)).toBe('200');
    await principal.remove();
    expect(await ask(token)).toBe('403 AuthorizationPermissionMismatch');
  });
});

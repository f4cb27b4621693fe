// The token issuer over HTTP: its addresses, the guard, and errors.

import { request } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { partsOf } from '../../support/tokens.ts';

const lines: { readonly fields: object; readonly message: string }[] = [];
const note = (fields: object, message: string): void => void lines.push({ fields, message });
const log = { info: note, warn: note, error: note };
const emulator = await startEmulator({ identity: true, log });
const controlToken = 'a-control-token-of-length';
const guarded = await startEmulator({ identity: true, controlToken });
const open = await startEmulator({ identity: true, host: '0.0.0.0', controlToken });
const off = await startEmulator();
afterAll(() => Promise.all([emulator, guarded, open, off].map((one) => one.close())));

const { host, port } = new URL(emulator.url);
const openUrl = `http://127.0.0.1:${new URL(open.url).port}`;

interface Environment {
  readonly tenantId: string;
  readonly clientId: string;
  readonly secret: string;
  readonly identityHeader: string;
}

const bearer = { Authorization: `Bearer ${controlToken}` };
async function environmentAt(origin: string, headers = {}): Promise<Environment> {
  const answer = await ask(origin, { method: 'GET', path: '/_emulator/identity/environment', headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Environment;
}

const own = await environmentAt(emulator.url);
const { tenantId } = own;
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
const formOf = (fields: Readonly<Record<string, string>> = {}, { clientId, secret } = own): string =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    scope: 'https://storage.azure.com/.default',
    ...fields,
  }).toString();

interface Post {
  readonly origin?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const post = ({ origin = emulator.url, path = '/adfs/oauth2/token', headers = {}, body = formOf() }: Post = {}) =>
  ask(origin, { path, headers: { ...formType, ...headers }, body });
const get = (path: string, headers = {}, origin = emulator.url) => ask(origin, { method: 'GET', path, headers });
const tokenOf = ({ json }: ControlAnswer): string => String((json as { access_token?: string }).access_token);
const entraCode = ({ json }: ControlAnswer): number | undefined =>
  (json as { error_codes?: readonly number[] }).error_codes?.[0];

describe('The addresses of the issuer', () => {
  const places = ['', '/_emulator/identity'];
  const tenants = ['adfs', tenantId, tenantId.toUpperCase()];
  it.each(places.flatMap((place) => tenants.map((tenant) => [place, tenant] as const)))(
    'issue tokens below %j for the tenant %s',
    async (place, tenant) => {
      for (const path of [`${place}/${tenant}/oauth2/token`, `${place}/${tenant}/oauth2/v2.0/token`]) {
        const answer = await post({ path });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.json).toMatchObject({ token_type: 'Bearer', expires_in: 3_599 });
        expect(partsOf(tokenOf(answer)).claims).toMatchObject({ tid: tenantId, aud: 'https://storage.azure.com' });
      }
    },
  );

  it.each([
    ['/adfs/.well-known/openid-configuration', '/adfs/oauth2/token', '/adfs'],
    [`/${tenantId}/v2.0/.well-known/openid-configuration`, `/${tenantId}/oauth2/v2.0/token`, `/${tenantId}/v2.0`],
  ])('have a document at %s with addresses of the requested Host', async (path, token, issuer) => {
    for (const name of [host, `localhost:${port}`, `tables.localhost:${port}`]) {
      const { json } = await get(path, { Host: name });
      const { issuer: said, token_endpoint: endpoint, jwks_uri: keys } = json as Record<string, string>;
      expect([said, endpoint]).toEqual([`http://${name}${issuer}`, `http://${name}${token}`]);
      expect(new URL(String(keys)).host).toBe(name);
    }
  });

  it('provide the keys of the tokens', async () => {
    const { json } = await get(`/${tenantId}/discovery/v2.0/keys`);
    const kids = (json as { keys: { kid: string; d?: string }[] }).keys.map(({ kid, d }) => [kid, d]);
    expect(kids).toEqual([[partsOf(tokenOf(await post())).header['kid'], undefined]]);
  });

  it('are only these: an account named adfs keeps its tables, and all other addresses are the data plane', async () => {
    const accounts = [{ name: 'adfs', keys: ['a2V5'] }];
    const named = await startEmulator({ identity: true, accounts });
    const statusAt = async (path: string, method = 'GET') =>
      (await fetch(`${named.url}${path}`, { method, headers: { 'x-ms-version': '2019-02-02' } })).headers.get('server');
    try {
      const paths = [
        '/adfs/Tables',
        '/adfs/oauth2',
        '/adfs/oauth2/token/',
        '/adfs/x/oauth2/token',
        '/metadata/identity',
      ];
      for (const path of paths) expect(await statusAt(path), path).not.toBeNull();
      expect(await statusAt('/adfs/.well-known/openid-configuration')).toBeNull();
    } finally {
      await named.close();
    }
  });

  it('belong to the data plane if there is no issuer; the control plane says how to start one', async () => {
    const answer = await fetch(`${off.url}/adfs/oauth2/token`, { method: 'POST' });
    expect(answer.headers.get('server')).not.toBeNull();
    for (const [method, path] of [
      ['POST', '/_emulator/identity/adfs/oauth2/token'],
      ['GET', '/_emulator/identity'],
    ] as const) {
      const refused = await ask(off.url, {
        method,
        path,
        headers: formType,
        body: method === 'POST' ? 'a=b' : undefined,
      });
      expect([refused.status, codeOf(refused)]).toEqual([404, 'IdentityOff']);
    }
  });
});

describe('The token endpoint', () => {
  it.each([
    ['a wrong secret', formOf({ client_secret: 'x' }), 401, 'invalid_client', 7000215],
    ['an unknown client', formOf({ client_id: 'x' }), 400, 'unauthorized_client', 700016],
    ['another grant', formOf({ grant_type: 'password' }), 400, 'unsupported_grant_type', 70003],
    ['a bad scope', formOf({ scope: 'x' }), 400, 'invalid_scope', 1002012],
    ['an empty form', '', 400, 'invalid_request', 900144],
  ])('answers %s in the form of Microsoft Entra', async (_, body, status, error, code) => {
    const answer = await post({ body });
    expect([answer.status, entraCode(answer)]).toEqual([status, code]);
    expect(answer.json).toMatchObject({ error, error_description: expect.stringMatching(`^AADSTS${code}: `) });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('answers for an unknown tenant', async () => {
    const answer = await post({ path: '/00000000-0000-4000-8000-000000000000/oauth2/v2.0/token' });
    expect([answer.status, entraCode(answer)]).toEqual([400, 90002]);
  });

  it('accepts forms of 64 KiB, and only forms', async () => {
    const padding = (bytes: number): string => `${formOf()}&x=${'a'.repeat(bytes - formOf().length - 3)}`;
    expect((await post({ body: padding(65_536) })).status).toBe(200);
    expect((await post({ body: padding(65_537) })).status).toBe(413);
    expect((await post({ headers: { 'Content-Type': 'application/json' }, body: '{' })).status).toBe(400);
    expect((await post({ headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
  });

  it('is the only address of the control plane that accepts a form', async () => {
    const answer = await ask(emulator.url, {
      path: '/_emulator/identity/principals',
      headers: formType,
      body: 'name=x',
    });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'UnsupportedMediaType']);
  });

  it('needs no control token, and never reveals it', async () => {
    const environment = await environmentAt(guarded.url, bearer);
    const answer = await post({ origin: guarded.url, body: formOf({}, environment) });
    expect(answer.status).toBe(200);
    const said = JSON.stringify([answer, environment, partsOf(tokenOf(answer))]);
    expect(said).not.toContain(controlToken);
    const refused = await get('/_emulator/identity/environment', {}, guarded.url);
    expect([refused.status, codeOf(refused)]).toEqual([401, 'TokenMissing']);
    expect(refused.text).not.toContain(environment.secret);
  });

  it('answers other machines with the right secret, under any Host', async () => {
    const environment = await environmentAt(openUrl, bearer);
    const answer = await post({ origin: openUrl, headers: { Host: 'tanzanite:10002' }, body: formOf({}, environment) });
    expect(answer.status).toBe(200);
    const { json } = await get('/adfs/.well-known/openid-configuration', { Host: 'tanzanite:10002' }, openUrl);
    expect(json).toMatchObject({ token_endpoint: 'http://tanzanite:10002/adfs/oauth2/token' });
  });

  it.each(['evil"host', 'a b', 'a/b', '<x>', 'a@b', 'a:99999', '1.2.3.4.5', '[::1'])(
    'returns no document for the Host %j',
    async (name) => {
      const head = `GET /adfs/.well-known/openid-configuration HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
      expect(await sendRaw(openUrl, head)).toMatch(/^HTTP\/1\.1 40[03] /);
    },
  );

  it('writes hostile names as text in one line of the log, and no secret', async () => {
    lines.length = 0;
    await post({ body: formOf({ client_id: '\u001b[31m\r\nfaked line\u202e', client_secret: 'a-wrong-secret' }) });
    await post({ path: '/_emulator/identity/%1b%5b31m%0a/oauth2/token' });
    await post();
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^no token: Application with identifier "\\u001b\[31m\\r\\nfaked line\\u202e"/),
      expect.stringMatching(/^no token: Tenant "\\u001b\[31m\\n" not found/),
    ]);
    const said = JSON.stringify(lines);
    expect(said).not.toContain('a-wrong-secret');
    expect(said).not.toContain(own.secret);
  });
});

describe('A page of another origin', () => {
  const page = { Origin: 'https://evil.example' };
  const fetched = { 'Sec-Fetch-Site': 'cross-site' };
  it.each([
    ['a form', page],
    ['a form of another port', { Origin: 'http://127.0.0.1:1' }],
    ['a request without an Origin', fetched],
  ])('gets no token by %s, even if it knows the secret', async (_, headers) => {
    const answer = await post({ headers });
    expect([answer.status, codeOf(answer)]).toEqual([403, expect.stringMatching(/^Foreign(Origin|Page)$/)]);
    const managed = await get(imds, { ...headers, Metadata: 'true' });
    expect(managed.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('gets no token under a rebound name', async () => {
    const headers = { Host: 'evil.example', Origin: 'http://evil.example' };
    expect(codeOf(await post({ headers }))).toBe('ForeignHost');
    expect(codeOf(await get(imds, { ...headers, Metadata: 'true' }))).toBe('ForeignHost');
    expect(codeOf(await get(imds, { ...headers, Metadata: 'true' }, openUrl))).toBe('ForeignPeer');
  });
});

const imds = '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://storage.azure.com';

describe('Managed identity over HTTP', () => {
  it.each([imds, `/${imds}`, imds.replace('?', '/?'), `/${imds.replace('?', '/?')}`])('answers at %s', async (path) => {
    const answer = await get(path, { Metadata: 'true' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      expires_in: '86399',
      resource: 'https://storage.azure.com',
      token_type: 'Bearer',
    });
  });

  it.each([
    ['without Metadata', {}, 400],
    ['with Metadata: false', { Metadata: 'false' }, 400],
    ['that a proxy passed on', { Metadata: 'true', 'X-Forwarded-For': '10.0.0.1' }, 403],
    ['that a proxy passed on without the address', { Metadata: 'true', Via: '1.1 proxy' }, 403],
  ])('refuses a request %s', async (_, headers, status) => {
    expect((await get(imds, headers)).status).toBe(status);
  });

  it('answers only this machine if the emulator listens beyond it', async () => {
    expect((await get(imds, { Metadata: 'true' }, openUrl)).status).toBe(200);
    const other = await get(imds, { Metadata: 'true', Host: 'tanzanite:10002' }, openUrl);
    expect([other.status, codeOf(other)]).toEqual([403, 'ForeignPeer']);
  });

  const appService = '/_emulator/identity/msi/token?api-version=2019-08-01&resource=https://storage.azure.com';
  it('answers requests of App Service with the header, and refuses requests without it', async () => {
    const given = await get(appService, { 'X-IDENTITY-HEADER': own.identityHeader });
    expect(given.json).toMatchObject({
      resource: 'https://storage.azure.com',
      expires_on: expect.stringMatching(/^\d+$/),
    });
    for (const header of [{}, { 'X-IDENTITY-HEADER': 'x' }, { 'X-IDENTITY-HEADER': own.secret }]) {
      expect((await get(appService, header as Record<string, string>)).status).toBe(401);
    }
  });

  it('refuses two X-IDENTITY-HEADER headers like a wrong one', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${emulator.url}${appService}`, {
        headers: { 'X-IDENTITY-HEADER': [own.identityHeader, own.identityHeader] as unknown as string },
      });
      sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      sent.end();
    });
    expect(status).toBe(401);
  });
});

describe('Principals over HTTP', () => {
  const make = (body: object) => ask(emulator.url, { path: '/_emulator/identity/principals', body });

  it('are made with a secret that works, and can be removed', async () => {
    const made = await make({
      name: 'reader <b>',
      roles: ['Storage Table Data Reader', { role: 'X', account: 'a', table: 't' }],
    });
    const { clientId, secret } = made.json as Environment;
    expect((await post({ body: formOf({ client_id: clientId.toUpperCase(), client_secret: secret }) })).status).toBe(
      200,
    );
    const report = await get('/_emulator/identity');
    expect(report.text).not.toContain(secret);
    const principals = (report.json as { principals: object[] }).principals;
    expect(principals.at(-1)).toMatchObject({ name: 'reader <b>', clientId, secrets: 1, from: 'made here' });
    const path = `/_emulator/identity/principals/${clientId}`;
    expect((await ask(emulator.url, { method: 'DELETE', path })).json).toEqual({ clientId });
    expect(codeOf(await ask(emulator.url, { method: 'DELETE', path }))).toBe('PrincipalNotFound');
    expect((await post({ body: formOf({ client_id: clientId, client_secret: secret }) })).status).toBe(400);
  });

  it.each([
    [{ roles: 'Reader' }],
    [{ roles: [{ role: 'a', table: 't' }] }],
    [{ roles: [''] }],
    [{ name: '' }],
    [{ secret: 'x' }],
  ])('are not made from %j', async (body) => {
    const answer = await make(body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toMatch(/^[^\n]+\.$/);
  });

  it('always include the default one', async () => {
    const path = `/_emulator/identity/principals/${own.clientId}`;
    expect((await ask(emulator.url, { method: 'DELETE', path })).status).toBe(400);
  });
});

describe('Tokens of the control plane', () => {
  const give = (body: object) => ask(emulator.url, { path: '/_emulator/identity/tokens', body });

  it('are issued without a secret, for an audience and a number of minutes', async () => {
    const { json } = await give({ audience: 'https://cosmos.azure.com', minutes: 5 });
    const { token, expiresAt } = json as { token: string; expiresAt: string };
    const { aud, exp } = partsOf(token).claims;
    expect([aud, new Date(Number(exp) * 1000).toISOString()]).toEqual(['https://cosmos.azure.com', expiresAt]);
    const report = await get('/_emulator/identity');
    expect(report.text).not.toContain(token);
    expect((report.json as { tokens: { latest: object[] } }).tokens.latest[0]).toMatchObject({
      grant: 'control plane',
    });
  });

  it.each([[{ minutes: 0 }], [{ minutes: 1_441 }], [{ audience: 'x' }], [{ audience: 'https://a b' }]])(
    'are not given for %j',
    async (body) => expect(codeOf(await give(body))).toBe('InvalidRequest'),
  );

  it('are not given to an unknown principal', async () => {
    expect(codeOf(await give({ clientId: '<script>' }))).toBe('PrincipalNotFound');
  });

  it('are signed with another key after a rotation, and the keys of older tokens stay', async () => {
    const kidOf = async (): Promise<unknown> =>
      partsOf(String(((await give({})).json as { token: string }).token)).header['kid'];
    const before = await kidOf();
    const rotated = (await ask(emulator.url, { path: '/_emulator/identity/keys' })).json as { kid: string };
    expect(await kidOf()).toBe(rotated.kid);
    const { keys } = (await get(`/adfs/discovery/v2.0/keys`)).json as { keys: { kid: string }[] };
    expect(keys.map(({ kid }) => kid)).toEqual([rotated.kid, before]);
    expect(codeOf(await ask(emulator.url, { path: '/_emulator/identity/keys', body: {} }))).toBe('InvalidRequest');
  });
});

describe('The clock', () => {
  it('expires tokens: after an advance beyond their lifetime the tables refuse them, and accept new ones', async () => {
    const turned = await startEmulator({ identity: true });
    const statusOf = async (token: string, version: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}`, 'x-ms-version': version };
      return (await fetch(`${turned.url}/devstoreaccount1/Tables`, { headers })).status;
    };
    try {
      const token = await turned.identity.token({ minutes: 60 });
      expect(await statusOf(token, '2020-12-06')).toBe(200);
      await turned.clock.advance(2 * 3_600_000);
      expect([await statusOf(token, '2020-12-06'), await statusOf(token, '2019-02-02')]).toEqual([401, 403]);
      expect(await statusOf(await turned.identity.token(), '2020-12-06')).toBe(200);
    } finally {
      await turned.close();
    }
  });
});

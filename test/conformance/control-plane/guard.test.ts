import { afterAll, describe, expect, it } from 'vitest';
import type { ControlTools } from '../../../src/control/control-route.ts';
import { controlRoutes } from '../../../src/control/control-routes.ts';
import { startEmulator } from '../../../src/index.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { startService } from '../../support/service.ts';

const token = 'a-token-of-some-length';
const service = await startService();
const { port } = new URL(service.origin);
const guarded = await startService({ controlToken: token });
const open = await startEmulator({ host: '0.0.0.0' });
const openWithToken = await startEmulator({ host: '0.0.0.0', controlToken: token });
afterAll(async () => {
  await open.close();
  await openWithToken.close();
});

const overLoopback = (url: string): string => url.replace('//0.0.0.0', '//127.0.0.1');

/** Requests the plan of an empty filter. */
function plan(origin: string, headers: Readonly<Record<string, string>> = {}): Promise<ControlAnswer> {
  return ask(origin, { headers, body: { filter: '' } });
}

function expectNoCors({ headers }: ControlAnswer): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
}

describe('The control plane on loopback', () => {
  it.each(['', 'localhost', 'tables.localhost', '127.0.0.9'])('answers to Host %j', async (name) => {
    const answer = await plan(service.origin, name === '' ? {} : { Host: `${name}:${port}` });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expectNoCors(answer);
  });

  it.each([
    ['a rebound name', { Host: 'evil.example' }, 'ForeignHost'],
    ['a rebound name with its own Origin', { Host: 'evil.example', Origin: 'http://evil.example' }, 'ForeignHost'],
    ['a page of another site', { Origin: 'https://evil.example' }, 'ForeignOrigin'],
    ['a page of another port', { Origin: 'http://127.0.0.1:1' }, 'ForeignOrigin'],
    ['a page without an origin', { Origin: 'null' }, 'ForeignOrigin'],
    ['a cross-site request without Origin', { 'Sec-Fetch-Site': 'cross-site' }, 'ForeignPage'],
    ['a request of another port without Origin', { 'Sec-Fetch-Site': 'same-site' }, 'ForeignPage'],
  ])('refuses %s: 403', async (_, headers, code) => {
    const answer = await plan(service.origin, headers);
    expect([answer.status, codeOf(answer)]).toEqual([403, code]);
    expect(messageOf(answer)).toMatch(/^[^\n]+\.$/);
    expectNoCors(answer);
  });

  it('refuses an address of more than 10,240 characters, and to a foreign page by the guard', async () => {
    const path = `/_emulator/nothing?${'a&'.repeat(6_000)}`;
    const own = await ask(service.origin, { method: 'GET', path });
    expect([own.status, messageOf(own)]).toEqual([
      404,
      'An address of the control plane has at most 10240 characters.',
    ]);
    const foreign = await ask(service.origin, { method: 'GET', path, headers: { Origin: 'https://evil.example' } });
    expect([foreign.status, codeOf(foreign)]).toEqual([403, 'ForeignOrigin']);
  });

  it('answers a page of its own origin', async () => {
    const own = { Host: `localhost:${port}`, Origin: `http://localhost:${port}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await plan(service.origin, own)).status).toBe(200);
  });

  it('refuses the preflight of another origin, and grants none to its own', async () => {
    const path = '/_emulator/explain';
    const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
    const foreign = await ask(service.origin, {
      method: 'OPTIONS',
      path,
      headers: { ...asked, Origin: 'https://evil.example' },
    });
    const own = await ask(service.origin, { method: 'OPTIONS', path, headers: { ...asked, Origin: service.origin } });
    expect([foreign.status, own.status]).toEqual([403, 405]);
    for (const answer of [foreign, own]) expectNoCors(answer);
  });

  it('refuses before it reads the body or looks up a name', async () => {
    const headers = { Host: 'evil.example' };
    for (const request of [
      { headers, body: '{"filter":' },
      { headers, path: '/_emulator/absent' },
      { headers, method: 'GET' },
      { headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'x' },
    ]) {
      expect(codeOf(await ask(service.origin, request))).toBe('ForeignHost');
    }
  });

  it.each([
    ['Forwarded', 'for=192.0.2.7;host=emulator.example'],
    ['Via', '1.1 proxy.example'],
    ['X-Forwarded-For', '192.0.2.7'],
    ['X-FORWARDED-HOST', 'emulator.example'],
    ['X-Real-IP', '192.0.2.7'],
  ])('refuses requests from a proxy on this machine, with %s, and says why', async (name, value) => {
    const answer = await plan(service.origin, { [name]: value });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'ForwardedRequest']);
    expect(messageOf(answer)).toMatch(/proxy .*--control-token/);
    expect((await plan(guarded.origin, { [name]: value, Authorization: `Bearer ${token}` })).status).toBe(200);
    expect(
      (await ask(service.origin, { method: 'GET', path: '/_emulator/health', headers: { [name]: value } })).status,
    ).toBe(200);
  });

  it('refuses a request without a Host', async () => {
    const answer = await sendRaw(service.origin, 'GET /_emulator/explain HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain('"ForeignHost"');
  });

  it('keeps the connection usable after a refusal without reading the body', async () => {
    const refused = 'POST /_emulator/explain HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\n12345';
    const next = 'GET /_emulator/absent HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const answers = await sendRaw(service.origin, refused + next);
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['403', '404']);
  });
});

describe('The control plane beyond loopback', () => {
  it('refuses non-public requests without a token, and says how to configure one', async () => {
    const answer = await plan(overLoopback(open.url));
    expect([answer.status, codeOf(answer)]).toEqual([403, 'TokenNotConfigured']);
    expect(messageOf(answer)).toMatch(/--control-token .*TANZANITE_CONTROL_TOKEN/);
    expect((await plan(overLoopback(open.url), { Authorization: `Bearer ${token}` })).status).toBe(403);
  });

  it('answers requests with the token, for any Host', async () => {
    const headers = { Authorization: `Bearer ${token}`, Host: 'emulator.example' };
    expect((await plan(overLoopback(openWithToken.url), headers)).status).toBe(200);
  });
});

describe.each(['/_emulator/health', '/_emulator/ready', '/_emulator/docs', '/_emulator/console'])('%s', (path) => {
  const look = (origin: string, headers: Readonly<Record<string, string>> = {}): Promise<ControlAnswer> =>
    ask(origin, { method: 'GET', path, headers });

  it('is answered beyond loopback without a token, under any Host', async () => {
    for (const { url } of [open, openWithToken]) {
      for (const headers of [{}, { Host: 'emulator.example' }, { Authorization: 'Bearer another-token' }]) {
        const answer = await look(overLoopback(url), headers);
        expect(answer.status, answer.text).toBe(200);
        expectNoCors(answer);
      }
    }
  });

  it('is answered on loopback without the token, only for its own host names', async () => {
    for (const { origin } of [service, guarded]) {
      expect((await look(origin)).status).toBe(200);
      expect(codeOf(await look(origin, { Host: 'evil.example' }))).toBe('ForeignHost');
    }
  });

  it('is refused to a page of another origin everywhere', async () => {
    for (const origin of [service.origin, overLoopback(open.url), overLoopback(openWithToken.url)]) {
      expect(codeOf(await look(origin, { Origin: 'https://evil.example' }))).toBe('ForeignOrigin');
      expect(codeOf(await look(origin, { 'Sec-Fetch-Site': 'cross-site' }))).toBe('ForeignPage');
    }
  });

  it('needs the token for any other verb', async () => {
    expect(codeOf(await ask(guarded.origin, { method: 'POST', path, body: {} }))).toBe('TokenMissing');
    expect(codeOf(await ask(overLoopback(open.url), { method: 'DELETE', path }))).toBe('TokenNotConfigured');
  });
});

const closedRoutes = controlRoutes({} as ControlTools)
  .filter(({ isPublic }) => !isPublic)
  .map(({ method, url }) => [`${method} ${url}`, { method, path: url.replaceAll(/:\w+/g, 'x') }] as const);

describe.each(closedRoutes)('%s', (_, request) => {
  it.each([
    ['without a token beyond loopback', () => overLoopback(open.url), {}, 'TokenNotConfigured'],
    ['without the token beyond loopback', () => overLoopback(openWithToken.url), {}, 'TokenMissing'],
    ['without the token on loopback', () => guarded.origin, {}, 'TokenMissing'],
    ['with another token', () => guarded.origin, { Authorization: `Bearer ${token}2` }, 'TokenWrong'],
    ['under a rebound name', () => service.origin, { Host: 'evil.example' }, 'ForeignHost'],
    ['passed on by a proxy', () => service.origin, { 'X-Forwarded-For': '192.0.2.7' }, 'ForwardedRequest'],
    ['of a foreign page', () => service.origin, { Origin: 'http://127.0.0.1:1' }, 'ForeignOrigin'],
    ['of a foreign page without Origin', () => service.origin, { 'Sec-Fetch-Site': 'cross-site' }, 'ForeignPage'],
  ])('is refused %s', async (_, origin, headers, code) => {
    const answer = await ask(origin(), { ...request, headers });
    expect(codeOf(answer), answer.text).toBe(code);
    expectNoCors(answer);
  });
});

describe('A reset', () => {
  const path = '/_emulator/reset';

  it.each([
    ['without a token beyond loopback', () => overLoopback(open.url), {}, 'TokenNotConfigured'],
    ['without the token beyond loopback', () => overLoopback(openWithToken.url), {}, 'TokenMissing'],
    ['without the token on loopback', () => guarded.origin, {}, 'TokenMissing'],
    ['under a rebound name', () => service.origin, { Host: 'evil.example' }, 'ForeignHost'],
    ['of a foreign page', () => service.origin, { Origin: 'http://127.0.0.1:1' }, 'ForeignOrigin'],
    ['of a foreign page without Origin', () => service.origin, { 'Sec-Fetch-Site': 'cross-site' }, 'ForeignPage'],
  ])('%s is refused, and resets nothing', async (_, origin, headers, code) => {
    for (const { createTable, get } of [service, guarded]) {
      if ((await get("/Tables('Kept')")).status === 404) await createTable('Kept');
    }
    expect(codeOf(await ask(origin(), { path, headers, body: {} }))).toBe(code);
    for (const { get } of [service, guarded]) expect((await get("/Tables('Kept')")).status).toBe(200);
  });
});

describe('The control plane with a token', () => {
  it.each([
    ['none', {}, 'TokenMissing'],
    ['another', { Authorization: `Bearer ${token}2` }, 'TokenWrong'],
    ['another scheme', { Authorization: `Basic ${token}` }, 'TokenMissing'],
  ])('answers 401 to %s, from this machine too', async (_, headers, code) => {
    const answer = await plan(guarded.origin, headers);
    expect([answer.status, codeOf(answer), answer.headers['www-authenticate']]).toEqual([401, code, 'Bearer']);
    expect(answer.text).not.toContain(token);
  });

  it('refuses a page of another origin that knows the token', async () => {
    const headers = { Authorization: `Bearer ${token}`, Origin: 'https://evil.example' };
    expect(codeOf(await plan(guarded.origin, headers))).toBe('ForeignOrigin');
  });

  it('does not affect the data plane', async () => {
    await guarded.createTable('Pets');
    expect((await guarded.insert('Pets', {})).status).toBe(201);
  });
});

describe('A control token', () => {
  it.each(['short', 'fifteen-letters', 'with a space in it', 'with-ümlauts-in-it', 'line\nbreaks-in-the-token'])(
    '%j is refused by the library, which does not repeat it',
    async (controlToken) => {
      const failure = await startEmulator({ controlToken }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).toMatch(/controlToken must be 16 to 1024 visible ASCII characters/);
      expect(String(failure)).not.toContain(controlToken);
    },
  );
});

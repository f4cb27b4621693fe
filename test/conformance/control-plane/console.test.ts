import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const { origin } = await startService();
const path = '/_emulator/console';
const page = await ask(origin, { method: 'GET', path });
const files = [...page.text.matchAll(/(?:href|src)="(console\/[^"]+)"/g)].map(([, file = '']) => `/_emulator/${file}`);

describe('Console', () => {
  it('answers with a page of the emulator, with a policy that allows nothing from elsewhere', async () => {
    expect(page.status, page.text).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    });
    expect(Object.keys(page.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(page.text).not.toMatch(/ (?:on\w+|style)="/);
    expect(page.text).not.toMatch(/<(?:script|style)[^>]*>[^<]/);
  });

  it('refers to files that a browser may cache forever', async () => {
    expect(files.map((file) => file.replace(/-[\w-]{8}\./, '.')).sort()).toEqual([
      '/_emulator/console/assets/console.css',
      '/_emulator/console/assets/main.js',
    ]);
    for (const file of files) {
      const { status, headers, text } = await ask(origin, { method: 'GET', path: file });
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers['content-type']).toBe(
        file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      );
      expect(text.length).toBeGreaterThan(1000);
    }
  });

  it.each(['..%2findex.html', '..%2f..%2fcli.js', 'index.html', 'absent-12345678.js', '%2e%2e'])(
    'has no file %s',
    async (file) => {
      const answer = await ask(origin, { method: 'GET', path: `${path}/assets/${file}` });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'NotFound']);
    },
  );

  it('is also served at its address with a slash', async () => {
    const { status, headers } = await ask(origin, { method: 'GET', path: `${path}/` });
    expect([status, headers['location']]).toEqual([302, path]);
  });

  it('needs no token for its files, which contain no data, but needs it for its requests', async () => {
    await using guarded = await startEmulator({ controlToken: 'a-token-of-some-length' });
    const statusOf = async (asked: string) => (await ask(guarded.url, { method: 'GET', path: asked })).status;
    expect(await Promise.all([path, ...files].map(statusOf))).toEqual([200, 200, 200]);
    const guardedPaths = ['settings', 'events', 'capacity'].map((name) => `/_emulator/${name}`);
    expect(await Promise.all(guardedPaths.map(statusOf))).toEqual([401, 401, 401]);
    expect((await ask(guarded.url, { path: '/_emulator/signature', body: {} })).status).toBe(401);
  });
});

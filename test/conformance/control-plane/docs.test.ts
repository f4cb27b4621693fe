import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ask, codeOf } from '../../support/control-plane.ts';
import { articlesOf } from '../../support/documented-articles.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { startService } from '../../support/service.ts';

const { origin } = await startService();
const path = '/_emulator/docs';
const documents = ['table-service', 'control-plane'] as const;
const textOf = (name: string): string =>
  readFileSync(new URL(`../../../openapi/${name}.yaml`, import.meta.url), 'utf8');

describe('Landing', () => {
  it.each(['/_emulator/', '/_emulator'])('leads from %s to the console', async (address) => {
    const { status, headers } = await ask(origin, { method: 'GET', path: address });
    expect([status, headers['location']]).toEqual([302, '/_emulator/console']);
  });

  it('is refused to a page of another origin', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    const answer = await ask(origin, { method: 'GET', path: '/_emulator/', headers });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'ForeignPage']);
  });
});

describe('Docs', () => {
  it('answers with a page that names every operation, error code and schema of both documents', async () => {
    const { status, headers, text } = await ask(origin, { method: 'GET', path });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    for (const name of documents) {
      const operations = articlesOf(textOf(name));
      expect(operations.length).toBeGreaterThan(8);
      expect(operations.filter((operation) => !text.includes(`<article id="${name}.${operation}">`))).toEqual([]);
      const { schemas } = parse(textOf(name)).components as { schemas: Record<string, object> };
      expect(Object.keys(schemas).filter((schema) => !text.includes(`id="${name}.schemas.${schema}"`))).toEqual([]);
      const codes = [...textOf(name).matchAll(/x-error-codes: \[([^\]]+)\]/g)].flatMap(([, list = '']) =>
        list.split(/,\s*/),
      );
      expect(codes.filter((code) => !text.includes(`<code>${code.trim()}</code>`))).toEqual([]);
    }
  });

  it('links only to itself, the documents and the console', async () => {
    const { text } = await ask(origin, { method: 'GET', path });
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link);
    const outside = links.filter((link) => !(link === '#' || (link.startsWith('#') && ids.has(link.slice(1)))));
    expect([...new Set(outside)].sort()).toEqual([
      'console',
      'data:,',
      'docs/control-plane.yaml',
      'docs/table-service.yaml',
    ]);
  });

  it('allows only its own script and style, requests to the emulator, and no framing', async () => {
    const { headers, text } = await ask(origin, { method: 'GET', path });
    const directives = String(headers['content-security-policy']).split('; ');
    const hash = "'sha256-[A-Za-z0-9+/]{43}='";
    expect(directives).toEqual([
      "default-src 'none'",
      expect.stringMatching(new RegExp(`^style-src ${hash}$`)),
      expect.stringMatching(new RegExp(`^script-src ${hash}$`)),
      'img-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(text).not.toMatch(/ (?:on\w+|style)="/);
  });

  it.each(documents)('serves the document %s unchanged', async (name) => {
    const { status, headers, text } = await ask(origin, { method: 'GET', path: `${path}/${name}.yaml` });
    expect([status, headers['content-type']]).toEqual([200, 'application/yaml']);
    expect(text).toBe(textOf(name));
  });

  it('serves the page of each rule of the advisor, and no other file', async () => {
    const rule = await ask(origin, { method: 'GET', path: `${path}/advisor/table-scan` });
    expect([rule.status, rule.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(rule.text).toMatch(/^# table-scan\n/);
    for (const name of ['no-such-rule', '..%2fcapacity', 'table-scan.md']) {
      const answer = await ask(origin, { method: 'GET', path: `${path}/advisor/${name}` });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'NotFound']);
    }
  });

  it.each([path, `${path}/table-service.yaml`])(
    'allows navigation to %s, and refuses pages of other origins',
    async (path) => {
      const typed = await ask(origin, {
        method: 'GET',
        path,
        headers: { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' },
      });
      expect(typed.status).toBe(200);
      for (const site of ['cross-site', 'same-site']) {
        const linked = await ask(origin, { method: 'GET', path, headers: { 'Sec-Fetch-Site': site } });
        expect([linked.status, codeOf(linked)]).toEqual([403, 'ForeignPage']);
      }
      const rebound = await ask(origin, { method: 'GET', path, headers: { Host: 'evil.example:10002' } });
      expect([rebound.status, codeOf(rebound)]).toEqual([403, 'ForeignHost']);
    },
  );

  it('are served by the built command, without a token', async () => {
    const token = 'a-token-of-some-length';
    const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence'], {
      env: { TANZANITE_CONTROL_TOKEN: token },
    });
    const url = await server.ready();
    const guarded = await ask(url, { method: 'GET', path: '/_emulator/capacity' });
    expect([guarded.status, codeOf(guarded)]).toEqual([401, 'TokenMissing']);
    const { status, text } = await ask(url, { method: 'GET', path });
    expect(status).toBe(200);
    expect(text).toContain('QueryEntities');
    await server.end('SIGKILL');
  });
});

// In a real browser, a page of another origin cannot write through the table endpoint, although anyone can sign with
// the public key of the development account.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryOf, keysOf } from '../support/atom-requests.ts';
import { BrowserPage, isBrowserInstalled } from '../support/browser.ts';
import { attack } from '../support/drive-by-attack.mjs';
import { setCors } from '../support/expect-xml.ts';
import { startService } from '../support/service.ts';
import { accountToken } from '../support/shared-access-tokens.ts';

/** Operations that the emulator refused as writes of a foreign page. */
const refused: string[] = [];
const service = await startService({
  onRequest: ({ code, operation }) => {
    if (code === 'CorsPreflightFailure' && operation !== 'TablePreflightRequest') refused.push(operation);
  },
});
/** The attack writes by fetch, beacon, form and XMLHttpRequest. None of its requests needs a preflight. */
const writesWithoutPreflight = 12;
const open = await startService({ allowForeignPages: true });
for (const { createTable } of [service, open]) await createTable('pets');

const signature = `api-version=2013-08-15&${accountToken({ sp: 'rwdlacu', sv: '2018-03-28' })}`;

const scriptOf = (base: string): string =>
  `(${attack.toString()})(${JSON.stringify(base)}, ${JSON.stringify(signature)}, ${JSON.stringify(entryOf(keysOf('row')))})`;

/** Serves the page, and the same page in a sandboxed frame, which has the origin null. */
function siteOf(): Server {
  return createServer(({ url }, response) => {
    response.setHeader('Content-Type', 'text/html');
    const report = 'parent.postMessage(JSON.stringify(ended), "*")';
    const target = new URL(url ?? '', 'http://site').searchParams.get('base') ?? '';
    if (url?.startsWith('/framed')) {
      response.end(`<body><script>${scriptOf(target)}.then((ended) => ${report})</script>`);
    } else {
      response.end('<!DOCTYPE html><title>a page</title><body>');
    }
  });
}

const rowsOf = async (from: typeof service): Promise<string[]> => {
  const { body } = await from.get('/pets()', { Accept: 'application/json;odata=nometadata' });
  return (JSON.parse(body) as { value: { RowKey: string }[] }).value.map(({ RowKey }) => RowKey);
};

const reason = isBrowserInstalled() ? '' : ': skipped, chromium is not installed';
const title = 'A page of another origin in a browser';
if (reason !== '') console.warn(title + reason);

describe.skipIf(reason !== '')(title + reason, { timeout: 180_000 }, () => {
  const site = siteOf();
  let page: BrowserPage;
  const at = (name: string): string => `http://${name}:${(site.address() as AddressInfo).port}`;
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    page = await BrowserPage.start();
    for (const { insert } of [service, open]) await insert('pets', { RowKey: 'kept' });
  });
  afterAll(async () => {
    await page?.close();
    site.close();
  });

  /** Opens the page, lets it attack, and returns the results of its fetches. */
  async function attackFrom(name: string, base: string): Promise<readonly string[]> {
    await page.open(`${at(name)}/`);
    return (await page.evaluate(scriptOf(base))) as string[];
  }

  /** A beacon may arrive after the page has finished. */
  async function expectNothingWritten(): Promise<void> {
    await expect.poll(() => refused.length).toBe(writesWithoutPreflight);
    refused.length = 0;
    expect(await rowsOf(service)).toEqual(['kept']);
  }

  it.each([
    ['of another port', '127.0.0.1'],
    ['of another site', 'localhost'],
  ])('%s writes nothing', async (_, name) => {
    const ended = await attackFrom(name, service.base);
    expect(ended.length).toBe(16);
    expect([...new Set(ended)].sort()).toEqual(['0 opaque', 'TypeError']);
    await expectNothingWritten();
  });

  it('in a sandboxed frame writes nothing', async () => {
    await page.open(`${at('127.0.0.1')}/`);
    const frame = `${at('127.0.0.1')}/framed?base=${encodeURIComponent(service.base)}`;
    const ended = await page.evaluate(`new Promise((resolve) => {
      addEventListener('message', ({ data }) => resolve(data));
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-scripts allow-forms';
      frame.src = ${JSON.stringify(frame)};
      document.body.append(frame);
    })`);
    expect(ended).toContain('0 opaque');
    await expectNothingWritten();
  });

  it('writes if --allow-foreign-pages is set, so the attack is real', async () => {
    await attackFrom('127.0.0.1', open.base);
    const rows = await rowsOf(open);
    for (const row of ['blob', 'no-cors', 'credentials', 'keepalive', 'no-referrer', 'xhr'])
      expect(rows).toContain(row);
  });

  it('writes if a CORS rule allows POST from its origin', async () => {
    await setCors(service, [{ origins: at('127.0.0.1'), methods: 'POST' }]);
    await attackFrom('127.0.0.1', service.base);
    const rows = await rowsOf(service);
    expect(rows).toContain('blob');
    expect(rows).not.toContain('typed');
  });
});

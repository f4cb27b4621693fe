// In a real browser, a page of another origin can read an entity only if a rule allows it.

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserInstalled } from '../support/browser.ts';
import { setCors } from '../support/expect-xml.ts';
import { entityPath, startService } from '../support/service.ts';
import { tableToken, withToken } from '../support/shared-access-tokens.ts';

const command = 'chromium';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { name: 'Rex' });

/** This page fetches with headers for which the browser sends a preflight. */
const page = (url: string): string => `<!DOCTYPE html><title>waiting</title><body>waiting<script>
fetch(${JSON.stringify(url)}, { headers: { Accept: 'application/json;odata=nometadata', 'x-ms-version': '2019-02-02' } })
  .then(async (answer) => {
    const { name } = await answer.json();
    document.body.textContent = 'read ' + name + ', version ' + answer.headers.get('x-ms-version');
  })
  .catch((error) => { document.body.textContent = 'failed: ' + error.name; });
</script>`;

const entity = `${service.base}${withToken(entityPath('pets'), tableToken('pets', { sp: 'r' }))}`;
const site = createServer((_, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end(page(entity));
});

/** The text of the page after its script has ended. */
async function textShown(): Promise<string> {
  const { port } = site.address() as AddressInfo;
  const options = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000', '--dump-dom'];
  const { stdout } = await promisify(execFile)(command, [...options, `http://127.0.0.1:${port}/`], { timeout: 60_000 });
  return /<body>([^<]*)/.exec(stdout)?.[1] ?? stdout;
}

const title = 'A page of another origin';
const reason = isBrowserInstalled() ? '' : `: skipped, ${command} is not installed`;
if (reason !== '') console.warn(title + reason);

describe.skipIf(reason !== '')(title + reason, { timeout: 180_000 }, () => {
  beforeAll(() => new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => site.close(() => resolve())));

  const origin = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

  it('reads an entity if a rule names its origin, with the exposed headers', async () => {
    await setCors(service, [{ origins: origin(), allowed: 'x-ms-*', exposed: 'x-ms-version' }]);
    expect(await textShown()).toBe('read Rex, version 2019-02-02');
  });

  it('reads an entity if a rule allows all origins, without the headers that are not exposed', async () => {
    await setCors(service, [{ allowed: '*' }]);
    expect(await textShown()).toBe('read Rex, version null');
  });

  it('reads nothing if the rules are for another origin or header, or absent', async () => {
    for (const rules of [[{ origins: 'http://127.0.0.1:1', allowed: '*' }], [{ allowed: 'content-type' }], []]) {
      await setCors(service, rules);
      expect(await textShown()).toBe('failed: TypeError');
    }
  });
});

// In a real browser, a page of another origin on this machine can neither read nor change the emulator.

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserInstalled } from '../../support/browser.ts';
import { JsonClient } from '../../support/json-client.mjs';
import { ServerProcess } from '../../support/server-process.mjs';

const command = 'chromium';

const identityRoutes = [
  'identity',
  'identity/environment',
  'identity/keys',
  'identity/principals',
  'identity/tokens',
  'identity/adfs/oauth2/token',
  'identity/metadata/identity/oauth2/token',
  'identity/msi/token',
];
const routes = ['health', 'ready', 'reset', 'explain', 'clock', 'faults', 'mcp', ...identityRoutes];

/** Tries every way in which a page can send a request, and records what it could read of each response. */
const page = (emulator: string): string => `<!DOCTYPE html><title>waiting</title><body>waiting</body>
<iframe name="one" hidden></iframe><iframe name="other" hidden></iframe><iframe name="token" hidden></iframe>
<form method="post" target="one" enctype="text/plain" action="${emulator}/_emulator/reset">
  <input name='{"account":"devstoreaccount1"}' value=""></form>
<form method="post" target="other" action="${emulator}/_emulator/reset"></form>
<form method="post" target="token" action="${emulator}/adfs/oauth2/token">
  <input name="grant_type" value="client_credentials"></form>
<script>
const routes = ${JSON.stringify(routes)};
const bodies = { reset: '{}', explain: '{"filter":""}', clock: '{"advanceMs":86400000}',
  faults: '{"fault":{"kind":"hang"}}', mcp: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
const attempts = routes.flatMap((route) => ['cors', 'no-cors'].flatMap((mode) => [
  { route, mode },
  { route, mode, method: 'POST', body: bodies[route] ?? '{}' },
  { route, mode, method: 'POST', body: bodies[route] ?? '{}', headers: { 'Content-Type': 'application/json' } },
  { route, mode, method: 'POST', body: new Blob([bodies[route] ?? '{}']), credentials: 'include' },
]));
async function attempt({ route, ...init }) {
  try {
    const answer = await fetch(${JSON.stringify(emulator)} + '/_emulator/' + route, init);
    return 'status ' + answer.status + ' ' + answer.type + ' ' + (await answer.text());
  } catch (error) {
    return error.name;
  }
}
for (const form of document.forms) form.submit();
navigator.sendBeacon(${JSON.stringify(emulator)} + '/_emulator/reset', '{}');
Promise.all([fetch('/refused'), ...attempts.map(attempt)]).then(([, ...results]) => {
  document.body.textContent = JSON.stringify([...new Set(results)].sort());
});
</script>`;

/**
 * The number of POST requests with which one page tries to reset the emulator: two requests with CORS, three without
 * CORS, two forms and a beacon. A third request with CORS is not counted, because the browser sends only its preflight.
 */
const resetsOfPage = 8;

async function textShown(url: string): Promise<string> {
  const options = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', '--dump-dom'];
  const { stdout } = await promisify(execFile)(command, [...options, url], { timeout: 60_000 });
  return /<body>([^<]*)/.exec(stdout)?.[1] ?? stdout;
}

const title = 'A page of another origin on this machine';
const reason = isBrowserInstalled() ? '' : `: skipped, ${command} is not installed`;
if (reason !== '') console.warn(title + reason);

describe.skipIf(reason !== '')(title + reason, { timeout: 180_000 }, () => {
  const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--identity']);
  let emulator: string;
  let pages = 0;
  /**
   * Waits until the emulator has answered all requests with which a page tries to reset the emulator. The page itself
   * cannot see some of these answers. The page therefore sends a request to its own site, and the site responds after
   * the last of these answers.
   */
  const refusals = async (): Promise<void> => {
    const refused = (): number => [...server.stdout.matchAll(/"msg":"POST \/_emulator\/reset 403"/g)].length;
    await expect.poll(refused).toBe(++pages * resetsOfPage);
  };
  const site = createServer(async ({ url }, response) => {
    if (url === '/refused') await refusals();
    response.setHeader('Content-Type', 'text/html');
    response.end(url === '/' ? page(emulator) : '');
  });

  beforeAll(async () => {
    emulator = await server.ready();
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    site.close();
    await server.end('SIGKILL');
  });

  it.each(['127.0.0.1', 'localhost'])(
    'at %s reads nothing from the control plane, changes no data, clock or fault, and gets no token',
    async (name) => {
      const client = new JsonClient(emulator);
      await client.createTable('Kept');
      const { port } = site.address() as AddressInfo;
      // A response to a no-cors fetch is opaque: the page sees neither status nor text.
      const shown: unknown = JSON.parse(await textShown(`http://${name}:${port}/`));
      expect(shown).toEqual(['TypeError', 'status 0 opaque ']);
      expect((await client.send({ method: 'GET', path: "Tables('Kept')" })).status).toBe(200);
      const clock = await (await fetch(`${emulator}/_emulator/clock`)).json();
      expect(clock).toMatchObject({ isFrozen: false, offsetMs: 0 });
      const faults = await (await fetch(`${emulator}/_emulator/faults`)).json();
      expect(faults).toMatchObject({ rules: [] });
      const identity = await (await fetch(`${emulator}/_emulator/identity`)).json();
      expect(identity).toMatchObject({ tokens: { count: 0 } });
      const { keys, principals } = identity as { readonly keys: object[]; readonly principals: object[] };
      expect([keys.length, principals.length]).toEqual([1, 1]);
      await client.close();
    },
  );

  it('is refused by the guard, not only by the browser', () => {
    const lines = [...server.stdout.matchAll(/"msg":"(\w+) \/_emulator\/([\w/]+) (\d+)"/g)];
    const refused = lines.map(([, method, route, status]) => `${method} ${route} ${status}`);
    // Before a request with the content type of JSON, the browser sends a preflight.
    const expected = routes.flatMap((route) => ['GET', 'POST', 'OPTIONS'].map((method) => `${method} ${route} 403`));
    expect([...new Set(refused)].sort()).toEqual(expected.sort());
  });
});

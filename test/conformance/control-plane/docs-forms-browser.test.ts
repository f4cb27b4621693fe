import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPage, isBrowserInstalled } from '../../support/browser.ts';
import { startService } from '../../support/service.ts';

const title = 'The forms of the documentation in a browser';
const reason = isBrowserInstalled() ? '' : ': skipped, chromium is not installed';
if (reason !== '') console.warn(title + reason);

/** The folder for screenshots of the page. If it is not set, none are taken. */
const pictures = process.env['DOCS_PICTURES'];

const developmentKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const entityPost = 'table-service.post-tableName-PartitionKey-partitionKey-RowKey-rowKey-';

/** Every form as it is when the page has loaded. In this order, each request finds the data that it needs. */
const untouched: readonly [id: string, status: number][] = [
  ['table-service.GetTableServiceProperties', 200],
  ['table-service.SetTableServiceProperties', 202],
  ['table-service.CreateTable', 201],
  ['table-service.QueryTables', 200],
  ['table-service.GetTable', 200],
  ['table-service.SetTableAcl', 204],
  ['table-service.head-tableName-', 200],
  ['table-service.InsertEntity', 201],
  ['table-service.post-tableName-segment-', 409],
  ['table-service.QueryEntities', 200],
  ['table-service.GetEntity', 200],
  ['table-service.InsertOrReplaceEntity', 204],
  ['table-service.InsertOrMergeEntity', 204],
  [entityPost, 204],
  ['table-service.EntityGroupTransaction', 202],
  ['table-service.DeleteEntity', 204],
  ['control-plane.Health', 200],
  ['control-plane.HealthHead', 200],
  ['control-plane.Ready', 200],
  ['control-plane.ReadyHead', 200],
  ['control-plane.ListSnapshots', 200],
  ['control-plane.SaveSnapshot', 200],
  ['control-plane.RestoreSnapshot', 200],
  ['control-plane.DeleteSnapshot', 200],
  ['control-plane.BeginLoad', 200],
  ['control-plane.AbandonLoad', 404],
  ['control-plane.AddLoadTable', 404],
  ['control-plane.AddLoadEntities', 404],
  ['control-plane.FinishLoad', 404],
  ['control-plane.BeginExport', 200],
  ['control-plane.EndExport', 404],
  ['control-plane.ExportTable', 404],
  ['control-plane.TableSizes', 200],
  ['control-plane.Policies', 200],
  ['control-plane.SetPolicies', 200],
  ['control-plane.Reset', 200],
  ['control-plane.GetClock', 200],
  ['control-plane.TurnClock', 200],
  ['control-plane.ReleaseClock', 200],
  ['control-plane.Capacity', 200],
  ['control-plane.Advisor', 200],
  ['control-plane.AdvisorOfTrace', 400],
  ['control-plane.ClearAdvisor', 204],
  ['control-plane.HeatMap', 200],
  ['control-plane.Settings', 200],
  ['control-plane.Signature', 200],
  ['control-plane.Metrics', 200],
  ['control-plane.MetricsHead', 200],
  ['control-plane.Explain', 200],
  ['control-plane.Landing', 200],
  ['control-plane.LandingWithoutSlash', 200],
  ['control-plane.Console', 200],
  ['control-plane.ConsoleWithSlash', 200],
  ['control-plane.ConsoleFile', 404],
  ['control-plane.Docs', 200],
  ['control-plane.RulePage', 200],
  ['control-plane.TableServiceDocument', 200],
  ['control-plane.ControlPlaneDocument', 200],
  ['table-service.DeleteTable', 204],
  ['table-service.post-Tables-tableName-', 404],
  ['control-plane.ListFaults', 200],
  ['control-plane.AddFaults', 201],
  ['control-plane.RemoveFault', 404],
  ['control-plane.ClearFaults', 200],
  ['control-plane.Refusals', 200],
  ['control-plane.Capabilities', 200],
  ['control-plane.SimulateKeys', 404],
  ['control-plane.CertificateAuthority', 404],
  // This emulator has no token issuer.
  ['control-plane.Identity', 404],
  ['control-plane.IdentityEnvironment', 404],
  ['control-plane.MakePrincipal', 404],
  ['control-plane.RemovePrincipal', 404],
  ['control-plane.GiveToken', 404],
  ['control-plane.RotateKeys', 404],
  ['control-plane.IssuerKeys', 404],
  ['control-plane.OpenIdConfiguration', 404],
  ['control-plane.OpenIdConfigurationOfAdfs', 404],
  ['control-plane.Token', 404],
  ['control-plane.TokenOfAdfs', 404],
  ['control-plane.ManagedIdentityToken', 404],
  ['control-plane.AppServiceToken', 404],
];

/** Operations that share a form with another operation. Opening an operation's own link chooses it in the form. */
const chosen: readonly [name: string, status: number][] = [
  ['GetTableServiceStats', 200],
  ['UpdateEntity', 204],
  ['MergeEntity', 204],
  ['GetTableAcl', 200],
];

describe.skipIf(reason !== '')(title + reason, { timeout: 180_000 }, async () => {
  const service = await startService();
  const { origin } = service;
  const page = reason === '' ? await BrowserPage.start() : (undefined as never);

  const open = (): Promise<void> => page.open(`${origin}/_emulator/docs`);
  beforeAll(open);
  afterAll(() => page.close());

  const article = (id: string): string => `document.getElementById(${JSON.stringify(id)}).closest('article')`;

  /** Sends the form of an operation, with values for some of its controls. */
  async function send(id: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
    const status = await page.evaluate(`new Promise((resolve) => {
      const article = ${article(id)};
      for (const [name, value] of Object.entries(${JSON.stringify(values)}))
        article.querySelector('[data-name="' + name + '"]').value = value;
      const status = article.querySelector('.status');
      const seen = () => { if (!/Sending|^$/.test(status.textContent)) resolve(status.textContent); };
      new MutationObserver(seen).observe(status, { childList: true });
      article.querySelector('.try').open = true;
      article.querySelector('.try form').requestSubmit();
    })`);
    return String(status);
  }
  const shown = async (id: string): Promise<string> =>
    String(await page.evaluate(`${article(id)}.querySelector('.result').innerText`));
  const goTo = (id: string): Promise<unknown> =>
    page.evaluate(`new Promise((resolve) => { addEventListener('hashchange', () => setTimeout(resolve), { once: true });
      location.hash = ${JSON.stringify(id)}; })`);
  const set = (id: string, value: string): Promise<unknown> =>
    page.evaluate(`new Promise((resolve) => { const input = document.getElementById('${id}');
      // The page shows this note last.
      new MutationObserver(resolve).observe(document.getElementById('curl-note'), { childList: true });
      input.value = ${JSON.stringify(value)}; input.dispatchEvent(new Event('input', { bubbles: true })); })`);
  const textOf = async (id: string): Promise<string> =>
    String(await page.evaluate(`document.getElementById('${id}').textContent`));

  it('show a connection string and a curl line for the address of the page', async () => {
    const endpoint = `${origin}/devstoreaccount1`;
    expect(await textOf('connection-string')).toBe(
      `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${developmentKey};TableEndpoint=${endpoint};`,
    );
    const line = await textOf('curl-line');
    expect(line).toMatch(/^curl -H "Accept: [^"]+" "[^"$`\\]+"$/);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --fail`]);
    expect(JSON.parse(stdout)).toEqual({ value: [] });
  });

  it('offer buttons that copy both', async () => {
    for (const id of ['connection-string', 'curl-line']) {
      const label = await page.evaluate(`new Promise((resolve) => {
        const button = document.querySelector('[data-copies="${id}"]');
        new MutationObserver(() => resolve(button.textContent)).observe(button, { childList: true });
        button.click();
      })`);
      // A headless browser may have no clipboard; then the page selects the text instead.
      if (label === 'Selected') expect(await page.evaluate('getSelection().toString()')).toBe(await textOf(id));
      else expect(label).toBe('Copied');
    }
  });

  it('are there for every operation except preflights, streams and the protocol of assistants', async () => {
    const without = await page.evaluate(
      `[...document.querySelectorAll('article[id]')].filter((one) => !one.querySelector('.try form')).map(({ id }) => id)`,
    );
    expect(
      (without as string[]).filter(
        (id) => !/\.(options-|TablePreflightRequest$|Events$|ModelContextProtocol$|x-)/.test(id),
      ),
    ).toEqual([]);
    const forms = await page.evaluate(
      `[...document.querySelectorAll('.try form')].map((one) => one.closest('article').id)`,
    );
    expect([...(forms as string[])].sort()).toEqual(untouched.map(([id]) => id).sort());
  });

  it.each(untouched)('send %s without changes', async (id, status) => {
    expect(await send(id)).toMatch(new RegExp(`^${status} .*, \\d+ ms$`));
  });

  it.each(chosen)('send %s once its link is opened', async (name, status) => {
    await send('table-service.CreateTable');
    await send('table-service.InsertEntity');
    await goTo(`table-service.${name}`);
    expect(await send(`table-service.${name}`)).toMatch(new RegExp(`^${status} `));
    if (name === 'GetTableServiceStats')
      expect(await shown(`table-service.${name}`)).toContain('<Status>live</Status>');
    if (name === 'GetTableAcl') expect(await shown(`table-service.${name}`)).toContain('<SignedIdentifiers');
    if (name === 'UpdateEntity') expect(await shown(`table-service.${name}`)).toContain('If-Match: *');
  });

  it('show status, headers, body and why a request was refused', async () => {
    const status = await send('table-service.GetEntity', { rowKey: "O'Neil" });
    expect(status).toMatch(/^404 Not Found, /);
    const result = await shown('table-service.GetEntity');
    expect(result).toContain("RowKey='O''Neil'");
    expect(result).toContain('ResourceNotFound');
    expect(result).toContain('content-type: application/json');
    await send('table-service.QueryEntities', { comp: '', $filter: 'age eq' });
    expect(await shown('table-service.QueryEntities')).toMatch(/Why it was refused \(x-emulator-why\)\n+.*age eq/);
  });

  it('sign with the account and the key that are given', async () => {
    await set('key', 'd3Jvbmc=');
    expect(await send('table-service.QueryTables')).toMatch(/^403 /);
    await set('key', 'no base64 at all!');
    expect(await send('table-service.QueryTables')).toMatch(/^The request was not sent: /);
    expect(await textOf('curl-note')).toBe('The key is not base64.');
    await set('key', developmentKey);
    expect(await send('table-service.QueryTables')).toMatch(/^200 /);
  });

  it('replace an example, but not other text, by the example of another content type', async () => {
    const id = 'table-service.InsertEntity';
    const choose = (type: string): Promise<unknown> =>
      page.evaluate(`(() => { const type = ${article(id)}.querySelector('[data-part="type"]'); type.value = '${type}';
        type.dispatchEvent(new Event('change')); return ${article(id)}.querySelector('[data-part="body"]').value; })()`);
    expect(await choose('application/atom+xml')).toMatch(/^<entry /);
    await send('table-service.DeleteEntity');
    const atom = { 'x-ms-version': '2015-04-05', Accept: 'application/atom+xml;type=entry' };
    expect(await send(id, atom)).toMatch(/^201 /);
    expect(await choose('application/json')).toMatch(/^\{\n {2}"PartitionKey"/);
    await page.evaluate(`${article(id)}.querySelector('[data-part="body"]').value = 'mine'`);
    expect(await choose('application/atom+xml')).toBe('mine');
  });

  it('show the content of any response as text', async () => {
    const hostile = `</pre><img src="/x" onerror="alert(1)"><script>alert(1)</script><a href="javascript:alert(1)">`;
    const body = JSON.stringify({ PartitionKey: 'hostile', RowKey: '1', text: hostile });
    await open();
    expect(await send('table-service.InsertEntity', { 'Content-Type': 'application/json', Body: body })).toMatch(
      /^201 /,
    );
    expect(await shown('table-service.InsertEntity')).toContain('onerror=');
    await send('table-service.QueryEntities', { $filter: `'${hostile}' eq 1` });
    expect(await shown('table-service.QueryEntities')).toContain('Why it was refused');
    await set('account', hostile);
    await send('table-service.QueryTables');
    expect(await textOf('connection-string')).toContain('onerror=');
    expect(await page.evaluate(`document.querySelectorAll('img, main script, a[href^="javascript"]').length`)).toBe(0);
    const bodyTags = await page.evaluate(
      `[...new Set([...document.querySelectorAll('.result *')].map((one) => one.localName))].sort()`,
    );
    expect(bodyTags).toEqual(['h4', 'pre']);
    expect(page.requests.filter((url) => url.endsWith('/x'))).toEqual([]);
  });

  it('send nothing elsewhere, and break no policy', () => {
    expect(page.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(page.errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('look as they should, light and dark', async () => {
    await open();
    await send('table-service.CreateTable');
    for (const [name, width, height] of [
      ['wide', 1280, 1000],
      ['narrow', 390, 844],
    ] as const) {
      await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      for (const value of ['light', 'dark']) {
        await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
        for (const id of ['connect', 'table-service.QueryEntities', 'table-service.EntityGroupTransaction']) {
          await send(
            id === 'connect' ? 'table-service.QueryTables' : id,
            id.endsWith('Entities') ? { $filter: 'x eq' } : {},
          );
          await page.evaluate(
            `(document.getElementById('${id}').querySelector('.try') ?? document.getElementById('${id}')).scrollIntoView()`,
          );
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
          if (pictures === undefined) continue;
          const { data } = await page.send('Page.captureScreenshot');
          writeFileSync(join(pictures, `form-${name}-${value}-${id}.png`), Buffer.from(String(data), 'base64'));
        }
      }
    }
  });

  it('say so if the browser cannot sign', async () => {
    const source = `Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })`;
    const { identifier } = await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
    await open();
    expect(await page.evaluate(`document.getElementById('no-signing').checkVisibility()`)).toBe(true);
    expect(await textOf('connection-string')).toContain(origin);
    expect(await send('table-service.QueryTables')).toBe(
      'The request was not sent: this browser signs only on pages of 127.0.0.1, localhost or https.',
    );
    expect(await send('control-plane.Health')).toMatch(/^200 /);
    await page.send('Page.removeScriptToEvaluateOnNewDocument', { identifier: String(identifier) });
  });

  it('are hidden without JavaScript, while all text is shown', async () => {
    await page.send('Emulation.setScriptExecutionDisabled', { value: true });
    await open();
    const { root } = (await page.send('DOM.getDocument')) as { root: { nodeId: number } };
    const boxOf = async (selector: string): Promise<boolean> => {
      const { nodeId } = (await page.send('DOM.querySelector', { nodeId: root.nodeId, selector })) as {
        nodeId: number;
      };
      return page.send('DOM.getBoxModel', { nodeId }).then(
        () => true,
        () => false,
      );
    };
    const selectors = ['#connection-string', '#table-service\\.UpdateEntity', '#credentials', '.try', '[data-copies]'];
    expect(await Promise.all(selectors.map(boxOf))).toEqual([true, true, false, false, false]);
  });
});

import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The traffic page of the console';
if (skipReason !== '') console.warn(title + skipReason);
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const list = (page: Page): Locator => page.getByRole('grid', { name: 'Requests, the newest first' });
const rowsOf = (page: Page): Locator => list(page).locator('.traffic-item');
const details = (page: Page): Locator => page.locator('.traffic-details');
const isLive = (page: Page): Promise<void> => page.locator('.traffic-state.live').waitFor();

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole({ traceUrl: 'http://localhost:16686/trace/{traceId}' });

  it('says what to do while there are no requests, and shows those of an SDK when they are answered', async () => {
    const { page, faults } = await console.open('traffic');
    await page.getByText('Waiting for requests').waitFor();
    await isLive(page);
    const pets = await console.createTable('livePets');
    await pets.createEntity({ partitionKey: 'cats', rowKey: 'tom', Age: 3 });
    for await (const _ of pets.listEntities({ queryOptions: { filter: 'Age gt 2' } })) break;
    await rowsOf(page).nth(2).waitFor();
    const texts = await rowsOf(page).allInnerTexts();
    expect(texts).toHaveLength(3);
    const [query, insert, create] = texts.map((text) => text.replaceAll(/\s+/g, ' '));
    expect(query).toContain('QueryEntities livePets Age gt 2 table scan, 1 → 1');
    expect(insert).toContain('InsertEntity livePets cats / tom');
    expect(create).toContain('CreateTable');
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  it.each(['en-GB', 'en-US', 'de-DE', 'ar-EG', 'hu-HU'])('shows complete times in the language %s', async (locale) => {
    const { page } = await console.open('traffic', { locale, width: 1024 });
    await isLive(page);
    await console.createTable(`times${locale.slice(0, 2)}`);
    await rowsOf(page).first().waitFor();
    const isCut = (cell: Element): boolean => cell.scrollWidth > cell.clientWidth;
    expect(await rowsOf(page).locator('.c0').first().evaluate(isCut)).toBe(false);
    const left = (selector: string): Promise<number> =>
      list(page)
        .locator(selector)
        .first()
        .evaluate((cell) => cell.getBoundingClientRect().left);
    expect(await left('.traffic-item .c1')).toBe(await left('.traffic-head .c1'));
  });

  it('can be paused; it counts the requests that wait, and then shows them', async () => {
    const { page } = await console.open('traffic');
    await isLive(page);
    const table = await console.createTable('pausedPets');
    await rowsOf(page).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await rowsOf(page).count();
    for (let at = 0; at < 5; at++) await table.upsertEntity({ partitionKey: 'p', rowKey: String(at) });
    const resume = page.getByRole('button', { name: 'Resume (5)' });
    await resume.waitFor();
    expect(await rowsOf(page).count()).toBe(before);
    await resume.click();
    await expect.poll(() => rowsOf(page).count()).toBe(before + 5);
  });

  it('moves from request to request with the keyboard, and explains a refused signature', async () => {
    const { page } = await console.open('traffic?status=refused', { theme: 'dark' });
    await isLive(page);
    const url = `${console.emulator().url}/${account}/pets()?$filter=Age%20eq%205`;
    const date = new Date().toUTCString();
    const headers = { 'x-ms-date': date, 'x-ms-version': '2019-02-02', Cookie: 'session=a-secret' };
    await fetch(url, { headers: { ...headers, Authorization: `SharedKeyLite ${account}:dGhlIHdyb25nIG9uZQ==` } });
    await fetch(`${console.emulator().url}/${account}/pets()?sv=2019-02-02&sig=a-secret`);
    await rowsOf(page).nth(1).waitFor();
    await list(page).focus();
    await page.keyboard.press('End');
    await details(page).getByText('AuthenticationFailed').waitFor();
    await details(page).getByText('The text to sign is').waitFor();
    expect(await list(page).getAttribute('aria-activedescendant')).toBe(await rowsOf(page).nth(1).getAttribute('id'));
    await expectAccessible(page);
    await details(page)
      .getByRole('tab', { name: /Headers/ })
      .click();
    await details(page).getByText(`SharedKeyLite ${account}:REDACTED`).waitFor();
    expect(await page.content()).not.toMatch(/a-secret|dGhlIHdyb25n/);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await details(page).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
  });

  it('shows the requests inside a batch, and which one was refused', async () => {
    const table = await console.createTable('batchPets');
    await table.createEntity({ partitionKey: 'p', rowKey: '2' });
    const { page } = await console.open('traffic?operation=EntityGroupTransaction');
    await isLive(page);
    await table.submitTransaction([
      ['upsert', { partitionKey: 'p', rowKey: '1' }],
      ['delete', { partitionKey: 'p', rowKey: '2' }],
    ]);
    await table
      .submitTransaction([
        ['create', { partitionKey: 'p', rowKey: '3' }],
        ['create', { partitionKey: 'p', rowKey: '1' }],
      ])
      .catch(() => undefined);
    await rowsOf(page).nth(1).click();
    await details(page).getByRole('tab', { name: 'Batch (2)' }).click();
    await expect.poll(() => details(page).getByRole('row').allInnerTexts()).toHaveLength(3);
    expect((await details(page).getByRole('row').allInnerTexts()).join(' ')).toMatch(
      /batchPets\s+p\s+1[\s\S]*batchPets\s+p\s+2/,
    );
    await rowsOf(page).nth(0).click();
    await details(page).getByText('Refused: EntityAlreadyExists').waitFor();
  });

  it('keeps the filter in the address, and finds keys, codes and clients', async () => {
    const table = await console.createTable('wordyPets');
    const { page } = await console.open('traffic');
    await isLive(page);
    await table.upsertEntity({ partitionKey: 'cats', rowKey: 'tom' });
    await table.getEntity('cats', 'absent').catch(() => undefined);
    await rowsOf(page).nth(1).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('resourcenotfound absent');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    expect(page.url()).toContain('text=resourcenotfound+absent');
    await page.getByRole('searchbox', { name: 'Search' }).fill('azsdk-js');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('succeeded');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('throttled');
    await page.getByText('No request fits the filter').waitFor();
  });

  it('shows hostile keys, filters and headers as text', async () => {
    const table = await console.createTable('hostilePets');
    const { page, faults } = await console.open('traffic');
    await isLive(page);
    const evil = '<img src=x onerror=alert(1)>\u202e';
    await table.upsertEntity({ partitionKey: evil, rowKey: 'r' });
    for await (const _ of table.listEntities({ queryOptions: { filter: `PartitionKey eq '${evil}'` } })) break;
    await rowsOf(page).nth(1).waitFor();
    expect(await rowsOf(page).nth(0).innerText()).toContain("PartitionKey eq '<img src=x onerror=alert(1)>\\u202e'");
    await rowsOf(page).nth(1).click();
    await details(page).getByText('PartitionKey').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('groups requests by their trace, says what the advisor finds in one, and links to the viewer', async () => {
    const { page, faults, requests } = await console.open('traffic');
    await isLive(page);
    const [traceId, other] = ['4bf92f3577b34da6a3ce929d0e0e4736', 'c'.repeat(32)];
    const traced = (id: string) => ({
      requestOptions: { customHeaders: { traceparent: `00-${id}-00f067aa0ba902b7-01` } },
    });
    const table = await console.createTable('tracedPets');
    for (let at = 0; at < 41; at++)
      await table.createEntity({ partitionKey: 'cats', rowKey: `${at}` }, traced(traceId));
    await table.getEntity('cats', 'absent', traced(other)).catch(() => undefined);
    await page.getByRole('button', { name: 'Group by trace' }).click();
    const traces = page.getByRole('region', { name: 'Traces, the newest first' });
    await traces.locator('tbody tr').nth(1).waitFor();
    const texts = await traces.locator('tbody tr').allInnerTexts();
    expect(texts.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/cccccccc… 1 1 .*1 GetEntity tracedPets Show the trace/),
      expect.stringMatching(/4bf92f35… 41 0 .*41 InsertEntity tracedPets Show the trace/),
    ]);
    await expectAccessible(page);
    await traces.getByRole('link', { name: '4bf92f35…' }).click();
    const card = page.getByRole('region', { name: 'Trace', exact: true });
    await card.getByText('40 round trips could be saved.').waitFor();
    await card.getByText('single-writes').waitFor();
    expect(await rowsOf(page).count()).toBeGreaterThan(5);
    expect(await rowsOf(page).filter({ hasText: 'GetEntity' }).count()).toBe(0);
    const link = card.getByRole('link', { name: 'Show the trace' });
    expect(await link.getAttribute('href')).toBe(`http://localhost:16686/trace/${traceId}`);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await expectAccessible(page);
    await card.getByRole('link', { name: 'All requests' }).click();
    await rowsOf(page).filter({ hasText: 'GetEntity' }).first().waitFor();
    expect(requests.filter((address) => address.includes('16686'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows any text in place of a trace in the address as text', async () => {
    const { page, faults } = await console.open(`traffic?trace=${encodeURIComponent('<img src=x>\u202e/../x')}`);
    await page.getByRole('region', { name: 'Trace', exact: true }).getByText('<img src=x>').waitFor();
    expect(await page.locator('.traffic-trace img, .traffic-trace a[target]').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('exports an archive that contains neither keys nor signatures', async () => {
    const table = await console.createTable('archivePets');
    const { page } = await console.open('traffic');
    await isLive(page);
    await table.upsertEntity({ partitionKey: 'cats', rowKey: 'tom' });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-ms-client-request-id': 'mine' };
    const signed = `${account}/archivePets()?sv=2019-02-02&se=2099-01-01&sig=a-secret&$top=1`;
    await fetch(`${console.emulator().url}/${signed}`, { headers });
    await rowsOf(page).nth(1).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export HAR' }).click(),
    ]);
    const text = await readFile((await download.path()) ?? '', 'utf8');
    expect(text).not.toContain('a-secret');
    expect(text).not.toContain(key);
    expect(text).toContain('REDACTED');
    expect(text).not.toMatch(/SharedKey(?:Lite)? \w+:(?!REDACTED)/);
    const { log } = JSON.parse(text) as { log: { version: string; entries: readonly HarEntry[] } };
    expect(log.version).toBe('1.2');
    expect(log.entries).toHaveLength(2);
    for (const entry of log.entries) {
      expect(new URL(entry.request.url).origin).toBe(console.emulator().url);
      expect(Number.isNaN(Date.parse(entry.startedDateTime))).toBe(false);
      expect(entry.timings.wait + entry.timings.blocked).toBeCloseTo(entry.time, 6);
    }
    const [write, read] = log.entries;
    expect(write?.request).toMatchObject({ method: 'PATCH', bodySize: expect.any(Number) });
    expect(write?.response.status).toBe(204);
    expect(read).toMatchObject({ _traceId: traceId, _clientRequestId: 'mine' });
    expect(read?.request.queryString).toContainEqual({ name: '$top', value: '1' });
    expect(read?.response.headers.map(({ name }) => name.toLowerCase())).toContain('x-ms-request-id');
  });

  it('keeps 5,000 requests, and rows for one screen, however many requests arrive', async () => {
    const { page } = await console.open('settings');
    const waiting: (() => void)[] = [];
    await page.route('**/_emulator/events?*', async (route) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await route.fulfill({ contentType: 'text/event-stream', body: streamOf(6_000) });
    });
    await page.evaluate(() => {
      window.location.hash = '#/traffic';
    });
    const session = await page.context().newCDPSession(page);
    /** Answers the page, which reconnects when the stream ends. Returns the heap that is in use then. */
    const stream = async (times: number): Promise<number> => {
      await expect.poll(() => waiting.length, { timeout: 60_000 }).toBe(times);
      waiting.at(-1)?.();
      await page.getByText(`${150 * times} more were answered`).waitFor();
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const before = await stream(1);
    await stream(2);
    expect(await stream(3)).toBeLessThan(before * 1.3 + 2_000_000);
    await page.getByText('5,000 requests, the newest ones').waitFor();
    expect(await rowsOf(page).count()).toBeLessThan(60);
    expect(await list(page).getAttribute('aria-rowcount')).toBe('5001');
    await list(page).focus();
    await page.keyboard.press('p');
    await page.keyboard.press('End');
    await expect.poll(() => rowsOf(page).locator('.c4').last().innerText()).toMatch(/^p\d+ \/ r$/);
    await expect.poll(() => rowsOf(page).last().getAttribute('aria-rowindex')).toBe('5001');
    expect(await rowsOf(page).count()).toBeLessThan(60);
  });

  it('copies a request as curl without its signature, and as a command', async () => {
    const table = await console.createTable('copiedPets');
    const { page } = await console.open('traffic');
    await isLive(page);
    await table.upsertEntity({ partitionKey: "it's", rowKey: '-1' });
    await table.getEntity("it's", '-1');
    await rowsOf(page).nth(1).waitFor();
    await rowsOf(page).nth(0).click();
    const copied = async (name: string): Promise<string> => {
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await details(page).getByRole('button', { name }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe('');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const curl = await copied('Copy as curl');
    expect(curl).toContain(`curl --request GET '${console.emulator().url}/${account}/copiedPets(`);
    expect(curl).toContain('"$SAS"');
    expect(curl.toLowerCase()).not.toContain('authorization');
    expect(await copied('Copy as command')).toBe(
      `tanzanite entity get --url ${console.emulator().url} --account ${account} -- copiedPets 'it'\\''s' -1`,
    );
  });
});

/** A stream of point reads, in events of 200. Each event says that five more requests are left out. */
function streamOf(count: number): string {
  const eventSize = 200;
  const request = (at: number): object => ({
    ...{ operation: 'GetEntity', status: 200, requestId: `id-${at}`, durationMs: 0.5, account, table: 'load' },
    ...{ partitionKey: `p${at}`, rowKey: 'r', bytesIn: 0, bytesOut: 200, atMs: 1_790_000_000_000 + at, method: 'GET' },
    ...{ url: `/${account}/load(PartitionKey='p${at}',RowKey='r')`, remoteAddress: '127.0.0.1', connection: 1 },
    ...{ credential: 'key', capacity: 'admitted', units: 1, responseHeaders: [['Server', 'x'.repeat(100)]] },
    requestHeaders: [['accept', `application/json;${at}`]],
  });
  return Array.from({ length: count / eventSize }, (_, event) => {
    const requests = Array.from({ length: eventSize }, (_item, at) => request(event * eventSize + at));
    return `event: requests\ndata: ${JSON.stringify({ dropped: 5, requests })}\n\n`;
  }).join('');
}

interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly timings: { readonly wait: number; readonly blocked: number };
  readonly request: {
    readonly url: string;
    readonly queryString: readonly { readonly name: string; readonly value: string }[];
  };
  readonly response: { readonly status: number; readonly headers: readonly { readonly name: string }[] };
}

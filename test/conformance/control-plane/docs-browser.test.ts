import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BrowserPage, isBrowserInstalled } from '../../support/browser.ts';
import { articlesOf } from '../../support/documented-articles.ts';
import { startService } from '../../support/service.ts';

const title = 'The documentation in a browser';
const reason = isBrowserInstalled() ? '' : ': skipped, chromium is not installed';
if (reason !== '') console.warn(title + reason);

/** The folder for screenshots of the page. If it is not set, none are taken. */
const pictures = process.env['DOCS_PICTURES'];

const sizes = { wide: [1280, 1000], narrow: [390, 844] } as const;
const places = ['', '#table-service.QueryEntities', '#control-plane.schemas.CapacityReport'];

describe.skipIf(reason !== '')(title + reason, { timeout: 180_000 }, async () => {
  const { origin } = await startService();
  let page: BrowserPage;

  beforeAll(async () => {
    page = await BrowserPage.start();
    await page.open(`${origin}/_emulator/docs`);
  });
  afterAll(() => page.close());

  const visible = (selector: string): Promise<unknown> =>
    page.evaluate(
      `[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).map((one) => one.id)`,
    );

  it('shows every operation', async () => {
    const yaml = ['table-service', 'control-plane'].map(async (name) => {
      const text = await (await fetch(`${origin}/_emulator/docs/${name}.yaml`)).text();
      return articlesOf(text).map((operation) => `${name}.${operation}`);
    });
    const expected = (await Promise.all(yaml)).flat();
    expect(expected.length).toBeGreaterThan(20);
    expect(await visible('article')).toEqual(expect.arrayContaining(expected));
  });

  it('lists every operation by its name', async () => {
    const text = await (await fetch(`${origin}/_emulator/docs/table-service.yaml`)).text();
    const { paths } = parse(text) as { paths: Record<string, Record<string, { 'x-operations'?: { name: string }[] }>> };
    const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs));
    const names = new Set(operations.flatMap((operation) => operation['x-operations'] ?? []).map(({ name }) => name));
    const listed = await page.evaluate(
      `[...document.querySelectorAll('nav li a')].map((one) => one.lastChild.data.trim())`,
    );
    expect(names.size).toBeGreaterThan(10);
    expect(listed).toEqual(expect.arrayContaining([...names]));
    expect(new Set(listed as string[]).size).toBe((listed as string[]).length);
    const verbOf = (name: string): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('nav li a')].find((one) => one.textContent.endsWith(' ${name}')).textContent`,
      );
    expect(await verbOf('GetTableAcl')).toBe('get GetTableAcl');
    const targets = await page.evaluate(`[...document.querySelectorAll('nav li a')].map((one) => one.hash)`);
    expect(targets).toEqual(expect.arrayContaining([...names].map((name) => `#table-service.${name}`)));
    expect(new Set(targets as string[]).size).toBe((targets as string[]).length);
  });

  it('searches all parts of an operation', async () => {
    const type = (text: string): Promise<unknown> =>
      page.evaluate(`filter.value = '${text}'; filter.dispatchEvent(new Event('input'))`);
    await type('entity toolarge');
    const found = (await visible('article')) as string[];
    expect(found).toContain('table-service.InsertEntity');
    expect(found).not.toContain('control-plane.Health');
    await type('InvalidDuplicateRow');
    expect(await visible('article')).toEqual(['table-service.EntityGroupTransaction']);
    await type('no such words');
    expect(await page.evaluate('document.querySelector("nav").innerText.trim()')).toBe('');
    expect(await visible('article')).toEqual([]);
    expect(await visible('#nothing')).toEqual(['nothing']);
    await type('');
    expect(await visible('#nothing')).toEqual([]);
  });

  it('opens the target of a link', async () => {
    const id = 'table-service.schemas.ServiceProperties';
    expect(await page.evaluate(`document.getElementById('${id}').open`)).toBe(false);
    await page.evaluate(
      `new Promise((resolve) => { addEventListener('hashchange', resolve); location.hash = '${id}'; })`,
    );
    expect(await page.evaluate(`document.getElementById('${id}').open`)).toBe(true);
  });

  it('leads to an operation that shares its address with others, although the filter hides it', async () => {
    const id = 'table-service.UpdateEntity';
    const seen = await page.evaluate(`new Promise((resolve) => {
      filter.value = 'no such words'; filter.dispatchEvent(new Event('input'));
      addEventListener('hashchange', () => setTimeout(() => {
        const item = document.getElementById('${id}');
        resolve([item.checkVisibility(), item.textContent, item.closest('article').id]);
      }), { once: true });
      location.hash = '${id}';
    })`);
    const article = 'table-service.InsertOrReplaceEntity';
    expect(seen).toEqual([true, 'UpdateEntity If-Match is given', article]);
    await page.evaluate(`filter.value = ''; filter.dispatchEvent(new Event('input'))`);
  });

  it.each(Object.entries(sizes))('fits a %s screen, light and dark', async (name, [width, height]) => {
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    const backs = new Set<unknown>();
    for (const value of ['light', 'dark']) {
      await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
      backs.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      for (const [index, place] of places.entries()) {
        await page.evaluate(`new Promise((resolve) => {
          const before = location.href;
          addEventListener('hashchange', () => setTimeout(resolve), { once: true });
          location.hash = '${place}';
          if (location.href === before) resolve();
        })`);
        if (place === '') await page.evaluate('scrollTo(0, 0)');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        if (pictures === undefined) continue;
        const { data } = await page.send('Page.captureScreenshot');
        writeFileSync(join(pictures, `${name}-${value}-${index}.png`), Buffer.from(String(data), 'base64'));
      }
    }
    expect(backs.size).toBe(2);
  });

  it('sends no request elsewhere, and logs no error in the console', () => {
    const asked = new Set(page.requests.filter((url) => !url.startsWith('data:')).map((url) => url.split('#', 1)[0]));
    expect([...asked]).toEqual([`${origin}/_emulator/docs`]);
    expect(page.errors).toEqual([]);
  });
});

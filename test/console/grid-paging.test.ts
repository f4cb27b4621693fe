import { describe, expect, it } from 'vitest';
import type { ShownEntityPage } from '../../src/console/client/data-plane.ts';
import type { ShownEntity } from '../../src/console/client/edm.ts';
import { EntityPages } from '../../src/console/components/grid/entity-pages.ts';
import { skipReason, useConsole } from './console-browser.ts';

const title = 'The grid of entities';
if (skipReason !== '') console.warn(title + skipReason);
const count = 20_000;

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole();

  async function seed(table: string, entities: number): Promise<void> {
    const url = `${console.emulator().url}/_emulator/seed`;
    const send = async (path: string, method: string, body: string, type = 'application/json'): Promise<Response> => {
      const response = await fetch(`${url}${path}`, { method, body, headers: { 'Content-Type': type } });
      expect(response.status, await response.clone().text()).toBe(200);
      return response;
    };
    const { load } = (await (await send('', 'POST', '{}')).json()) as { load: string };
    await send(`/${load}/tables/${table}`, 'PUT', '{}');
    const lines = Array.from({ length: entities }, (_, at) => {
      const rowKey = String(at).padStart(6, '0');
      return JSON.stringify({ PartitionKey: rowKey.slice(0, 3), RowKey: rowKey, Number: at, Text: `entity ${at}` });
    });
    await send(`/${load}/tables/${table}`, 'POST', `${lines.join('\n')}\n`, 'application/x-ndjson');
    await send(`/${load}/finish`, 'POST', '{}');
  }

  it('pages through 20,000 entities while scrolling, with few rows in the document and pages in memory', async () => {
    await seed('paged', count);
    const { page, requests, faults } = await console.open('tables/devstoreaccount1/paged');
    await page.getByText('1,000 entities so far, more follow').waitFor();
    const queries = (): number => requests.filter((url) => url.includes('/paged()')).length;
    expect(queries()).toBe(1);
    const grid = page.getByRole('grid');
    await grid.focus();
    let rowsMax = 0;
    for (
      let pages = 0;
      pages < 40 && !(await page.getByText('20,000 entities', { exact: true }).isVisible());
      pages += 1
    ) {
      await page.keyboard.press('Control+End');
      rowsMax = Math.max(rowsMax, await page.getByRole('row').count());
      await page.waitForTimeout(50);
    }
    await page.getByText('20,000 entities', { exact: true }).waitFor();
    expect(queries()).toBe(20);
    await page.keyboard.press('Control+End');
    await page.getByRole('gridcell', { name: '019999', exact: true }).waitFor();
    expect(rowsMax).toBeLessThan(60);
    expect(await grid.getAttribute('aria-rowcount')).toBe('20001');
    // The first pages were dropped, so they are requested again with their tokens.
    await page.keyboard.press('Control+Home');
    await page.getByRole('gridcell', { name: '000000', exact: true }).waitFor();
    expect(queries()).toBe(21);
    await grid.evaluate((element) => {
      element.scrollTop = 3_500 * 32;
    });
    await page.getByRole('gridcell', { name: '003500', exact: true }).waitFor();
    expect(queries()).toBeLessThan(24);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    expect(faults).toEqual([]);
  });

  it('moves with the keys of a grid, and names the active cell', async () => {
    await seed('keys', 300);
    const { page } = await console.open('tables/devstoreaccount1/keys');
    await page.getByText('300 entities', { exact: true }).waitFor();
    const grid = page.getByRole('grid');
    await grid.focus();
    const active = (): Promise<string> =>
      grid.evaluate((element) => {
        const cell = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
        return `${cell?.closest('[role=row]')?.getAttribute('aria-rowindex')}/${cell?.getAttribute('aria-colindex')}`;
      });
    const after = async (...keys: readonly string[]): Promise<string> => {
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForTimeout(100);
      return active();
    };
    expect(await active()).toBe('2/2');
    expect(await after('ArrowDown', 'ArrowRight')).toBe('3/3');
    expect(await after('End')).toBe('3/6');
    expect(await after('Home')).toBe('3/2');
    expect(await after('Control+End')).toBe('301/6');
    expect(await after('ArrowDown', 'ArrowRight')).toBe('301/6');
    const [before] = (await after('PageUp')).split('/').map(Number);
    expect(before).toBeLessThan(300);
    expect(await after('Control+Home')).toBe('2/2');
    await after('Control+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('000');
  });
});

describe('Pages of entities', () => {
  const entityAt = (at: number): ShownEntity => {
    const rowKey = String(at).padStart(6, '0');
    return { partitionKey: 'a', rowKey, timestamp: '', etag: '', properties: new Map() };
  };

  /** The pages of a table, with ten entities on each page. */
  function pagesOver(rowKeys: readonly number[], size = 10) {
    const rows = [...rowKeys];
    const starts: string[] = [];
    const pages = new EntityPages(async (next) => {
      starts.push(next?.NextRowKey ?? '');
      const from = rows.findIndex((row) => entityAt(row).rowKey >= (next?.NextRowKey ?? ''));
      const found = from === -1 ? [] : rows.slice(from, from + size);
      const following = rows[from + size];
      return {
        entities: found.map(entityAt),
        next: following === undefined ? undefined : { NextPartitionKey: 'a', NextRowKey: entityAt(following).rowKey },
        response: undefined as unknown as ShownEntityPage['response'],
      };
    });
    const show = async (first: number, last: number): Promise<void> => {
      pages.show(first, last);
      do await new Promise((resolve) => setTimeout(resolve));
      while (pages.state.peek().isLoading);
    };
    return { pages, rows, starts, show };
  }

  const numbers = (length: number): number[] => Array.from({ length }, (_, at) => at * 2);

  it('keeps twelve pages at most, and reads dropped pages again by their tokens', async () => {
    const { pages, starts, show } = pagesOver(numbers(400));
    for (let first = 0; first < 400; first += 10) await show(first, first + 10);
    expect(pages.state.peek()).toMatchObject({ rows: 400, isComplete: true, pagesRead: 40 });
    expect([...pages.loaded()].length).toBeLessThanOrEqual(120);
    expect(pages.row(5)).toBeUndefined();
    await show(100, 110);
    expect(pages.row(105)?.rowKey).toBe('000210');
    expect(starts.slice(40)).toEqual(['000200', '000220']);
    expect([...pages.loaded()].length).toBeLessThanOrEqual(120);
  });

  it('drops the pages after a page that another program has changed', async () => {
    const { pages, rows, show } = pagesOver(numbers(400));
    for (let first = 0; first < 400; first += 10) await show(first, first + 10);
    rows.splice(101, 0, 201);
    await show(100, 105);
    const seen = [100, 101, 102].map((at) => pages.row(at)?.rowKey);
    expect(seen).toEqual(['000200', '000201', '000202']);
    for (let first = 100; first < 400; first += 10) await show(first, first + 10);
    expect(pages.state.peek()).toMatchObject({ rows: 401, isComplete: true });
  });

  it('closes gaps that deleted entities leave', async () => {
    const { pages, show } = pagesOver(numbers(30));
    await show(0, 30);
    pages.remove(({ rowKey }) => rowKey === '000004' || rowKey === '000020');
    expect(pages.state.peek().rows).toBe(28);
    expect([1, 2, 8, 9].map((at) => pages.row(at)?.rowKey)).toEqual(['000002', '000006', '000018', '000022']);
  });

  it('stops after twenty pages without an entity until the user continues', async () => {
    let reads = 0;
    const pages = new EntityPages(async () => {
      reads += 1;
      const response = undefined as unknown as ShownEntityPage['response'];
      return { entities: [], next: { NextPartitionKey: 'a', NextRowKey: String(reads) }, response };
    });
    pages.show(0, 10);
    await expect.poll(() => pages.state.peek().isPaused).toBe(true);
    expect(reads).toBe(20);
    pages.resume();
    await expect.poll(() => reads).toBe(40);
    pages.close();
  });

  it('shows a failure, and continues when the user asks for it', async () => {
    let isBroken = true;
    const pages = new EntityPages(async () => {
      if (isBroken) throw new Error('broken');
      return {
        entities: [entityAt(1)],
        next: undefined,
        response: undefined as unknown as ShownEntityPage['response'],
      };
    });
    pages.show(0, 10);
    await expect.poll(() => pages.state.peek().fault).toEqual(new Error('broken'));
    isBroken = false;
    pages.resume();
    await expect.poll(() => pages.state.peek()).toMatchObject({ rows: 1, isComplete: true, fault: undefined });
  });
});

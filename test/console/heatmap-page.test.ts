import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { reportHeat } from '../../src/control/observe/heat-report.ts';
import { newRequestRecord } from '../../src/model/request-record.ts';
import { KeyHeat } from '../../src/traffic/key-heat.ts';
import { ManualTime } from '../support/manual-time.ts';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The heat map of the console';
if (skipReason !== '') console.warn(title + skipReason);
const account = 'devstoreaccount1';

/** The brightness of the heat map's cells, from 0 to 255, sampled in a grid: `[row][column]`. */
function brightnessOf(page: Page, { rows, columns }: { readonly rows: number; readonly columns: number }) {
  return page.locator('.heat-map canvas').evaluate(
    (canvas: HTMLCanvasElement, size) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const ratio = canvas.width / canvas.clientWidth;
      // The area in which draw-map.ts draws the cells.
      const [left, top, right, bottom] = [148, 42, canvas.clientWidth - 8, canvas.clientHeight - 24];
      return Array.from({ length: size.rows }, (_, row) =>
        Array.from({ length: size.columns }, (_, column) => {
          const x = left + ((column + 0.5) / size.columns) * (right - left);
          const y = top + ((row + 0.5) / size.rows) * (bottom - top);
          const at = 4 * (Math.floor(y * ratio) * canvas.width + Math.floor(x * ratio));
          const [red = 0, green = 0, blue = 0] = data.slice(at, at + 3);
          return Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
        }),
      );
    },
    { rows, columns },
  );
}

const columns = 60;

/** The emulator's answer after five minutes of a table in which keys only grow. */
function growingTable(outcome: 'admitted' | 'wouldThrottle' = 'admitted'): object {
  const time = new ManualTime();
  const heat = new KeyHeat({ time, rangeEnd: () => undefined });
  for (let at = 0; at < columns * 10; at++) {
    const start = {
      requestId: '',
      clientRequestId: undefined,
      trace: undefined,
      isSecure: false,
      method: 'POST',
      url: '',
      remoteAddress: '',
      headers: {},
    };
    const times = { startedAtMs: 0, startedMs: time.monotonicMs(), connectionsOpen: 1, expectsContinue: false };
    const record = newRequestRecord({ ...start, ...times, userAgent: undefined, connection: 1 });
    const capacity = { outcome, limit: undefined, waitedMs: 0, units: 1 } as const;
    heat.count({
      ...record,
      account,
      table: 'growing',
      partitionKey: String(at).padStart(5, '0'),
      status: 201,
      capacity,
    });
    if (at < columns * 10 - 1) time.advance(500);
  }
  return { ...reportHeat(heat, { account, table: 'growing', minutes: 5 }), signs: [{ kind: 'append-only' }] };
}

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 180_000 }, () => {
  const console = useConsole();

  it('says what to do if no table was used', async () => {
    const { page } = await console.open('heatmap');
    await page.getByText('No table was used yet').waitFor();
    await expectAccessible(page);
  });

  it.each(['light', 'dark'] as const)(
    'shows a hot partition brighter than the others, in %s colours',
    async (theme) => {
      const name = `hot${theme}`;
      const table = await console.createTable(name);
      // Enough requests for the advisor to report a finding, which the page shows.
      const partitions = Array.from({ length: 10 }, (_, at) => at);
      for (let round = 0; round < 40; round++) {
        const keys = [...partitions, ...Array.from({ length: 20 }, () => 5)];
        await Promise.all(keys.map((at) => table.upsertEntity({ partitionKey: `p${at}`, rowKey: 'r' })));
      }
      const { page, faults } = await console.open(`heatmap/${account}/${name}?by=requests&minutes=5`, { theme });
      await page.getByText('Hot partition:').waitFor();
      // The finding may appear before the map, which is drawn when the table of the partitions appears.
      await page.locator('tbody tr').first().waitFor();
      const picture = await brightnessOf(page, { rows: 10, columns });
      // On a busy machine, the writes may be several columns old.
      const recent = picture.map((row) => Math.max(...row.slice(columns / 2)));
      const [hot = 0] = recent.splice(5, 1);
      expect(hot).toBeGreaterThan(200);
      expect(Math.min(...recent)).toBeGreaterThan(25);
      expect(Math.max(...recent)).toBeLessThan(hot - 60);
      expect(Math.max(...picture.flatMap((row) => row.slice(0, columns / 2)))).toBeLessThan(20);
      const [hottest] = await page.locator('tbody tr').allInnerTexts();
      expect(hottest).toMatch(/^p5\s/);
      await expectAccessible(page);
      expect(faults).toEqual([]);
    },
  );

  it.each(['light', 'dark'] as const)('fits a window of 480 pixels in %s colours', async (theme) => {
    const { page } = await console.open('settings', { theme, width: 480 });
    await page.route('**/_emulator/heatmap?*', (route) => route.fulfill({ json: growingTable() }));
    await page.goto(page.url().replace(/#.*/, `#/heatmap/${account}/growing?by=requests&minutes=5`));
    await page.getByText('Append-only:').waitFor();
    await page.locator('tbody tr').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(480);
    await expectAccessible(page);
  });

  it('shows keys that only grow as a diagonal', async () => {
    const { page } = await console.open('settings');
    await page.route('**/_emulator/heatmap?*', (route) => route.fulfill({ json: growingTable() }));
    await page.goto(page.url().replace(/#.*/, `#/heatmap/${account}/growing?by=requests&minutes=5`));
    await page.getByText('Append-only:').waitFor();
    const picture = await brightnessOf(page, { rows: 90, columns });
    const brightRows = (column: number): readonly number[] =>
      picture.flatMap((row, at) => ((row[column] ?? 0) > 60 ? [at] : []));
    const path = Array.from({ length: columns }, (_, column) => brightRows(column));
    expect(path[0]?.[0]).toBe(0);
    expect(path.at(-1)?.at(-1)).toBe(89);
    for (const [column, rows] of path.entries()) {
      // Each column shows a short part of the diagonal, below the part in the previous column.
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(6);
      if (column > 0) expect(rows[0]).toBeGreaterThanOrEqual((path[column - 1]?.at(-1) ?? 0) - 1);
    }
  });

  it('distinguishes requests that production would refuse from requests that were refused', async () => {
    const { page } = await console.open('settings');
    await page.route('**/_emulator/heatmap?*', (route) => route.fulfill({ json: growingTable('wouldThrottle') }));
    await page.goto(page.url().replace(/#.*/, `#/heatmap/${account}/growing?by=refusals&minutes=5`));
    await page.getByText('No request was refused in this time').waitFor();
    await page.getByRole('radio', { name: 'Would be refused' }).check();
    await page.getByRole('heading', { name: 'by requests that production would refuse' }).waitFor();
    const [, , , requests, refusals, wouldThrottle] = await page
      .locator('tbody tr')
      .first()
      .locator('td')
      .allInnerTexts();
    expect(refusals).toBe('0');
    expect(Number(wouldThrottle)).toBeGreaterThan(0);
    expect(wouldThrottle).toBe(requests);
    await expectAccessible(page);
  });

  it('names the cell that mouse or keys point at, and links to the entities of its range', async () => {
    const table = await console.createTable('pointed');
    for (const partitionKey of ['a', "b's", '<b>bold']) await table.createEntity({ partitionKey, rowKey: 'r' });
    const { page, faults } = await console.open(`heatmap/${account}/pointed?by=requests&minutes=5`);
    const map = page.getByRole('application');
    await map.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.heat-card-name', { hasText: '<b>bold' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.locator('.heat-card-name', { hasText: "b's" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.location.hash.startsWith('#/tables/'));
    expect(new URLSearchParams(page.url().split('?')[1]).get('filter')).toBe("PartitionKey eq 'b''s'");
    expect(faults).toEqual([]);
  });

  it('switches between units, requests and refusals, and says if there are none', async () => {
    const table = await console.createTable('switched');
    await table.upsertEntity({ partitionKey: 'a', rowKey: 'r' });
    await table.getEntity('b', 'absent').catch(() => undefined);
    const { page } = await console.open(`heatmap/${account}/switched?minutes=5`);
    const hottest = page.locator('tbody tr');
    await expect.poll(() => hottest.count()).toBe(2);
    await page.getByRole('radio', { name: 'Refusals' }).check();
    await expect.poll(() => hottest.allInnerTexts()).toHaveLength(1);
    expect((await hottest.allInnerTexts())[0]).toMatch(/^b\s/);
    expect(page.url()).toContain('by=refusals');
    await console.createTable('unused');
    await page.getByRole('combobox', { name: 'Table' }).selectOption('pointed');
    await page.getByText('No request was refused in this time').waitFor();
  });
});

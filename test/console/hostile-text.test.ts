import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectLoaded, skipReason, useConsole } from './console-browser.ts';

const title = 'Hostile keys and values in the console';
if (skipReason !== '') console.warn(title + skipReason);

/**
 * Text that would have an effect if it were used as HTML. It also contains characters that reverse or hide the text
 * around them. It contains no control characters, because keys cannot contain any.
 */
const markup = `<img src=x onerror=alert(1)><script>alert(2)</script>"'\u202e\u2066`;
const key = markup.replaceAll('/', '|');
const controls = '\u0000\u0007\u001b[31m\u0085\u200b\ufeff';

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({
    capacity: { scale: 0.01 },
    advisorRules: { thresholds: { 'table-scan': { visited: 1 } } },
  });

  async function fill(table: string): Promise<void> {
    const client = await browser.createTable(table);
    await client.createEntity({
      partitionKey: key,
      rowKey: key,
      Markup: markup,
      Controls: controls,
      Long: 'x'.repeat(32_768),
    });
    await client.createEntity({
      partitionKey: 'k'.repeat(512),
      rowKey: 'r'.repeat(512),
      Markup: `${markup}${'\u0301'.repeat(2_000)}`,
    });
    await browser.emulator().snapshot(markup, { table });
    const filter = `Markup eq '${markup.replaceAll("'", "''")}'`;
    for (let round = 0; round < 4; round++) await client.listEntities({ queryOptions: { filter } }).next();
  }

  /** Checks that no part of the text has become an element, and that the page is not wider than its window. */
  async function expectInert(page: Page): Promise<void> {
    const made = await page.evaluate(() => ({
      elements: document.querySelectorAll('img, iframe, script:not([src]), [onerror]').length,
      isWithin: document.documentElement.scrollWidth <= window.innerWidth,
      isTurned: document.body.innerText.includes('\u202e'),
    }));
    expect(made).toEqual({ elements: 0, isWithin: true, isTurned: false });
  }

  const filter = encodeURIComponent(`PartitionKey eq '${key.replaceAll("'", "''")}'`);
  it.each([
    ['tables/devstoreaccount1/Hostile1', 'Hostile1'],
    [`query/devstoreaccount1/Hostile2?filter=${filter}`, 'Hostile2'],
    ['heatmap/devstoreaccount1/Hostile3', 'Hostile3'],
    ['capacity', 'Hostile4'],
    ['advisor', 'Hostile5'],
    ['snapshots', 'Hostile6'],
  ])('are text on %s', async (address, table) => {
    await fill(table);
    const { page, faults } = await browser.open(address);
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await expectLoaded(page);
    await page
      .getByText(/onerror=alert/)
      .first()
      .waitFor({ state: 'attached' });
    await expectInert(page);
    expect(dialogs).toBe(0);
    expect(faults).toEqual([]);
  });

  it('are text in the list of Traffic and in the details of a request', async () => {
    const { page, faults } = await browser.open('traffic');
    await page.getByText('Live', { exact: true }).waitFor();
    await fill('Hostile7');
    await page
      .getByText(/onerror=alert/)
      .first()
      .waitFor();
    await expectInert(page);
    await page
      .getByText(/onerror=alert/)
      .first()
      .click();
    await expectInert(page);
    expect(faults).toEqual([]);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Capacity';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({ capacity: { scale: 0.01 } });

  it('says what to do while there is no load', async () => {
    const { page } = await browser.open('capacity');
    await page.getByText('No load yet').waitFor();
    await page.getByRole('link', { name: 'Connect a program' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor();
  });

  it('draws the load of the last two minutes as soon as it is opened', async () => {
    const table = await browser.createTable('Before');
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'r' });
    const answer = await fetch(`${browser.emulator().url}/_emulator/capacity?account=devstoreaccount1`);
    const report = (await answer.json()) as { accounts: { history: number[] }[] };
    expect(report.accounts[0]?.history).toHaveLength(120);
    for (const account of report.accounts) account.history.fill(50);
    const { page, go } = await browser.open('settings');
    const body = `event: capacity\ndata: ${JSON.stringify(report)}\n\n`;
    await page.route('**/_emulator/events?*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await go('capacity');
    /** Whether the line passes through the column at this fraction of the picture's width. */
    const isDrawnAt = (share: number): Promise<boolean> =>
      page.locator('.chart canvas').evaluate((canvas: HTMLCanvasElement, at) => {
        const ink = document.createElement('canvas').getContext('2d')!;
        ink.fillStyle = getComputedStyle(canvas).getPropertyValue('--chart-1');
        ink.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = ink.getImageData(0, 0, 1, 1).data;
        const { data } = canvas.getContext('2d')!.getImageData(Math.floor(canvas.width * at), 0, 1, canvas.height);
        return Array.from({ length: canvas.height }, (_, y) => data.subarray(4 * y, 4 * y + 4)).some(
          ([r = 0, g = 0, b = 0, alpha = 0]) =>
            alpha > 200 && Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 24,
        );
      }, share);
    for (const share of [0.15, 0.5, 0.9]) await expect.poll(() => isDrawnAt(share)).toBe(true);
    await page.setViewportSize({ width: 480, height: 800 });
    const isOneLine = (name: Element): boolean => name.getBoundingClientRect().height < 30;
    expect(await page.locator('.capacity-name', { hasText: 'Before' }).evaluate(isOneLine)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(480);
  });

  it.each(['light', 'dark'] as const)(
    'shows load, ranges and the partition over its target, live, in %s colours',
    async (theme) => {
      const table = await browser.createTable(`Hot${theme}`);
      const { page, faults } = await browser.open('capacity', { theme });
      await page.getByText('Units a second').first().waitFor();
      // Writes until the checks have ended. The page shows a mean over ten seconds. On a busy machine, the load of a
      // single burst could therefore disappear from the page before the last check.
      let isSeen = false;
      const write = async (): Promise<void> => {
        while (!isSeen) {
          const entity = (at: number) => ({
            partitionKey: `the <b>hot one`,
            rowKey: String(at),
            Text: 'x'.repeat(900),
          });
          await Promise.all(Array.from({ length: 60 }, (_, at) => table.upsertEntity(entity(at))));
        }
      };
      const writing = write();
      onTestFinished(async () => {
        isSeen = true;
        await writing;
      });
      const partition = page.getByRole('row', { name: new RegExp(`the <b>hot one Hot${theme}`) });
      await partition.waitFor();
      expect(await partition.locator('b').count()).toBe(0);
      await page
        .locator('summary')
        .filter({ hasText: `Hot${theme}` })
        .click();
      await page
        .getByRole('row', { name: /the beginning the end/ })
        .first()
        .waitFor();
      await page.getByRole('heading', { name: 'Beyond a target' }).waitFor();
      await expectAccessible(page);
      isSeen = true;
      expect(faults).toEqual([]);
      await partition.getByRole('link').click();
      await page.waitForFunction(() => window.location.hash.startsWith('#/query/'));
      expect(new URL(page.url()).hash).toContain(`/Hot${theme}?filter=`);
    },
  );
});

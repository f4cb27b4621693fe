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

  it.each(['light', 'dark'] as const)(
    'shows load, ranges and the partition beyond its target, live, in %s colours',
    async (theme) => {
      const table = await browser.createTable(`Hot${theme}`);
      const { page, faults } = await browser.open('capacity', { theme });
      await page.getByText('Units a second').first().waitFor();
      // The page shows a mean over ten seconds: on a busy machine one burst could be past before all of it is looked at.
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

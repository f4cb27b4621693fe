import { beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, expectAccessible, expectLoaded, skipReason, useConsole } from './console-browser.ts';
import { pages } from './page-names.ts';

const title = 'The shell of the console';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole();

  it('begins with the tables, and sends no request to other machines', async () => {
    const { page, faults, requests } = await console.open('');
    expect(await page.title()).toBe('Tables – Tanzanite');
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.filter((url) => !/^(?:data:|http:\/\/127\.0\.0\.1:)/.test(url))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it.each(pages)('leads to %s, names it in the address and moves the focus there', async (name) => {
    const { page, faults } = await console.open('settings');
    const link = page.locator(`nav a[href="#/${name}"]`);
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction((hash) => window.location.hash.startsWith(hash), `#/${name}`);
    const words = (await link.textContent()) ?? '';
    await page.waitForFunction((start) => document.title.startsWith(start), words);
    expect(await link.getAttribute('aria-current')).toBe('page');
    if (name !== 'settings') {
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    }
    expect(faults).toEqual([]);
  });

  it('says so if an address names no page, and links to a page', async () => {
    const { page } = await console.open('tables');
    await page.evaluate(() => {
      window.location.hash = '#/%E0%A4%A/<img src=x onerror=alert(1)>';
    });
    await page.getByText('There is no such page').waitFor();
    await page.getByRole('button', { name: 'Show the tables' }).click();
    await page.locator('h1').waitFor();
  });

  it('has light and dark colours, at first those of the system, and keeps the choice of the user', async () => {
    const { page } = await console.open('settings', { theme: 'dark' });
    const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset['theme']);
    expect(await theme()).toBe('dark');
    await page.getByRole('radio', { name: 'Light colours' }).check();
    expect(await theme()).toBe('light');
    await page.reload();
    await page.locator('h1').waitFor();
    expect(await theme()).toBe('light');
  });

  describe('in a low window', () => {
    let low: ConsolePage;
    beforeAll(async () => {
      low = await console.open('settings', { height: 500 });
    });

    it.each(pages)('scrolls %s below its header, and never scrolls the window', async (name) => {
      const { page, load } = low;
      await load(name);
      await expectLoaded(page);
      const heights = () =>
        page.evaluate(() => {
          const { scrollHeight, clientHeight } = document.documentElement;
          return { scrollHeight, clientHeight };
        });
      expect(await heights()).toEqual({ scrollHeight: 500, clientHeight: 500 });
    });
  });

  it('lets the keyboard skip the navigation', async () => {
    const { page } = await console.open('settings');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
    let opened: ConsolePage;
    beforeAll(async () => {
      opened = await console.open('settings', { theme });
    });

    it.each(pages)('is accessible on %s, when there is nothing to show yet', async (name) => {
      const { page, faults, load } = opened;
      await load(name);
      await expectLoaded(page);
      await expectAccessible(page);
      expect(faults).toEqual([]);
    });
  });
});

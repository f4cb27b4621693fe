import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Settings';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({ loose: true, profile: 'strict', capacity: { scale: 0.5 } });

  it('shows values and their origins, finds settings, and keeps the search in the address', async () => {
    const { page, faults } = await browser.open('settings');
    const rowOf = (name: string) =>
      page.getByRole('row').filter({ has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) });
    expect(await rowOf('loose').innerText()).toMatch(/on\s+option\s+loose/);
    expect(await rowOf('throttle').innerText()).toMatch(/enforce\s+profile\s+strict/);
    expect(await rowOf('secondary').innerText()).toMatch(/live\s+default/);
    await page.getByLabel('Only those that are given').check();
    expect(await page.getByRole('row').filter({ hasText: 'default' }).count()).toBe(0);
    await page.getByLabel('Find a setting').fill('profile strict');
    // There is a heading for each group that has matches, and one for the profile.
    await expect
      .poll(() =>
        page
          .getByRole('row')
          .filter({ has: page.locator('.setting-origin') })
          .count(),
      )
      .toBe(6);
    await page.getByLabel('Find a setting').fill('scale');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.reload();
    await rowOf('capacity.scale').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Find a setting').fill('no such setting');
    await page.getByText('No setting fits').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show all settings' }).click();
    await rowOf('throttle').waitFor();
    expect(faults).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The token page of the console';
if (skipReason !== '') console.warn(title + skipReason);
const token = 'a-token-of-some-length';

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole({ controlToken: token });

  it('asks for the control token, refuses a wrong one, and keeps it only for the tab', async () => {
    const { page, requests } = await console.open('settings');
    await page.getByText('This emulator asks for its control token').waitFor();
    await expectAccessible(page);
    const field = page.getByLabel('Control token');
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('a-token-that-is-wrong');
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByText('The emulator was started with another token.').waitFor();
    await expectAccessible(page);
    await field.fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    const kept = await page.evaluate(() => [Object.values(localStorage).join(), document.cookie, location.href]);
    expect(kept.join(' ')).not.toContain(token);
    expect(requests.join(' ')).not.toContain(token);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('This emulator asks for its control token').waitFor();
  });
});

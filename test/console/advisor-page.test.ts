import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { expectAccessible, expectLoaded, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Advisor';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({ advisorRules: { thresholds: { 'table-scan': { visited: 5 } } } });

  it('says what to do while there are no requests except its own', async () => {
    const { page, go } = await browser.open('tables');
    await expectLoaded(page);
    await go('advisor');
    await page.getByText('No requests yet').waitFor();
  });

  it('shows a finding with its evidence, and the page of its rule', async () => {
    const table = await browser.createTable('Lamps');
    for (let at = 0; at < 12; at++) await table.createEntity({ partitionKey: 'p', rowKey: String(at), Name: 'n' });
    const hostile = `Name eq '<img src=x onerror=alert(1)>'`;
    for (let round = 0; round < 4; round++) {
      await table.listEntities({ queryOptions: { filter: hostile } }).next();
    }
    const { page, faults } = await browser.open('advisor');
    const finding = page.getByRole('article').filter({ hasText: 'table-scan' });
    await finding.waitFor();
    expect(await finding.textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    await expectAccessible(page);
    await finding.getByRole('button', { name: 'About this rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'table-scan' });
    await dialog.getByText('GET /PeopleByEmail').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Checklist' }).click();
    await page
      .getByRole('row', { name: /broken/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('row', { name: /devstoreaccount1 Lamps/ }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows names within a sentence as code, without the backticks around them', async () => {
    const table = await browser.createTable('Wide');
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`Property${at}`, 'x'.repeat(200)]));
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', ...wide });
    for (let round = 0; round < 120; round++) await table.getEntity('p', 'r');
    const { page } = await browser.open('advisor');
    const finding = page.getByRole('article').filter({ hasText: 'missing-projection' });
    await finding.locator('p code', { hasText: '$select' }).first().waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('`');
    await expectAccessible(page);
  });

  it.each([
    ['Markdown', 'advisor.md', /^# Advisor/],
    ['JSON', 'advisor.json', /^\{/],
    ['SARIF', 'advisor.sarif', /"version": ?"2\.1\.0"/],
    ['JUnit', 'advisor.xml', /<testsuite/],
  ])('downloads the report as %s', async (format, file, content) => {
    const { page } = await browser.open('advisor');
    await page.getByRole('button', { name: 'Download' }).click();
    const dialog = page.getByRole('dialog');
    const option = dialog.locator('option').filter({ hasText: format });
    await dialog.getByLabel('Format').selectOption((await option.getAttribute('value')) ?? '');
    await dialog.getByLabel('Leave out keys').check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(file);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toMatch(content);
    expect(text).not.toContain('onerror');
  });

  it('can begin again', async () => {
    const { page } = await browser.open('advisor');
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('No requests yet').waitFor();
    expect((await browser.emulator().advisor.report()).requests).toBe(0);
  });
});

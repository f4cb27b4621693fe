import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { failures } from '../../src/faults/failures.ts';
import type { FaultRule, FaultRuleReport } from '../../src/faults/fault-rule.ts';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Faults and clock';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole();

  async function ask<Result>(path: string, request: { method?: string; body?: unknown } = {}): Promise<Result> {
    const { method = 'GET', body } = request;
    const response = await fetch(`${browser.emulator().url}/_emulator/${path}`, {
      method,
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    expect(response.ok, await response.clone().text()).toBe(true);
    return (await response.json()) as Result;
  }
  const rules = async (): Promise<readonly FaultRuleReport[]> =>
    (await ask<{ rules: readonly FaultRuleReport[] }>('faults')).rules;
  const add = (rule: FaultRule): Promise<unknown> => ask('faults', { method: 'POST', body: rule });
  const clock = () => ask<{ now: string; isFrozen: boolean; offsetMs: number }>('clock');

  afterEach(async () => {
    if (skipReason !== '') return;
    await ask('faults', { method: 'DELETE' });
    await ask('clock', { method: 'DELETE' });
  });

  const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true });
  const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const banner = (page: Page): Locator => page.getByRole('complementary', { name: 'Staged' });

  it('freezes, advances, sets and resets the clock', async () => {
    const { page, faults } = await browser.open('faults');
    const face = card(page, 'Clock');
    await face.getByText("as the machine's").waitFor();
    expect(await button(face, 'Put it back').isDisabled()).toBe(true);
    await button(face, 'Freeze').click();
    await face.getByText('frozen', { exact: true }).waitFor();
    expect((await clock()).isFrozen).toBe(true);
    const { now } = await clock();
    await button(face, 'Advance a day').click();
    await expect.poll(async () => Date.parse((await clock()).now) - Date.parse(now)).toBe(86_400_000);
    await face.getByLabel('Advance by').fill('90');
    await face.getByRole('button', { name: 'Advance', exact: true }).click();
    await expect.poll(async () => Date.parse((await clock()).now) - Date.parse(now)).toBe(86_400_000 + 90 * 60_000);
    await face.getByLabel('Set to').fill('2031-02-03T04:05:06Z');
    await button(face, 'Set').click();
    await face.getByText('2031-02-03T04:05:06.000Z').waitFor();
    await button(face, 'Let it run').click();
    await button(face, 'Freeze').waitFor();
    await expectAccessible(page);
    await button(face, 'Put it back').click();
    await face.getByText("as the machine's").waitFor();
    expect(Math.abs((await clock()).offsetMs)).toBeLessThan(50);
    expect(faults).toEqual([]);
  });

  it('says why a time is invalid, and leaves the clock unchanged', async () => {
    const { page } = await browser.open('faults');
    const face = card(page, 'Clock');
    await face.getByLabel('Set to').fill('<img src=x onerror=alert(1)>');
    await button(face, 'Set').click();
    await page.getByText('the time must be a date').waitFor();
    await face.getByLabel('Set to').fill('1200-01-01T00:00:00Z');
    await button(face, 'Set').click();
    await page.locator('.toast.failed').nth(1).waitFor();
    expect((await clock()).offsetMs).toBe(0);
    expect(await page.locator('img').count()).toBe(0);
  });

  it.each(failures.map(({ name }) => name))('stages the failure %s unchanged', async (name) => {
    const { page } = await browser.open('faults');
    const item = card(page, 'Failures')
      .getByRole('listitem')
      .filter({ has: page.getByText(name, { exact: true }) });
    await button(item, `Add ${name}`).click();
    await card(page, 'Faults').getByRole('row').filter({ hasText: name }).waitFor();
    const failure = failures.find((one) => one.name === name);
    expect(await rules()).toMatchObject([{ ...failure?.rule, hits: 0 }]);
  });

  it.each(['light', 'dark'] as const)('counts what a rule struck, in %s colours', async (theme) => {
    const table = await browser.createTable(`Struck${theme}`);
    const { page, faults } = await browser.open('faults', { theme });
    await expectAccessible(page);
    await add({
      name: 'busy twice',
      match: { table: 'Struck*' },
      when: { first: 2 },
      fault: { kind: 'error', code: 'ServerBusy' },
    });
    const row = card(page, 'Faults').getByRole('row').filter({ hasText: 'busy twice' });
    await row.getByText('the first 2').waitFor();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    await expect.poll(() => row.getByRole('cell').nth(5).innerText()).toBe('2');
    await expect.poll(() => row.getByRole('cell').nth(4).innerText()).toBe('3');
    await banner(page).getByText('1 fault in force, 2 requests struck so far.').waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  it('switches a rule off and on, and keeps a rule that is off when the page is reloaded', async () => {
    await add({ name: 'switched', when: { every: 3 }, times: 4, fault: { kind: 'delay', ms: 1 } });
    const { page } = await browser.open('faults');
    const toggle = page.getByRole('checkbox', { name: 'switched in force' });
    await toggle.click();
    await expect.poll(rules).toEqual([]);
    await expect.poll(() => toggle.isChecked()).toBe(false);
    await page.reload();
    await toggle.waitFor();
    expect(await toggle.isChecked()).toBe(false);
    await expectAccessible(page);
    await toggle.click();
    await expect.poll(() => toggle.isChecked()).toBe(true);
    expect(await rules()).toMatchObject([{ name: 'switched', when: { every: 3 }, times: 4 }]);
    await button(page, 'Remove all').click();
    await page.getByText('Nothing goes wrong on purpose').waitFor();
    expect(await rules()).toEqual([]);
  });

  it('adds a rule in a form that shows which requests it would strike, and changes the rule', async () => {
    const table = await browser.createTable('Previewed');
    const { page, faults } = await browser.open('faults');
    await button(page, 'Add a rule').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('slow orders');
    await dialog.getByLabel('Kind').selectOption('delay');
    await dialog.getByLabel('Milliseconds', { exact: true }).fill('-1');
    await dialog.getByText('it must be a number from 0 to 600000').waitFor();
    expect(await button(dialog, 'Add').isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel('Milliseconds', { exact: true }).fill('5');
    await dialog.getByLabel('Table').fill('previe*');
    await dialog.getByLabel('RowKey').fill('<b>*');
    await dialog.getByLabel('Choice').selectOption('every');
    await dialog.getByLabel('Number').fill('2');
    for (const rowKey of ['<b>1', '2', '<b>3']) await table.upsertEntity({ partitionKey: 'p', rowKey });
    await dialog.getByText(/it matches 2, and would have struck 1/).waitFor();
    const struck = dialog.getByRole('row').filter({ hasText: 'struck' });
    expect(await struck.innerText()).toContain('Previewed / p / <b>3');
    expect(await dialog.locator('b').count()).toBe(0);
    await expectAccessible(page);
    await button(dialog, 'Add').click();
    await dialog.waitFor({ state: 'detached' });
    const expected = {
      name: 'slow orders',
      match: { table: 'previe*', rowKey: '<b>*' },
      when: { every: 2 },
      fault: { kind: 'delay', ms: 5 },
    };
    expect(await rules()).toMatchObject([expected]);
    await button(page, 'Change slow orders').click();
    await dialog.getByLabel('How often at most').fill('7');
    await button(dialog, 'Change').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await rules()).toMatchObject([{ ...expected, times: 7 }]);
    expect(faults).toEqual([]);
  });

  it('refuses a rule that can never strike a request, and says which field is wrong', async () => {
    const { page } = await browser.open('faults');
    await button(page, 'Add a rule').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Operation', { exact: true }).fill('QueryEntities');
    await dialog.getByLabel('Kind').selectOption('timeout');
    await dialog.getByText('afterCommit is for an operation that writes').waitFor();
    await dialog.getByLabel('Where').selectOption('beforeCommit');
    await dialog.getByText('What it would strike').waitFor();
    await dialog.getByLabel('Operation', { exact: true }).fill('NoSuchOperation');
    await dialog.getByText('there is no operation').waitFor();
    await expectAccessible(page);
    expect(await rules()).toEqual([]);
  });

  it('shows hostile names and patterns as text', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202e';
    await add({ name: evil, match: { partitionKey: evil }, fault: { kind: 'delay', ms: 1 } });
    const { page, faults } = await browser.open('faults');
    const row = card(page, 'Faults').getByRole('row').nth(1);
    await row.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await row.innerText()).toContain('\\u202e');
    await row.getByRole('button', { name: /^Change/ }).click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await page.locator('img').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'is announced on every page while a fault or a changed clock is in force, in %s colours',
    async (theme) => {
      const { page, go } = await browser.open('settings', { theme, width: 1024 });
      expect(await banner(page).count()).toBe(0);
      await ask('clock', { method: 'POST', body: { freeze: true } });
      await banner(page).getByText('The clock is frozen at').waitFor();
      await ask('clock', { method: 'DELETE' });
      await ask('clock', { method: 'POST', body: { advanceMs: 90 * 60_000 } });
      await banner(page).getByText('The clock is 1 h 30 min ahead.').waitFor();
      for (const name of ['tables', 'traffic', 'connect']) {
        await go(name);
        await banner(page).waitFor();
        await expectAccessible(page);
      }
      await banner(page).getByRole('link', { name: 'Faults and clock' }).click();
      await card(page, 'Clock').getByText('1 h 30 min ahead').waitFor();
      await button(page, 'Put it back').click();
      await banner(page).waitFor({ state: 'detached' });
    },
  );

  it('marks the requests in Traffic that were struck', async () => {
    const table = await browser.createTable('Marked');
    const { page } = await browser.open('traffic');
    await page.locator('.traffic-state.live').waitFor();
    await add({ name: 'marked <b>rule', when: { first: 1 }, fault: { kind: 'error', code: 'ServerBusy' } });
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'r' });
    const rows = page.locator('.traffic-item');
    const struck = rows.filter({ has: page.locator('.traffic-struck') });
    await expect.poll(() => rows.count()).toBe(2);
    expect(await struck.count()).toBe(1);
    await struck.click();
    await page.locator('.traffic-details').getByText('marked <b>rule').first().waitFor();
    expect(await page.locator('.traffic-details b').count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Outcome').selectOption('struck');
    await expect.poll(() => rows.count()).toBe(1);
  });
});

import { odata, TableServiceClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Tables of the console';
if (skipReason !== '') console.warn(title + skipReason);
const account = 'devstoreaccount1';

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function exists(table: string): Promise<boolean> {
    const service = TableServiceClient.fromConnectionString(console.emulator().connectionString, {
      allowInsecureConnection: true,
    });
    for await (const { name } of service.listTables({ queryOptions: { filter: odata`TableName eq ${table}` } })) {
      if (name === table) return true;
    }
    return false;
  }

  async function chooseTask(page: Page, table: string, task: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${table}` }).click();
    await page.getByRole('menuitem', { name: task }).click();
  }

  it('says what to do while there are no tables, creates one, and refuses invalid names', async () => {
    const { page, faults } = await console.open('tables');
    await page.getByText('No tables yet').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Create table' }).first().click();
    const name = page.getByLabel('Name', { exact: true });
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create table' });
    await name.fill('no-such name');
    await page
      .getByText('The table name "no-such name" holds "-"; a name is a letter, then letters and digits.')
      .waitFor();
    expect(await create.isDisabled()).toBe(true);
    await expectAccessible(page);
    await name.fill('created');
    await page.keyboard.press('Enter');
    await page.getByText('This table is empty').waitFor();
    expect(page.url()).toContain(`#/tables/${account}/created`);
    expect(await exists('created')).toBe(true);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  it('shows the refusal of the service if a table with the name exists', async () => {
    await console.createTable('twice');
    const { page } = await console.open('tables');
    await page.getByRole('link', { name: 'twice', exact: true }).waitFor();
    await button(page, 'Create table').click();
    await page.getByLabel('Name', { exact: true }).fill('Twice');
    await page.keyboard.press('Enter');
    await page.getByText('409 TableAlreadyExists').waitFor();
  });

  it('finds tables by a part of their name', async () => {
    for (const name of ['ordersOfMay', 'ordersOfJune', 'customers']) await console.createTable(name);
    const { page } = await console.open('tables');
    await page.getByLabel('Filter tables by name').fill('ORDERS');
    await page.getByText('2 of').waitFor();
    expect(await page.getByRole('main').getByRole('row').count()).toBe(3);
    expect(await page.getByRole('link', { name: 'customers', exact: true }).count()).toBe(0);
  });

  it('says how many entities tables have and how large they are, or at least are', async () => {
    const table = await console.createTable('counted');
    for (const rowKey of ['1', '2']) await table.createEntity({ partitionKey: 'a', rowKey, n: 1 });
    const { page } = await console.open('tables');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'counted', exact: true }) });
    await row.getByText('44 B').waitFor();
    expect(await row.getByRole('cell').nth(1).innerText()).toBe('2');
    await expectAccessible(page);
    const large = { name: 'counted', entities: 10_000, bytes: 3_355_443, partitions: 1, isWhole: false };
    await page.route('**/_emulator/tables?*', (route) =>
      route.fulfill({ json: { account, tables: [large], next: null } }),
    );
    await page.reload();
    await row.getByText('more than 10,000').waitFor();
    await row.getByText('more than 3.2 MiB').waitFor();
  });

  it('asks, and then clears a table', async () => {
    const table = await console.createTable('full');
    await table.createEntity({ partitionKey: 'a', rowKey: '1' });
    const { page } = await console.open('tables');
    await chooseTask(page, 'full', 'Clear table');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Clear table' }).click();
    await page.getByText('Table full cleared').waitFor();
    expect(await exists('full')).toBe(true);
    await expect(table.getEntity('a', '1')).rejects.toMatchObject({ statusCode: 404 });
  });

  it('deletes a table only if the user confirms it', async () => {
    await console.createTable('leaving');
    const { page } = await console.open('tables');
    await chooseTask(page, 'leaving', 'Delete table');
    await page.keyboard.press('Escape');
    expect(await exists('leaving')).toBe(true);
    await chooseTask(page, 'leaving', 'Delete table');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete table' }).click();
    await page.getByText('Table leaving deleted').waitFor();
    await page.getByRole('link', { name: 'leaving', exact: true }).waitFor({ state: 'detached' });
    expect(await exists('leaving')).toBe(false);
  });

  it('has a menu that the keyboard can use', async () => {
    await console.createTable('menu');
    const { page } = await console.open('tables');
    const opener = page.getByRole('button', { name: 'Actions for menu' });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    // One script does everything: when it opens the menu, the focus is in it, so that no later key is lost.
    expect(
      await opener.evaluate((element) => {
        (element as HTMLElement).click();
        return document.activeElement?.textContent;
      }),
    ).toBe('Export');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Delete table');
    await page.keyboard.press('Home');
    expect(await focused()).toBe('Export');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  it('keeps a dialog open if no file was picked, and restores the focus when a dialog closes', async () => {
    const { page } = await console.open('tables');
    const opener = page.getByRole('button', { name: 'Import', exact: true }).first();
    await opener.click();
    // The browser sends this event when its file picker is closed with Escape.
    await page.getByLabel('File', { exact: true }).dispatchEvent('cancel', { bubbles: true });
    await page.getByLabel('Table', { exact: true }).fill('stillThere');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('edits the access policies of a table', async () => {
    const table = await console.createTable('shared');
    await table.setAccessPolicy([{ id: 'old', accessPolicy: { permission: 'r' } }]);
    const { page } = await console.open('tables');
    await chooseTask(page, 'shared', 'Access policies');
    await page.getByRole('group', { name: 'Policy 1' }).getByLabel('Add').check();
    await button(page, 'Add policy').click();
    await page.keyboard.type('x');
    expect(await page.getByRole('group', { name: 'Policy 2' }).getByLabel('Identifier').inputValue()).toBe('x');
    const second = page.getByRole('group', { name: 'Policy 2' });
    await second.getByLabel('Identifier').fill('old');
    await page.getByText('Another policy has this identifier.').first().waitFor();
    expect(await button(page, 'Save').isDisabled()).toBe(true);
    await second.getByLabel('Identifier').fill('<b>&new');
    await second.getByLabel('Expires').fill('2030-01-31T00:00:00Z');
    await expectAccessible(page);
    await button(page, 'Save').click();
    await page.getByText('Access policies saved').waitFor();
    const policies = await table.getAccessPolicy();
    expect(policies).toMatchObject([
      { id: 'old', accessPolicy: { permission: 'ra' } },
      { id: '<b>&new', accessPolicy: { permission: 'r', expiry: new Date('2030-01-31T00:00:00Z') } },
    ]);
    await chooseTask(page, 'shared', 'Access policies');
    for (const number of [2, 1]) await page.getByRole('button', { name: `Remove policy ${number}` }).click();
    await button(page, 'Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await table.getAccessPolicy()).toHaveLength(0);
  });
});

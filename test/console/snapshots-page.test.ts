import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Snapshots';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole();
  const name = 'before <b>the</b> \u202etest';

  it('saves all tables, restores them and deletes the snapshot, and asks before each step', async () => {
    const table = await browser.createTable('Pets');
    await table.createEntity({ partitionKey: 'cats', rowKey: '1', Name: 'Tibbles' });
    const { page, faults } = await browser.open('snapshots');
    await page.getByText('No snapshots yet').waitFor();
    await page.getByRole('button', { name: 'Save a snapshot' }).click();
    await expectAccessible(page);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Saved the snapshot').waitFor();
    expect((await browser.emulator().snapshots()).map((one) => one.name)).toEqual([name]);
    const row = page.getByRole('row', { name: /before <b>the<\/b> \\u202etest/ });
    expect(await row.locator('b').count()).toBe(0);
    await expectAccessible(page);

    await table.deleteEntity('cats', '1');
    await row.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Tables and changes since then are lost').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('status').getByText('Restored the snapshot').waitFor();
    expect((await table.getEntity('cats', '1'))['Name']).toBe('Tibbles');

    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await browser.emulator().snapshots()).toHaveLength(1);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete snapshot' }).click();
    await page.getByText('No snapshots yet').waitFor();
    expect(await browser.emulator().snapshots()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('saves one table', async () => {
    await browser.createTable('Plants');
    const { page } = await browser.open('snapshots');
    await page.getByRole('button', { name: 'Save a snapshot' }).click();
    await page.getByLabel('Name').fill('plants');
    await page.getByLabel('What it holds').selectOption({ label: 'The table Plants' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('row', { name: /the table Plants/ }).waitFor();
    expect(await browser.emulator().snapshots()).toMatchObject([{ name: 'plants', table: 'Plants' }]);
  });

  it('shows why a name is refused, and keeps the dialog open', async () => {
    const { page } = await browser.open('snapshots');
    await page.getByRole('button', { name: 'Save a snapshot' }).click();
    await page.getByLabel('Name').fill('x'.repeat(129));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('InvalidInput').waitFor();
    await expectAccessible(page);
  });
});

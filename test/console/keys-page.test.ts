import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Keys';
if (skipReason !== '') console.warn(title + skipReason);

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({});

  it('simulates keys for a table, keeps the design in the address, and shows hostile text as text', async () => {
    const client = await browser.createTable('people');
    for (let id = 1; id <= 6; id++) {
      const team = id > 4 ? '<img src=x onerror=alert(1)>\u202e' : 'red';
      await client.createEntity({ partitionKey: 'all', rowKey: `r${id}`, Team: team, Id: id });
    }
    for await (const _entity of client.listEntities({ queryOptions: { filter: "Team eq 'red' and Id eq 2" } }));
    const { page, faults } = await browser.open('keys');
    await page.getByText('Write what the keys are made of').waitFor();
    await page.getByLabel('Table', { exact: true }).fill('people');
    await page.getByLabel('PartitionKey', { exact: true }).fill('{Team}');
    await page.getByLabel('RowKey', { exact: true }).fill('{Id:000}');
    await page.getByRole('button', { name: 'Try the keys' }).click();
    const query = page.getByRole('row').filter({ hasText: "Team eq 'red' and Id eq 2" });
    expect(await query.innerText()).toMatch(/table scan → point/);
    expect(await query.innerText()).toContain("PartitionKey eq 'red' and RowKey eq '002'");
    const design = page.getByRole('row').filter({ hasText: 'Design' });
    expect(await design.innerText()).toMatch(/Design\s+2\s+red\s+67/);
    await expectAccessible(page);
    await page.reload();
    expect(await page.getByLabel('PartitionKey', { exact: true }).inputValue()).toBe('{Team}');
    await page.getByLabel('PartitionKey', { exact: true }).fill('{Id:0');
    await page.getByRole('button', { name: 'Try the keys' }).click();
    await page.getByRole('alert').getByText('character 1: a { without its }').waitFor();
    await page.getByLabel('PartitionKey', { exact: true }).fill('{Team}/{Id}');
    await page.getByLabel('RowKey', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Try the keys' }).click();
    await page.getByText('6 entities cannot be stored: OutOfRangeInput').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
    expect(await page.locator('main img').count()).toBe(0);
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
  });
});

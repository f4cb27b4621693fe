import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Query of the console';
if (skipReason !== '') console.warn(title + skipReason);
const account = 'devstoreaccount1';

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole();
  let isSeeded = false;

  async function open(address = `query/${account}/pets`) {
    if (!isSeeded) {
      isSeeded = true;
      const table = await console.createTable('pets');
      for (const partitionKey of ['cats', 'dogs']) {
        for (let age = 0; age < 10; age++) {
          await table.createEntity({
            partitionKey,
            rowKey: `r${age}`,
            Age: age,
            Name: `pet ${age}`,
            Big: { type: 'Int64', value: '1' },
          });
        }
      }
    }
    const opened = await console.open(address);
    await editor(opened.page).waitFor();
    return opened;
  }

  const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'Filter' });
  const summary = (page: Page): Locator => page.locator('.run-summary');

  it('runs a filter, shows its cost, keeps the filter in the address, and runs it again from there', async () => {
    const { page, faults } = await open();
    await editor(page).click();
    await page.keyboard.type("PartitionKey eq 'cats' and Age gt 6");
    await page.keyboard.press('Enter');
    await summary(page).getByText('partition scan').waitFor();
    expect(await summary(page).innerText()).toMatch(/10 visited for 3 returned[\s\S]*1 page[\s\S]*10 units/);
    expect(await page.getByRole('row').count()).toBe(4);
    await expectAccessible(page);
    const shared = page.url();
    expect(shared).not.toMatch(/sig=|token/);
    await page.reload();
    await summary(page).getByText('10 visited for 3 returned').waitFor();
    expect(await editor(page).innerText()).toBe("PartitionKey eq 'cats' and Age gt 6");
    await page.getByRole('button', { name: 'Copy link' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shared);
    expect(faults).toEqual([]);
  });

  it.each([
    ["PartitionKey eq 'cats' and Age = 5", '=', 'Write eq for =.'],
    ["Name eq 'Mia", "'Mia", 'A quote is not closed'],
    ["Age gt 1 and Timestamp gt 'now'", "Timestamp gt 'now'", 'incompatible types'],
    ["Age gt 1 and startswith(Name,'a')", "startswith(Name,'a')", 'For a prefix write'],
  ])('shows where the fault of %s is: %s', async (filter, place, message) => {
    const { page } = await open();
    await editor(page).click();
    await page.keyboard.insertText(filter);
    await page.locator('.cm-lintRange-error').first().waitFor();
    expect((await page.locator('.cm-lintRange-error').allInnerTexts()).join('')).toBe(place);
    await page.locator('.query-fault').getByText(message).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('Age gt 1');
    await page.locator('.cm-lintRange-error').first().waitFor({ state: 'detached' });
  });

  it('completes names, operators and values of the right type', async () => {
    const { page, faults } = await open();
    const options = page.locator('.cm-tooltip-autocomplete li');
    await editor(page).click();
    await page.keyboard.type('Bi');
    await options.getByText('Big').waitFor();
    // Directly after the list appears, the editor ignores the keys that choose an item.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await options.getByText('greater or equal').waitFor();
    await page.keyboard.type('ge ');
    await options.getByText('1L').waitFor();
    await page.keyboard.type('1L and PartitionKey eq ');
    await options.getByText("'dogs'").waitFor();
    await expectAccessible(page);
    await page.keyboard.type("'do");
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    expect((await editor(page).innerText()).trim()).toBe("Big ge 1L and PartitionKey eq 'dogs'");
    await page.keyboard.press('Control+Enter');
    await summary(page).getByText('10 visited for 10 returned').waitFor();
    expect(faults).toEqual([]);
  });

  it('sends $select and $top', async () => {
    const { page, requests } = await open();
    await page.getByLabel('$select').fill('Name, Age');
    await page.getByLabel('$top').fill('5000');
    await page.getByText('1 to 1000.').waitFor();
    await page.getByLabel('$top').fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('$top was reached; the service has more.').waitFor();
    const [sent] = requests.filter((url) => url.includes('top=4')).map((url) => new URL(url).searchParams);
    expect([sent?.get('$select'), sent?.get('$top')]).toEqual(['PartitionKey,RowKey,Name,Age', '4']);
    expect(await page.getByRole('row').count()).toBe(5);
    const heads = await page.getByRole('columnheader').allInnerTexts();
    expect(heads.map((head) => head.split('\n')[0])).not.toContain('Big');
  });

  it.each([
    ["PartitionKey eq 'cats' and RowKey eq 'r1'", 'point', [1, 1], /The keys lead straight/],
    ["PartitionKey eq 'cats' and RowKey lt 'r4'", 'range', [1, 3], /The keys lead straight/],
    ["PartitionKey eq 'cats'", 'partition scan', [1, 7], /bound RowKey as well/],
    ["PartitionKey ge 'cats'", 'table scan', [2, 14], /pin PartitionKey with eq/],
    ['Age gt 5', 'table scan', [2, 14], /keep a second table keyed by Age/],
  ])('draws the plan of %s: a %s', async (filter, kind, [partitions, rows], advice) => {
    const { page } = await open(`query/${account}/pets?filter=${encodeURIComponent(filter)}&run=1`);
    await page.getByRole('tab', { name: 'Plan' }).click();
    await page.locator('.plan-head').getByText(kind, { exact: true }).waitFor();
    await page.getByText('The 2 partitions of the table').waitFor();
    expect(await page.locator('.plan-partition').count()).toBe(2);
    expect(await page.locator('.plan-partition.visited').count()).toBe(partitions);
    expect(await page.locator('.plan-row.visited').count()).toBe(rows);
    expect(await page.getByRole('img', { name: 'Picture of the plan' }).getAttribute('aria-label')).toMatch(
      /visited for/,
    );
    expect(await page.locator('.advice').innerText()).toMatch(advice);
    await expectAccessible(page);
  });

  it('says that a comparison is never true if no entity has the type of the literal', async () => {
    const filter = encodeURIComponent("Age gt '5'");
    const { page } = await open(`query/${account}/pets?filter=${filter}&run=1`);
    await page.getByRole('tab', { name: 'Plan' }).click();
    await page
      .getByText("Age is Edm.Int32 in all 20 visited entities; '5' is a string, so the comparison is never true")
      .waitFor();
    await expectAccessible(page);
  });

  it.each([
    {
      table: 'lone',
      count: 1,
      filter: "PartitionKey ge 'p0'",
      label: 'The only partition of the table',
      boxes: [1, 1],
    },
    { table: 'some', count: 5, filter: "PartitionKey ge 'p2'", label: 'The 5 partitions of the table', boxes: [5, 3] },
    { table: 'more', count: 11, filter: "PartitionKey ge 'p2'", label: 'Partitions of the table', boxes: [9, 7] },
  ])('draws no more partitions than a table has: $count', async ({ table: name, count, filter, label, boxes }) => {
    const table = await console.createTable(name);
    for (let at = 0; at < count; at++) await table.createEntity({ partitionKey: `p${at}`, rowKey: 'r' });
    const { page } = await open(`query/${account}/${name}?filter=${encodeURIComponent(filter)}&run=1`);
    await page.getByRole('tab', { name: 'Plan' }).click();
    await page.getByText(label).waitFor();
    const drawn = ['.plan-partition', '.plan-partition.visited'].map((box) => page.locator(box).count());
    expect(await Promise.all(drawn)).toEqual(boxes);
  });

  it('draws bars to scale', async () => {
    const { page } = await open(`query/${account}/pets?filter=Age%20eq%205&run=1`);
    await page.getByRole('tab', { name: 'Plan' }).click();
    const widthOf = async (name: string): Promise<number> =>
      Number(await page.locator(`.plan-bar.${name}`).getAttribute('width'));
    await page.locator('.plan-bar.returned').waitFor();
    expect((await widthOf('returned')) / (await widthOf('visited'))).toBeCloseTo(2 / 20, 2);
  });

  it('shows the query as code without a signature', async () => {
    const { page } = await open(`query/${account}/pets?filter=Age%20eq%205&select=Name&top=3`);
    await page.getByRole('tab', { name: 'Code' }).click();
    for (const [language, part] of [
      ['C#', 'filter: "Age eq 5"'],
      ['JavaScript', 'queryOptions: { filter: "Age eq 5", select: ["Name"] }'],
      ['Python', 'query_entities("Age eq 5", select=["Name"], results_per_page=3)'],
      ['curl', "--data-urlencode '$filter=Age eq 5'"],
    ] as const) {
      await page.getByRole('tab', { name: language, exact: true }).click();
      await page.locator('.code-panel pre').getByText(part, { exact: false }).waitFor();
      expect(await page.locator('.code-panel pre').innerText()).not.toContain('sig=');
    }
    await expectAccessible(page);
  });

  it('keeps a list of the queries that the tab has run', async () => {
    const { page } = await open(`query/${account}/pets?filter=Age%20eq%205&run=1`);
    await summary(page).waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'History' }).click();
    const link = page.getByRole('link', { name: 'Age eq 5' });
    await link.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Forget all' }).click();
    await page.getByText('No queries yet').waitFor();
  });

  it('keeps what is typed right after a query was run', async () => {
    const { page } = await open();
    await editor(page).click();
    await page.keyboard.type('Age gt 6');
    await page.keyboard.press('Enter');
    await page.keyboard.type('1');
    await summary(page).getByText('table scan').waitFor();
    expect(await editor(page).innerText()).toBe('Age gt 61');
  });

  it('removes only the deleted result, even if it is the last one of its page', async () => {
    const table = await console.createTable('twoPages');
    const entities = Array.from({ length: 1_001 }, (_, at) => ({ partitionKey: 'a', rowKey: String(at + 1000) }));
    for (let at = 0; at < entities.length; at += 100) {
      await table.submitTransaction(entities.slice(at, at + 100).map((entity) => ['create', entity] as const) as never);
    }
    const { page } = await open(`query/${account}/twoPages?run=1`);
    await page.getByText('1,000 entities so far').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+ArrowDown');
    await page.getByText('1,001 entities').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('1999').waitFor();
    await table.deleteEntity('a', '1999');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Leave it deleted' }).click();
    await page.getByText('1,000 entities', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: '2000' }).waitFor();
  });

  it('opens a complete result, although $select asked for a part, and saves changes', async () => {
    const { page } = await open(
      `query/${account}/pets?filter=${encodeURIComponent("PartitionKey eq 'dogs' and RowKey eq 'r9'")}&select=Age&run=1`,
    );
    await page.getByRole('gridcell', { name: '9', exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Value of Name').fill('Rex');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await console.table('pets').getEntity('dogs', 'r9')).toMatchObject({ Name: 'Rex', Age: 9, Big: 1n });
  });

  it.each(['light', 'dark'] as const)('is accessible in %s colours with results, at 1024 pixels', async (theme) => {
    await open();
    const { page } = await console.open(`query/${account}/pets?filter=Age%20gt%205&run=1`, { theme, width: 1024 });
    await summary(page).waitFor();
    await expectAccessible(page);
  });
});

import { readFile } from 'node:fs/promises';
import type { TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'Import and export on the page Tables';
if (skipReason !== '') console.warn(title + skipReason);
const account = 'devstoreaccount1';

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const console = useConsole();

  async function entitiesOf(table: TableClient): Promise<readonly Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for await (const entity of table.listEntities({ disableTypeConversion: true })) {
      const { etag: _etag, timestamp: _timestamp, ...members } = entity;
      found.push(members);
    }
    return found;
  }

  const text = (value: string) => ({ type: 'String', value });
  const files = {
    ndjson:
      '{"PartitionKey":"a","RowKey":"1","Big@odata.type":"Edm.Int64","Big":"9007199254740993"}\n{"PartitionKey":"b","RowKey":"2","Name":"two"}\n',
    json: '[{"PartitionKey":"a","RowKey":"1","Big@odata.type":"Edm.Int64","Big":"9007199254740993"},{"PartitionKey":"b","RowKey":"2","Name":"two"}]',
    csv: '\ufeffPartitionKey,RowKey,Big,Big@type,Name,Name@type\r\na,1,9007199254740993,Edm.Int64,,\r\nb,2,,,two,Edm.String\r\n',
  };
  const imported = [
    { partitionKey: 'a', rowKey: '1', Big: { type: 'Int64', value: '9007199254740993' } },
    { partitionKey: 'b', rowKey: '2', Name: text('two') },
  ];

  async function importFile(page: Page, { name, content }: { name: string; content: string }): Promise<void> {
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
  }

  it.each(['ndjson', 'json', 'csv'] as const)('imports %s into a table that it creates', async (format) => {
    const table = `imported${format}`;
    const { page, faults } = await console.open('tables');
    await page.getByRole('button', { name: 'Import' }).first().click();
    await expectAccessible(page);
    await importFile(page, { name: `${table}.${format}`, content: files[format] });
    await page.getByText(`2 entities imported into ${table}`).waitFor();
    await page.getByRole('link', { name: table, exact: true }).waitFor();
    expect(await entitiesOf(console.table(table))).toMatchObject(imported);
    expect(faults).toEqual([]);
  });

  it('adds to the content of a table, or replaces everything except its access policies', async () => {
    const table = await console.createTable('kept');
    await table.setAccessPolicy([{ id: 'reader', accessPolicy: { permission: 'r' } }]);
    await table.createEntity({ partitionKey: 'a', rowKey: '1', Old: true });
    await table.createEntity({ partitionKey: 'z', rowKey: '9' });
    const { page } = await console.open(`tables/${account}/kept`);
    const begin = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Table', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Import into it' }).click();
    };
    await begin();
    await importFile(page, { name: 'any.ndjson', content: files.ndjson });
    await page.getByText('3 entities', { exact: true }).waitFor();
    expect((await entitiesOf(table)).map(({ rowKey }) => rowKey)).toEqual(['1', '2', '9']);
    await expect(table.getEntity('a', '1')).resolves.not.toHaveProperty('Old');
    await begin();
    await page.getByLabel('What to do').selectOption({ label: 'Replace the table, in one step' });
    await importFile(page, { name: 'any.csv', content: files.csv });
    await page.getByText('2 entities', { exact: true }).waitFor();
    expect(await entitiesOf(table)).toMatchObject(imported);
    expect(await table.getAccessPolicy()).toMatchObject([{ id: 'reader', accessPolicy: { permission: 'r' } }]);
  });

  it('says which line is wrong, and does not change the table', async () => {
    const table = await console.createTable('unharmed');
    await table.createEntity({ partitionKey: 'a', rowKey: '1' });
    const { page } = await console.open(`tables/${account}/unharmed`);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Import into it' }).click();
    await page.getByLabel('What to do').selectOption({ label: 'Replace the table, in one step' });
    await importFile(page, {
      name: 'any.ndjson',
      content: '{"PartitionKey":"b","RowKey":"1"}\n{"PartitionKey":"b"}\n',
    });
    await page.getByText('Line 2: RowKey is missing.').waitFor();
    await expectAccessible(page);
    await importFile(page, { name: 'any.csv', content: 'PartitionKey,RowKey\r\nb,1,2\r\n' });
    await page.getByText('Line 2: has 3 cells, and the header 2.').waitFor();
    expect(await entitiesOf(table)).toHaveLength(1);
  });

  it.each(['ndjson', 'json', 'csv'] as const)('exports %s that it imports again, whole', async (format) => {
    const table = await console.createTable(`exported${format}`);
    await table.createEntity({
      partitionKey: 'a "q", b',
      rowKey: '1',
      Text: 'x,"y"\r\nz',
      Real: { type: 'Double', value: '0.1' },
    });
    await table.createEntity({ partitionKey: 'b', rowKey: '2', Bytes: { type: 'Binary', value: '/wA=' }, Flag: false });
    const { page } = await console.open(`tables/${account}/exported${format}`);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export' }).click();
    await page.getByLabel('Format').selectOption(format);
    await expectAccessible(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`exported${format}.${format}`);
    const content = await readFile(await download.path(), 'utf8');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const before = await entitiesOf(table);
    for (const { partitionKey, rowKey } of before) await table.deleteEntity(String(partitionKey), String(rowKey));
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Import into it' }).click();
    await importFile(page, { name: `any.${format}`, content });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await entitiesOf(table)).toEqual(before);
  });
});

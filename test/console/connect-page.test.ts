import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Connect';
if (skipReason !== '') console.warn(title + skipReason);
const run = promisify(execFile);

/** Ticks these permissions and clears the others. */
async function allow(page: Page, letters: string): Promise<void> {
  const boxes = page.getByRole('group', { name: 'Allows' }).getByRole('checkbox');
  for (const box of await boxes.all()) {
    const letter = (await box.locator('xpath=..').locator('code').innerText()).trim();
    await box.setChecked(letters.includes(letter));
  }
}

const insecure = { allowInsecureConnection: true };

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole();

  it('shows a connection string that an SDK accepts', async () => {
    const { page, faults } = await browser.open('connect');
    await page.getByRole('button', { name: 'Copy connection string' }).click();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await TableServiceClient.fromConnectionString(text, insecure).createTable('People');
    await browser.table('People').createEntity({ partitionKey: 'p', rowKey: 'r' });
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  it('has a program in five languages; the JavaScript program runs unchanged', async () => {
    const { page } = await browser.open('connect');
    const program = page.getByRole('tabpanel').locator('pre').nth(1);
    for (const name of ['C#', 'JavaScript', 'Python', 'Java', 'Go']) {
      await page.getByRole('tab', { name, exact: true }).click();
      await expect.poll(() => program.innerText()).toContain('AccountName=devstoreaccount1');
      await expectAccessible(page);
    }
    await page.getByRole('tab', { name: 'JavaScript' }).click();
    await expect.poll(() => program.innerText()).toContain('@azure/data-tables');
    // The file is next to the sources, so that Node finds the package.
    const file = fileURLToPath(new URL(`./.program-${process.pid}.mjs`, import.meta.url));
    try {
      await writeFile(file, await program.innerText());
      const { stdout } = await run(process.execPath, [file]);
      expect(stdout).toBe('Ada, born 1815\n');
    } finally {
      await rm(file, { force: true });
    }
  });

  it('makes a signature for one table, and explains each part of it', async () => {
    const table = await browser.createTable('Signed');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'n' });
    const { page } = await browser.open('connect');
    await page.getByLabel('Opens').selectOption({ label: 'The table Signed' });
    await page.getByRole('button', { name: 'Make a signature' }).click();
    await page.getByRole('button', { name: 'Copy connection string with the signature' }).click();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const [, endpoint = '', signature = ''] = /^TableEndpoint=(.*);SharedAccessSignature=(.*)$/.exec(text) ?? [];
    const signed = new TableClient(`${endpoint}?${signature}`, 'Signed', insecure);
    expect((await signed.getEntity('p', 'r'))['Name']).toBe('n');
    await expect(signed.deleteEntity('p', 'r')).rejects.toMatchObject({ statusCode: 403 });
    for (const part of ['sv', 'tn', 'sp', 'se', 'sig']) {
      const row = page.getByRole('row').filter({ has: page.locator('code', { hasText: new RegExp(`^${part}$`) }) });
      expect((await row.innerText()).length).toBeGreaterThan(20);
    }
    await expectAccessible(page);
  });

  it.each([
    { allows: 'as it is at first', letters: undefined, status: '200' },
    { allows: 'reading alone', letters: 'r', status: '200' },
    { allows: 'reading an account without tables', letters: 'r', isFresh: true, status: '200' },
    { allows: 'listing alone', letters: 'l', status: '200' },
    { allows: 'inserting alone', letters: 'a', status: '201' },
    { allows: 'creating alone', letters: 'c', status: '201' },
    { allows: 'reading a table', letters: 'r', opens: 'The table Lines', status: '200' },
    { allows: 'inserting into a table', letters: 'a', opens: 'The table Lines', status: '201' },
  ])(
    'shows a curl line that succeeds, for a signature $allows',
    async ({ letters, opens = 'The account: all tables', isFresh, status }) => {
      await browser.createTable('Lines').catch(() => undefined);
      const { page } = await browser.open(isFresh ? `connect/${browser.emulator().account().name}` : 'connect');
      await page.getByLabel('Opens').selectOption({ label: opens });
      if (letters !== undefined) await allow(page, letters);
      await page.getByRole('button', { name: 'Make a signature' }).click();
      await page.getByRole('button', { name: 'Copy curl command' }).click();
      const line = await page.evaluate(() => navigator.clipboard.readText());
      const { stdout } = await run('sh', ['-c', `${line} --silent --write-out '\n%{http_code}'`]);
      expect(stdout.split('\n').at(-1), stdout).toBe(status);
    },
  );

  it('shows no curl line if every allowed request needs something that may be missing', async () => {
    const { page } = await browser.open('connect');
    await allow(page, 'u');
    await page.getByRole('button', { name: 'Make a signature' }).click();
    await page.getByText('so no command always succeeds').waitFor();
    await expectAccessible(page);
  });

  it('does not show the key of an account with its own key', async () => {
    const { name, connectionString } = browser.emulator().account();
    const { page } = await browser.open(`connect/${name}`);
    await page.getByText('The emulator does not reveal the key').waitFor();
    const key = /AccountKey=([^;]+)/.exec(connectionString)?.[1] ?? 'no key';
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Make a signature' }).click();
    const code = page.locator('.signature-made pre').nth(2);
    expect(await code.innerText()).toContain(`/${name}/Tables?`);
  });
});

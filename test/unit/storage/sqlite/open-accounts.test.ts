// However many accounts there are, only few files are open at a time, and their page caches share a budget.

import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenAccounts } from '../../../../src/storage/sqlite/open-accounts.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** The same number as in open-accounts.ts. */
const openMax = 64;
const pageCacheBytesMax = 16 * 1_048_576;
const names = Array.from({ length: openMax + 20 }, (_, index) => `account${index}`);

let folder: { path: string; remove(): void };

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder.remove();
});

/**
 * Returns the names of the write-ahead logs in the folder. Each open account has one log, which SQLite deletes when the
 * last connection to the account's file closes.
 */
const openFiles = (): string[] => readdirSync(folder.path).filter((file) => file.endsWith('.sqlite-wal'));

describe('a store with many accounts', () => {
  const time = new ManualTime();
  let store: Store;

  beforeEach(async () => {
    const times = storeTimes(time);
    store = await openSqliteStore({ location: folder.path, durability: 'none', tableDeleteDelayMs: 1000, ...times });
  });
  afterEach(() => store.close());

  it('keeps a limited number of them open, and every handle stays valid', async () => {
    const handles = names.map((name) => store.account(name));
    for (const handle of handles) await handle.createTable(tableNamed('Pets'));
    expect(openFiles().length).toBeLessThanOrEqual(openMax);
    for (const handle of handles) await write(handle, 'Pets', insertion(keyOf('cats', 'tom')));
    expect(openFiles().length).toBeLessThanOrEqual(openMax);
    for (const handle of handles)
      expect(await handle.get('Pets', keyOf('cats', 'tom'))).toMatchObject({ kind: 'found' });
    expect(await store.names()).toEqual(names.toSorted());
  });

  it('completes concurrent operations of more accounts than may be open', async () => {
    const outcomes = names.map(async (name) => {
      const account = store.account(name);
      await account.createTable(tableNamed('Pets'));
      return account.apply('Pets', [insertion(keyOf('cats', 'tom'))]);
    });
    expect(new Set((await Promise.all(outcomes)).map(({ kind }) => kind))).toEqual(new Set(['applied']));
    await store.account('onemore').listTables({ limit: 1 });
    await store.account('another').listTables({ limit: 1 });
    expect(openFiles().length).toBeLessThan(names.length);
  });

  it('closes an account that was unused for long, even below the limit, and reopens it for a use', async () => {
    await store.account('first').createTable(tableNamed('Pets'));
    const busy = store.account('second');
    for (let use = 0; use < 17_000; use++) void busy.findTable('Pets');
    await busy.findTable('Pets');
    expect(openFiles()).toEqual(['second.sqlite-wal']);
    expect(await store.account('first').findTable('Pets')).toMatchObject({ kind: 'found' });
    expect(openFiles()).toHaveLength(2);
  });

  it('still refuses the name of a table that is being deleted after many other accounts were used', async () => {
    const first = store.account('first');
    await first.createTable(tableNamed('Pets'));
    await first.deleteTable('Pets');
    for (const name of names) await store.account(name).listTables({ limit: 1 });
    expect(await first.createTable(tableNamed('Pets'))).toEqual({ kind: 'tableBeingDeleted' });
    time.advance(1000);
    expect(await first.createTable(tableNamed('Pets'))).toMatchObject({ kind: 'created' });
  });

  it('abandons the only load of a new account, although its file cannot be removed', async () => {
    const load = await store.account('fresh').beginLoad();
    const file = join(folder.path, 'fresh.sqlite');
    renameSync(file, `${file}.moved`);
    mkdirSync(file);
    await load.abandon();
    rmdirSync(file);
    expect(await store.names()).toEqual([]);
    await store.account('fresh').createTable(tableNamed('Pets'));
    expect(await store.names()).toEqual(['fresh']);
  });

  it('refuses an account with a name that could be a path', async () => {
    await expect(store.account('../outside').listTables({ limit: 1 })).rejects.toThrow('account');
    await expect(store.account('').createTable(tableNamed('Pets'))).rejects.toThrow('account');
    expect(readdirSync(folder.path).filter((file) => file.endsWith('.sqlite'))).toEqual([]);
  });
});

describe('the page caches of open accounts', () => {
  const openAccounts = (): OpenAccounts =>
    new OpenAccounts({
      location: folder.path,
      fileOf: (name) => join(folder.path, `${name}.sqlite`),
      durability: 'none',
      onServiceProperties: () => undefined,
      ...storeTimes(),
    });

  it('share one budget, which a single account may use completely', async () => {
    const accounts = openAccounts();
    const used: ReturnType<typeof accounts.use>[] = [];
    for (const name of names.slice(0, openMax)) {
      const account = accounts.use(name);
      used.push(account);
      const bytes = used.map(({ pageCacheBytes }) => pageCacheBytes);
      expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(pageCacheBytesMax);
      if (used.length === 1) expect(bytes).toEqual([pageCacheBytesMax]);
    }
    await accounts.close();
  });
});

import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { contentsOf, insertion, keyOf, tableNamed, textValue, write } from '../../../../support/entities.ts';
import { storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

/** More rows than are reclaimed in one step. */
const manyRows = 1200;

describe('the rows of a deleted table', () => {
  let folder: { path: string; remove(): void };
  let file: string;

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'account.sqlite');
  });
  afterEach(() => {
    folder.remove();
  });

  const countRows = (database: Database): unknown => database.prepare('SELECT count(*) FROM entities').pluck().get();
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  async function fill(account: SqliteAccountStore): Promise<void> {
    await account.createTable(tableNamed('Pets'));
    const rows = Array.from({ length: manyRows }, (_, row) => insertion(keyOf('cats', String(row))));
    for (let start = 0; start < manyRows; start += 100) await account.apply('Pets', rows.slice(start, start + 100));
  }

  it('are reclaimed in steps, and no other rows are', async () => {
    const database = openAccountFile(file, 'process');
    const account = new SqliteAccountStore(database, storeTimes());
    await fill(account);
    await account.createTable(tableNamed('Kept'));
    await write(account, 'Kept', insertion(keyOf('cats', 'tom')));
    await account.deleteTable('Pets');
    expect(countRows(database)).toBe(manyRows + 1);
    const counts = new Set<unknown>();
    for (let step = 0; step < 30; step++) {
      await turns(1);
      counts.add(countRows(database));
    }
    expect(countRows(database)).toBe(1);
    expect(counts.size).toBeGreaterThan(2);
    expect(await contentsOf(account, 'Kept')).toHaveLength(1);
    await account.close();
  });

  it('are reclaimed, but rows of an unfinished load only after a restart', async () => {
    const database = openAccountFile(file, 'process');
    const account = new SqliteAccountStore(database, storeTimes());
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Pets') });
    const rows = Array.from({ length: manyRows }, (_, row) => ({ ...keyOf('cats', String(row)), properties: '' }));
    await load.addEntities('Pets', rows);
    await account.createTable(tableNamed('Other'));
    await account.deleteTable('Other');
    await turns(30);
    expect(countRows(database)).toBe(manyRows);
    expect(account.isIdle).toBe(false);
    await account.close();
    const again = openAccountFile(file, 'process');
    const reopened = new SqliteAccountStore(again, storeTimes());
    await turns(30);
    expect(countRows(again)).toBe(0);
    await reopened.close();
  });

  it('are reclaimed, but rows of an open view only after it is closed, or after a restart', async () => {
    const database = openAccountFile(file, 'process');
    const account = new SqliteAccountStore(database, storeTimes());
    await fill(account);
    const view = await account.openView();
    await write(account, 'Pets', insertion(keyOf('cats', 'tom')));
    await turns(30);
    expect(countRows(database)).toBe(2 * manyRows + 1);
    expect(account.isIdle).toBe(false);
    await view.close();
    await turns(30);
    expect(countRows(database)).toBe(manyRows + 1);
    expect(account.isIdle).toBe(true);
    await account.openView();
    await account.deleteTable('Pets');
    await turns(30);
    expect(countRows(database)).toBe(manyRows + 1);
    await account.close();
    const again = openAccountFile(file, 'process');
    const reopened = new SqliteAccountStore(again, storeTimes());
    await turns(30);
    expect(countRows(again)).toBe(0);
    await reopened.close();
  });

  it('are reclaimed few at a time if they are large', async () => {
    const database = openAccountFile(file, 'none');
    const account = new SqliteAccountStore(database, storeTimes());
    await account.createTable(tableNamed('Pets'));
    const large = new Map(Array.from({ length: 15 }, (_, at) => [`P${at}`, textValue('x'.repeat(32_000))]));
    for (let row = 0; row < 60; row++) await write(account, 'Pets', insertion(keyOf('cats', String(row)), large));
    await account.deleteTable('Pets');
    const counts = [countRows(database) as number];
    for (let step = 0; step < 40; step++) {
      await turns(1);
      counts.push(countRows(database) as number);
    }
    const given = counts.slice(1).map((count, at) => (counts[at] ?? 0) - count);
    expect(Math.max(...given)).toBeLessThan(20);
    expect(counts.at(-1)).toBe(0);
    await account.close();
  });

  it('are reclaimed after clearing a table or an account, with many tables at a time', async () => {
    const database = openAccountFile(file, 'process');
    const account = new SqliteAccountStore(database, storeTimes());
    await fill(account);
    await account.clearTable('Pets');
    await write(account, 'Pets', insertion(keyOf('cats', 'tom')));
    await turns(30);
    expect(countRows(database)).toBe(1);
    for (let at = 0; at < 200; at++) await account.createTable(tableNamed(`Table${at}`));
    await account.clear();
    expect(countRows(database)).toBe(1);
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(keyOf('cats', 'felix')));
    await turns(30);
    expect(database.prepare('SELECT count(*) FROM dropped_tables').pluck().get()).toBe(0);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['felix']);
    expect(countRows(database)).toBe(1);
    await account.close();
  });

  it('are reclaimed after a restart if the process ended before', async () => {
    const first = new SqliteAccountStore(openAccountFile(file, 'process'), storeTimes());
    await fill(first);
    await first.deleteTable('Pets');
    await first.close();
    const database = openAccountFile(file, 'process');
    expect(countRows(database)).toBeGreaterThan(0);
    const second = new SqliteAccountStore(database, storeTimes());
    await second.createTable(tableNamed('Pets'));
    expect(await contentsOf(second, 'Pets')).toEqual([]);
    await turns(30);
    expect(countRows(database)).toBe(0);
    await second.close();
  });
});

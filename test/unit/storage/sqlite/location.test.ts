import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccountFile } from '../../../../src/storage/sqlite/file/account-file.ts';
import { applicationId, schemaVersion } from '../../../../src/storage/sqlite/file/schema.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { contentsOf, insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import { contentsOfFolder } from '../../../support/folder-contents.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const account = 'devstoreaccount1';
const time = new ManualTime();
let folder: { path: string; remove(): void };
let location: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  location = join(folder.path, 'data');
  file = join(location, `${account}.sqlite`);
});
afterEach(() => {
  folder.remove();
});

const open = (): Promise<Store> => openSqliteStore({ location, durability: 'process', ...storeTimes(time) });

describe('a location', () => {
  it('is created if it is missing, with its parent folders', async () => {
    location = join(folder.path, 'a', 'b', 'c');
    const store = await open();
    await store.account(account).createTable(tableNamed('Pets'));
    await store.close();
    expect(Object.keys(contentsOfFolder(location, { hashed: false }))).toContain(join(location, `${account}.sqlite`));
  });

  it('is the folder with exactly that name, even if the name starts with a blank', async () => {
    const workingFolder = process.cwd();
    process.chdir(folder.path);
    try {
      mkdirSync('data');
      const store = await openSqliteStore({ location: ' data', durability: 'process', ...storeTimes(time) });
      await store.account(account).createTable(tableNamed('Pets'));
      expect(await store.names()).toEqual([account]);
      await store.close();
    } finally {
      process.chdir(workingFolder);
    }
    expect(readdirSync(join(folder.path, 'data'))).toEqual([]);
    expect(readdirSync(join(folder.path, ' data'))).toContain(`${account}.sqlite`);
  });

  it('contains only the account files, the lock file and a reserve of 1 MiB after closing', async () => {
    const store = await open();
    await store.account(account).createTable(tableNamed('Pets'));
    await store.close();
    const names = Object.keys(contentsOfFolder(location, { hashed: false }));
    const reserve = join(location, 'tanzanite.reserve');
    expect(names.sort()).toEqual([location, file, join(location, 'tanzanite.lock'), reserve]);
    expect(statSync(reserve).size).toBe(1_048_576);
  });

  it('has all data of each account when reopened', async () => {
    const first = await open();
    for (const name of [account, 'other1']) {
      await first.account(name).createTable(tableNamed('Pets'));
      await write(first.account(name), 'Pets', insertion(keyOf('owner', name)));
    }
    await first.close();
    const second = await open();
    await second.openExisting([account, 'other1', 'neverused']);
    for (const name of [account, 'other1']) {
      const contents = await contentsOf(second.account(name), 'Pets');
      expect(contents.map(({ rowKey }) => rowKey)).toEqual([name]);
    }
    await second.close();
  });

  it('has a file for each account', async () => {
    const store = await open();
    await store.account('first').createTable(tableNamed('Pets'));
    expect(await store.account('second').findTable('Pets')).toEqual({ kind: 'tableMissing' });
    await store.account('second').createTable(tableNamed('Plants'));
    expect(await store.account('first').findTable('Plants')).toEqual({ kind: 'tableMissing' });
    await store.close();
    const names = Object.keys(contentsOfFolder(location, { hashed: false }));
    expect(names).toEqual(expect.arrayContaining([join(location, 'first.sqlite'), join(location, 'second.sqlite')]));
  });

  it('has no file for an unused account', async () => {
    const store = await open();
    await store.openExisting([account]);
    await store.close();
    expect(Object.keys(contentsOfFolder(location, { hashed: false }))).not.toContain(file);
  });

  it('names exactly the accounts with files, opened or not', async () => {
    const first = await open();
    for (const name of ['second', 'first']) await first.account(name).createTable(tableNamed('Pets'));
    await first.close();
    for (const other of ['Not an account.sqlite', 'x.sqlite', 'third.sqlite-wal', 'fourth.txt']) {
      writeFileSync(join(location, other), '');
    }
    const second = await open();
    expect(await second.names()).toEqual(['first', 'second']);
    await second.account('another').listTables({ limit: 1 });
    expect(await second.names()).toEqual(['another', 'first', 'second']);
    await second.close();
  });

  it('is not changed by opening and closing it', async () => {
    const first = await open();
    await first.account(account).createTable(tableNamed('Pets'));
    await first.close();
    const { [location]: _, ...before } = contentsOfFolder(location, { hashed: true });
    const second = await open();
    await second.openExisting([account]);
    expect(await second.account(account).findTable('Pets')).toMatchObject({ kind: 'found' });
    await second.close();
    const { [location]: __, ...after } = contentsOfFolder(location, { hashed: true });
    expect(after).toEqual(before);
  });
});

describe('the file of an account', () => {
  const pragmaOf = (database: Database.Database, pragma: string): unknown => database.pragma(pragma, { simple: true });

  it.each([
    ['that is missing', () => {}],
    ['that is empty', () => writeFileSync(file, '')],
  ])('%s is created with the current version', (_, prepare) => {
    mkdirSync(location);
    prepare();
    openAccountFile(file, 'process').close();
    const database = new Database(file, { readonly: true });
    expect(pragmaOf(database, 'user_version')).toBe(schemaVersion);
    expect(pragmaOf(database, 'application_id')).toBe(applicationId);
    expect(pragmaOf(database, 'journal_mode')).toBe('wal');
    database.close();
  });

  it('has its version in the header from its creation on, where it can be read without opening the database', () => {
    mkdirSync(location);
    const database = openAccountFile(file, 'process');
    const header = readFileSync(file);
    expect(header.readUInt32BE(60)).toBe(schemaVersion);
    expect(header.readUInt32BE(68)).toBe(applicationId);
    database.close();
  });

  it('that has the current version is not migrated again', () => {
    mkdirSync(location);
    const first = openAccountFile(file, 'process');
    first.exec('UPDATE account SET last_ticks = 7');
    first.close();
    const second = openAccountFile(file, 'process');
    expect(second.prepare('SELECT last_ticks FROM account').pluck().get()).toBe(7);
    second.close();
  });

  it.each([
    ['process', 1],
    ['power', 2],
    ['none', 0],
  ] as const)('opened for durability %s syncs as SQLite level %i', (durability, level) => {
    mkdirSync(location);
    const database = openAccountFile(file, durability);
    expect(pragmaOf(database, 'synchronous')).toBe(level);
    database.close();
  });
});

describe('a creation that was interrupted by a kill', () => {
  /** Leaves the files that SQLite leaves: its journal, which is written before any page, and some of the pages. */
  function leaveBehind(pages: Buffer): void {
    const database = new Database(file);
    database.exec('PRAGMA cache_size = 5; BEGIN; CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(100000))');
    const journal = readFileSync(`${file}-journal`);
    database.exec('ROLLBACK');
    database.close();
    writeFileSync(file, pages);
    writeFileSync(`${file}-journal`, journal);
  }

  function wholeFile(): Buffer {
    const whole = join(location, 'whole');
    const database = openAccountFile(whole, 'process');
    database.pragma('journal_mode = DELETE');
    database.close();
    return readFileSync(whole);
  }

  it.each([
    ['an empty first page', () => Buffer.alloc(4096)],
    ['the first page', () => wholeFile().subarray(0, 4096)],
    ['all but the last page', () => wholeFile().subarray(0, -4096)],
    ['every page', wholeFile],
  ])('with %s on disk is started again', async (_, pagesOnDisk) => {
    mkdirSync(location);
    leaveBehind(pagesOnDisk());
    const store = await open();
    await store.openExisting([account]);
    expect(await store.account(account).listTables({ limit: 5 })).toEqual({ tables: [] });
    expect(await store.account(account).createTable(tableNamed('Pets'))).toMatchObject({ kind: 'created' });
    await store.close();
  });
});

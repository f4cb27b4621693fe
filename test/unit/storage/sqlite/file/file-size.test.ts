// Tests the size of an account's file and of its write-ahead log. The size of both must stay limited, even if rows are
// replaced again and again. Both must shrink when the account is idle.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PropertiesText } from '../../../../../src/model/properties.ts';
import { applicationId, migrations, schemaVersion } from '../../../../../src/storage/sqlite/file/schema.ts';
import { openSqliteStore } from '../../../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, Store } from '../../../../../src/storage/store.ts';
import { contentsOf, insertion, keyOf, tableNamed, texts, write } from '../../../../support/entities.ts';
import { ManualTime } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const megabyte = 1_048_576;
/** Together, these rows have a megabyte. */
const rows = 1_000;
const text = 'x'.repeat(900);
const rounds = 30;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let folder: { path: string; remove(): void };
let file: string;
let time: ManualTime;
let store: Store;
let account: AccountStore;

async function open(): Promise<void> {
  time = new ManualTime();
  store = await openSqliteStore({ location: folder.path, durability: 'none', modelTime: time, machineTime: time });
  account = store.account('devstoreaccount1');
}

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder.path, 'devstoreaccount1.sqlite');
  await open();
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

const fileBytes = (): number => statSync(file).size;
const walBytes = (): number => statSync(`${file}-wal`).size;
/** The size of the file in bytes, including the pages that are still in its log. */
function pagesBytes(): number {
  const database = new Database(file, { readonly: true });
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.close();
  return pages * 4096;
}
/** Whether the file is smaller than this, and the log is small or empty, as in an idle account. */
const isSmaller = (bytes: number): boolean =>
  fileBytes() < bytes && walBytes() < 1.1 * megabyte && pagesBytes() < bytes;
const rowAt = (at: number): string => String(at).padStart(4, '0');

/** Sends all batches at the same time, like a client with many connections. */
async function fill(partitionKey = 'cats'): Promise<void> {
  const all = Array.from({ length: rows }, (_, at) => insertion(keyOf(partitionKey, rowAt(at)), texts({ text })));
  const batches = Array.from({ length: rows / 100 }, (_, at) => all.slice(at * 100, at * 100 + 100));
  for (const outcome of await Promise.all(batches.map((batch) => account.apply('Pets', batch)))) {
    expect(outcome.kind).toBe('applied');
  }
}

async function load(): Promise<void> {
  const loading = await account.beginLoad();
  await loading.addTable({ name: tableNamed('Pets') });
  const properties: PropertiesText = `"text":"${text}"`;
  const entities = Array.from({ length: rows }, (_, at) => ({ ...keyOf('cats', rowAt(at)), properties }));
  expect(await loading.addEntities('Pets', entities)).toEqual({ kind: 'added' });
  expect(await loading.finish()).toEqual({ kind: 'finished' });
}

/** Lets time pass while the account is idle, until a condition is true. */
async function rest(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    time.advance(1_000);
    await turn();
  }
}

describe('a table of a megabyte', () => {
  beforeEach(async () => {
    await account.createTable(tableNamed('Pets'));
    await fill();
  });

  it.each([
    ['without pause', 0],
    ['with a pause', 200],
  ])('that is restored and written again and again, %s, uses the space of two', async (_, turns) => {
    await account.saveSnapshot({ name: 'base' });
    for (let round = 0; round < rounds; round++) {
      await account.restoreSnapshot({ name: 'base' });
      await write(account, 'Pets', insertion(keyOf('dogs', String(round))));
      for (let turned = 0; turned < turns; turned++) await turn();
      expect(fileBytes()).toBeLessThan(3.5 * megabyte);
      expect(walBytes()).toBeLessThan(12 * megabyte);
    }
    expect(await contentsOf(account, 'Pets')).toHaveLength(rows + 1);
  });

  it.each([
    ['deleted and filled', async () => void (await account.deleteTable('Pets'))],
    ['cleared and filled', async () => void (await account.clearTable('Pets'))],
    ['removed with its account and filled', () => account.clear()],
  ])('that is %s again and again uses the space of two', async (_, empty) => {
    for (let round = 0; round < rounds; round++) {
      await empty();
      await account.createTable(tableNamed('Pets'));
      await fill();
    }
    expect(fileBytes()).toBeLessThan(4 * megabyte);
    expect(await contentsOf(account, 'Pets')).toHaveLength(rows);
  });

  it('that is loaded again and again uses the space of three', async () => {
    for (let round = 0; round < rounds; round++) await load();
    expect(fileBytes()).toBeLessThan(5 * megabyte);
    expect(await contentsOf(account, 'Pets')).toHaveLength(rows);
  });

  it('keeps the event loop running until its rows are reclaimed', async () => {
    const immediates = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Immediate').length;
    while (immediates() > 0) await turn();
    await account.deleteTable('Pets');
    expect(immediates()).toBe(1);
  });

  it('leaves a small file and a small log when it is deleted and the account is idle', async () => {
    for (let round = 0; round < 4; round++) await load();
    await account.deleteTable('Pets');
    await rest(() => isSmaller(1.5 * megabyte));
    await account.createTable(tableNamed('Pets'));
    await fill();
    expect(await contentsOf(account, 'Pets')).toHaveLength(rows);
  });

  it('does not release space while the account is being written', async () => {
    for (let round = 0; round < 4; round++) await load();
    await account.deleteTable('Pets');
    for (let step = 0; step < 50; step++) {
      time.advance(500);
      await account.createTable(tableNamed(`Table${step}`));
    }
    expect(pagesBytes()).toBeGreaterThan(2 * megabyte);
  });

  it('is complete after each step in which space is released', async () => {
    for (let round = 0; round < 4; round++) await load();
    await account.clear();
    await account.createTable(tableNamed('Pets'));
    await fill();
    let isSmall = false;
    const resting = rest(() => isSmall);
    while (!isSmall) {
      expect(await contentsOf(account, 'Pets')).toHaveLength(rows);
      isSmall = isSmaller(2.5 * megabyte);
      await turn();
    }
    await resting;
  });
});

describe('a file of an older layout, in which pages cannot be moved,', () => {
  beforeEach(async () => {
    await store.close();
    const old = new Database(file);
    for (const migration of migrations) old.exec(migration);
    old.pragma(`application_id = ${applicationId}`);
    old.pragma(`user_version = ${schemaVersion}`);
    old.close();
    await open();
    await account.createTable(tableNamed('Pets'));
    await fill();
  });

  it('reuses its space', async () => {
    await account.saveSnapshot({ name: 'base' });
    for (let round = 0; round < rounds; round++) {
      await account.restoreSnapshot({ name: 'base' });
      await write(account, 'Pets', insertion(keyOf('dogs', String(round))));
    }
    expect(fileBytes()).toBeLessThan(3.5 * megabyte);
  });

  it('gets the current layout when it is small and the account is idle, and loses nothing', async () => {
    for (const partitionKey of ['dogs', 'fish', 'birds']) await fill(partitionKey);
    await account.createTable(tableNamed('Kept'));
    await write(account, 'Kept', insertion(keyOf('cats', 'tom')));
    await account.deleteTable('Pets');
    await rest(() => isSmaller(1.5 * megabyte));
    expect(await contentsOf(account, 'Kept')).toMatchObject([{ rowKey: 'tom' }]);
    await store.close();
    const closed = new Database(file, { readonly: true });
    expect(closed.pragma('auto_vacuum', { simple: true })).toBe(2);
    expect(closed.pragma('user_version', { simple: true })).toBe(schemaVersion);
    expect(closed.pragma('integrity_check', { simple: true })).toBe('ok');
    closed.close();
    await open();
  });
});

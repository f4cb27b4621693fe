import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { StoreUnavailable, type StoreUnavailableReason } from '../../../../src/storage/store-unavailable.ts';
import { insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import { contentsOfFolder } from '../../../support/folder-contents.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { harms, replaceByForeignDatabase, spoilHeader } from './harms.ts';

const account = 'devstoreaccount1';
const time = new ManualTime();
let folder: { path: string; remove(): void };
let location: string;
let file: string;

/** Makes a closed location that was in use. */
beforeEach(async () => {
  folder = temporaryFolder();
  location = join(folder.path, 'data');
  file = join(location, `${account}.sqlite`);
  const store = await open(location);
  await store.account(account).createTable(tableNamed('Pets'));
  for (let row = 0; row < 50; row++) await write(store.account(account), 'Pets', insertion(keyOf('cats', String(row))));
  await store.close();
});
afterEach(() => {
  folder.remove();
});

const open = (path: string): Promise<Store> =>
  openSqliteStore({ location: path, durability: 'process', ...storeTimes(time) });

/** Opens a location and its account in the way of a start. Returns the reason why this is refused. */
async function refusalOf(path: string): Promise<StoreUnavailableReason> {
  let store: Store | undefined;
  try {
    store = await open(path);
    await store.openExisting([account]);
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.reason;
    throw error;
  } finally {
    await store?.close();
  }
  throw new Error('the location was opened');
}

/** Opens a location, and uses the account only later. Returns the reason why this is refused. */
async function refusalOfFirstUse(path: string): Promise<StoreUnavailableReason | undefined> {
  const store = await open(path);
  try {
    await store.account(account).listTables({ limit: 1 });
    return undefined;
  } catch (error) {
    return error instanceof StoreUnavailable ? error.reason : undefined;
  } finally {
    await store.close();
  }
}

describe('a location with an account file that contains', () => {
  it.each(harms)('%s is refused as %s and not changed', async (_, reason, harm) => {
    harm(file);
    const { [location]: __, ...before } = contentsOfFolder(location, { hashed: true });
    expect(await refusalOf(location)).toBe(reason);
    expect(await refusalOfFirstUse(location)).toBe(reason);
    const { [location]: ___, ...after } = contentsOfFolder(location, { hashed: true });
    expect(after).toEqual(before);
  });

  it('something unusable is closed again, and can be opened when the file is restored', async () => {
    const whole = readFileSync(file);
    spoilHeader(file);
    expect(await refusalOf(location)).toBe('damaged');
    writeFileSync(file, whole);
    const store = await open(location);
    expect(await store.account(account).findTable('Pets')).toMatchObject({ kind: 'found' });
    await store.close();
  });

  it('something unusable still serves other accounts', async () => {
    spoilHeader(file);
    const store = await open(location);
    await expect(store.account(account).listTables({ limit: 1 })).rejects.toThrow(StoreUnavailable);
    expect(await store.account('other1').createTable(tableNamed('Pets'))).toMatchObject({ kind: 'created' });
    await expect(store.account(account).listTables({ limit: 1 })).rejects.toThrow(StoreUnavailable);
    await store.close();
  });
});

describe('a folder that was never a location', () => {
  it('and contains a foreign database of that name gets at most an empty lock file', async () => {
    for (const name of ['tanzanite.lock', 'tanzanite.reserve']) rmSync(join(location, name));
    replaceByForeignDatabase(file);
    const before = contentsOfFolder(file, { hashed: true });
    expect(await refusalOf(location)).toBe('foreign');
    expect(contentsOfFolder(file, { hashed: true })).toEqual(before);
    const added = Object.keys(contentsOfFolder(location, { hashed: false })).filter((name) => name !== file);
    expect(added.filter((name) => name !== location)).toEqual([join(location, 'tanzanite.lock')]);
    expect(readFileSync(join(location, 'tanzanite.lock'))).toHaveLength(0);
  });

  it.each([
    ['is below a regular file', (plain: string) => join(plain, 'data')],
    ['is a regular file itself', (plain: string) => plain],
  ])('is refused as unwritable because it %s, and nothing is changed', async (_, place) => {
    const plain = join(folder.path, 'plain');
    writeFileSync(plain, 'a regular file');
    const before = contentsOfFolder(folder.path, { hashed: true });
    expect(await refusalOf(place(plain))).toBe('unwritable');
    expect(contentsOfFolder(folder.path, { hashed: true })).toEqual(before);
  });

  it.runIf(process.platform === 'linux')('because /proc refuses new folders is refused as unwritable', async () => {
    expect(await refusalOf('/proc/tanzanite/data')).toBe('unwritable');
  });
});

// Root may write anywhere, so the test changes to another user while it opens a location.
const isSuperuser = process.geteuid?.() === 0;
const nobody = 65_534;

async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  if (isSuperuser) process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}

describe.runIf(process.platform !== 'win32')('a location without the right to write', () => {
  const lock = (): string => join(location, 'tanzanite.lock');
  const others: readonly (readonly [string, () => readonly string[]])[] = [
    ['the folder', () => [location]],
    ['the account file', () => [file]],
    ['the lock file', () => [lock()]],
    ['anything', () => [location, file, lock()]],
  ];

  it.each(others)('to %s is refused as unwritable, and nothing is changed', async (_, protectedPaths) => {
    chmodSync(folder.path, 0o777);
    chmodSync(location, 0o777);
    for (const path of [file, lock()]) chmodSync(path, 0o666);
    for (const path of protectedPaths()) chmodSync(path, path === location ? 0o555 : 0o444);
    const { [location]: __, ...before } = contentsOfFolder(location, { hashed: true });
    expect(await unprivileged(() => refusalOf(location))).toBe('unwritable');
    const { [location]: ___, ...after } = contentsOfFolder(location, { hashed: true });
    expect(after).toEqual(before);
    chmodSync(location, 0o777);
  });
});

const holder = `
  import Database from 'better-sqlite3';
  const lock = new Database(process.argv[1]);
  lock.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => {}, 1000);
`;

describe('a location that is in use', () => {
  it('by another process is refused as locked, nothing is changed, and a kill releases it', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, join(location, 'tanzanite.lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      expect(child.exitCode).toBeNull();
      const before = contentsOfFolder(folder.path, { hashed: true });
      expect(await refusalOf(location)).toBe('locked');
      expect(contentsOfFolder(folder.path, { hashed: true })).toEqual(before);
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
    const store = await open(location);
    expect(await store.account(account).findTable('Pets')).toMatchObject({ kind: 'found' });
    await store.close();
  });

  it('by a process that noted its address is refused with that address, whatever others left', async () => {
    const address = join(location, 'tanzanite.address');
    writeFileSync(address, '{"pid":1,"url":"http://left.by.a.kill"}');
    const first = await open(location);
    const message = async (): Promise<string> => open(location).then(String, (error: Error) => error.message);
    expect(await message()).toBe(`${location} is in use by another process.`);
    first.publishAddress?.('http://127.0.0.1:10002');
    expect(await message()).toBe(`${location} is in use by process ${process.pid} at http://127.0.0.1:10002.`);
    for (const text of ['', '{', 'null', '{"pid":1,"url":"http://a\\u001b[2J"}', '{"pid":"1","url":"http://a"}']) {
      writeFileSync(address, text);
      expect(await message()).toBe(`${location} is in use by another process.`);
    }
    await first.close();
    expect(existsSync(address)).toBe(false);
  });

  it('by another store of this process is refused as locked, and nothing is changed', async () => {
    const first = await open(location);
    await first.account(account).findTable('Pets');
    const before = contentsOfFolder(folder.path, { hashed: false });
    expect(await refusalOf(location)).toBe('locked');
    expect(await refusalOf(location)).toBe('locked');
    expect(contentsOfFolder(folder.path, { hashed: false })).toEqual(before);
    expect(await first.account(account).createTable(tableNamed('Plants'))).toMatchObject({ kind: 'created' });
    await first.close();
    await (await open(location)).close();
  });
});

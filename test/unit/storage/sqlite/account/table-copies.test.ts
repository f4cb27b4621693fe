import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { contentsOf, insertion, keyOf, tableNamed, write } from '../../../../support/entities.ts';
import { costlyTime, storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const rows = 3000;
const tom = insertion(keyOf('cats', 'tom'));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the copy that a write to a saved table makes', () => {
  let folder: { path: string; remove(): void };
  let database: Database;
  let account: SqliteAccountStore;

  const fileOf = (name: string): string => join(folder.path, `${name}.sqlite`);
  const count = (table: string, of = database): unknown => of.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  /** With such a slow clock, a copy of all rows takes many steps. */
  function open(name: string): { database: Database; account: SqliteAccountStore } {
    const opened = openAccountFile(fileOf(name), 'process');
    const times = { ...storeTimes(), machineTime: costlyTime({ msPerReading: 0.6 }) };
    return { database: opened, account: new SqliteAccountStore(opened, times) };
  }
  /** Sends a write. Resolves when its copy has made a step, but not the last one. */
  async function beginWrite(mutation = tom): Promise<{ written: Promise<unknown> }> {
    const written = account.apply('Pets', [mutation]);
    written.catch(() => undefined);
    while (count('table_copies') === 0) await turn();
    return { written };
  }
  async function untilReclaimed(of = database): Promise<void> {
    do await turn();
    while (count('dropped_tables', of) !== 0);
  }
  const keys = async (of = account): Promise<string[]> => (await contentsOf(of, 'Pets')).map(({ rowKey }) => rowKey);

  beforeEach(async () => {
    folder = temporaryFolder();
    ({ database, account } = open('account'));
    for (const name of ['Pets', 'Plants']) await account.createTable(tableNamed(name));
    const all = Array.from({ length: rows }, (_, at) => insertion(keyOf('cats', String(at).padStart(4, '0'))));
    for (let start = 0; start < rows; start += 100) await account.apply('Pets', all.slice(start, start + 100));
    await account.saveSnapshot({ name: 'base' });
  });
  afterEach(async () => {
    await account.close();
    folder.remove();
  });

  it('is made in steps, with reads of the table and writes to others in between', async () => {
    const { written } = await beginWrite();
    let isOver = false;
    void written.then(() => (isOver = true));
    await write(account, 'Plants', tom);
    expect(isOver).toBe(false);
    const counts = new Set<unknown>();
    while (!isOver) {
      counts.add(count('entities'));
      expect(await account.get('Pets', keyOf('cats', '0000'))).toMatchObject({ kind: 'found' });
      await turn();
    }
    expect(counts.size).toBeGreaterThan(2);
    expect(await written).toMatchObject({ kind: 'applied' });
    expect(await keys()).toHaveLength(rows + 1);
    await account.restoreSnapshot({ name: 'base' });
    expect(await keys()).toHaveLength(rows);
  });

  it('is made once for all writes that wait for it, and they keep their order', async () => {
    const { written } = await beginWrite();
    const others = Array.from({ length: 5 }, (_, at) => account.apply('Pets', [insertion(keyOf('dogs', `${at}`))]));
    expect(await written).toMatchObject({ kind: 'applied' });
    const times = (await Promise.all(others)).map((one) => (one.kind === 'applied' ? one.entities[0]?.timestamp : one));
    expect(times).toEqual([...times].sort());
    expect(count('entities')).toBe(2 * rows + 6);
    await write(account, 'Pets', insertion(keyOf('dogs', 'last')));
    expect(count('entities')).toBe(2 * rows + 7);
  });

  it('fails with the writes that wait, changes nothing, and is made again by the next write', async () => {
    database.exec(`CREATE TRIGGER fail BEFORE INSERT ON entities WHEN NEW.row_key = '1400'
      BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`);
    const { written } = await beginWrite();
    const other = account.apply('Pets', [insertion(keyOf('dogs', 'rex'))]);
    await expect(written).rejects.toThrow('disk on fire');
    await expect(other).rejects.toThrow('disk on fire');
    await untilReclaimed();
    expect([count('entities'), count('table_copies')]).toEqual([rows, 0]);
    database.exec('DROP TRIGGER fail');
    await write(account, 'Pets', tom);
    expect(await keys()).toHaveLength(rows + 1);
  });

  it('continues if the snapshot is deleted meanwhile, and leaves no rows', async () => {
    const { written } = await beginWrite();
    await account.deleteSnapshot('base');
    expect(await written).toMatchObject({ kind: 'applied' });
    await untilReclaimed();
    expect(count('entities')).toBe(rows + 1);
    expect(await keys()).toHaveLength(rows + 1);
  });

  it('ends if the table is deleted meanwhile, and the snapshot is complete', async () => {
    const { written } = await beginWrite();
    await account.deleteTable('Pets');
    expect(await written).toEqual({ kind: 'tableMissing' });
    await untilReclaimed();
    expect([count('entities'), count('table_copies')]).toEqual([rows, 0]);
    await account.restoreSnapshot({ name: 'base' });
    expect(await keys()).toHaveLength(rows);
  });

  it('copies the rows that a restore brings back in between', async () => {
    await write(account, 'Pets', insertion(keyOf('dogs', 'rex')));
    await account.saveSnapshot({ name: 'rex' });
    const { written } = await beginWrite();
    await account.restoreSnapshot({ name: 'base' });
    expect(await written).toMatchObject({ kind: 'applied' });
    expect(await keys()).toHaveLength(rows + 1);
    expect(await keys()).not.toContain('rex');
    await account.restoreSnapshot({ name: 'rex' });
    expect(await keys()).toHaveLength(rows + 1);
    expect(await keys()).not.toContain('tom');
    await untilReclaimed();
    expect(count('entities')).toBe(2 * rows + 1);
  });

  it('is reclaimed after a crash, and the table and its snapshot have not changed', async () => {
    const { written } = await beginWrite();
    const crashed = fileOf('crashed');
    for (const end of ['', '-wal']) copyFileSync(`${fileOf('account')}${end}`, `${crashed}${end}`);
    await written;
    const after = open('crashed');
    expect(count('entities', after.database)).toBeGreaterThan(rows);
    expect(count('table_copies', after.database)).toBe(1);
    expect(await keys(after.account)).toHaveLength(rows);
    await untilReclaimed(after.database);
    expect([count('entities', after.database), count('table_copies', after.database)]).toEqual([rows, 0]);
    await write(after.account, 'Pets', tom);
    await after.account.restoreSnapshot({ name: 'base' });
    expect(await keys(after.account)).toHaveLength(rows);
    await after.account.close();
  });

  it('is completed before the store closes, and so is the write', async () => {
    const { written } = await beginWrite();
    expect(account.isIdle).toBe(false);
    await account.close();
    expect(await written).toMatchObject({ kind: 'applied' });
    ({ database, account } = open('account'));
    expect(await keys()).toHaveLength(rows + 1);
    await untilReclaimed();
    expect([count('entities'), count('table_copies')]).toEqual([2 * rows + 1, 0]);
  });
});

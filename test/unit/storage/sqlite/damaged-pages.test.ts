// A file that can be opened but has unreadable pages. The data on them is lost, and everything else works.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, Store } from '../../../../src/storage/store.ts';
import { insertion, keyOf, tableNamed, texts, write } from '../../../support/entities.ts';
import { storeTimes } from '../../../support/manual-time.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { comparison, int } from '../../query/filters.ts';
import { spoilMiddlePages } from './harms.ts';

const everything = { range: {}, limit: 1000, bytesMax: 1 << 30, timeMsMax: 60_000 };
const keyAt = (at: number) => keyOf('p', String(at).padStart(3, '0'));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an account with unreadable pages', () => {
  let folder: { path: string; remove(): void };
  let store: Store;
  let account: AccountStore;

  beforeEach(async () => {
    folder = temporaryFolder();
    const open = (): Promise<Store> =>
      openSqliteStore({ location: folder.path, durability: 'process', ...storeTimes() });
    const whole = await open();
    await whole.account('spoilt').createTable(tableNamed('Pets'));
    const rows = Array.from({ length: 100 }, (_, at) => insertion(keyAt(at), texts({ Text: 'x'.repeat(3000) })));
    await whole.account('spoilt').apply('Pets', rows);
    await whole.close();
    spoilMiddlePages(join(folder.path, 'spoilt.sqlite'), 20);
    store = await open();
    account = store.account('spoilt');
    await store.openExisting(['spoilt']);
  });
  afterEach(async () => {
    await store.close();
    folder.remove();
  });

  const readAll = () => Promise.allSettled(Array.from({ length: 100 }, (_, at) => account.get('Pets', keyAt(at))));

  it('rejects reads that reach these pages as damaged, and answers other reads of the same turn', async () => {
    const reads = await readAll();
    const lost = reads.filter(({ status }) => status === 'rejected');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(50);
    expect(lost[0]).toMatchObject({ reason: { name: 'StoreUnavailable', reason: 'damaged' } });
    expect(reads[0]).toMatchObject({ status: 'fulfilled', value: { kind: 'found' } });
  });

  it('works in the next turns: reads, writes, tables', async () => {
    for (let round = 0; round < 3; round++) {
      await readAll();
      await turn();
      expect(await account.get('Pets', keyAt(0))).toMatchObject({ kind: 'found' });
      await write(account, 'Pets', insertion(keyOf('q', String(round))));
      expect(await account.get('Pets', keyOf('q', String(round)))).toMatchObject({ kind: 'found' });
      expect((await account.listTables({ limit: 5 })).tables).toHaveLength(1);
    }
  });

  it.each([
    ['without a filter', undefined],
    ['with a filter', comparison('Number', 'eq', int(1))],
  ])('rejects a page %s that reaches them, and returns those before', async (_, filter) => {
    await expect(account.scan({ table: 'Pets', ...everything, filter })).rejects.toThrow('is damaged');
    const before = await account.scan({ table: 'Pets', ...everything, filter, range: { before: keyAt(10) } });
    expect(before).toMatchObject({ kind: 'page', visited: 10 });
  });

  it('is named by check after a read has reached these pages, and other accounts are not', async () => {
    await store.account('sound').createTable(tableNamed('Pets'));
    expect(await store.check()).toEqual({ damaged: [], isFull: false });
    await readAll();
    expect(await store.check()).toEqual({ damaged: ['spoilt'], isFull: false });
    expect(await store.account('sound').findTable('Pets')).toMatchObject({ kind: 'found' });
  });
});

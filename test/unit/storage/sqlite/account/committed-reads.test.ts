import { copyFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mutation } from '../../../../../src/model/mutation.ts';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { contentsOf, insertion, keyOf, tableNamed, texts } from '../../../../support/entities.ts';
import { costlyTime, storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { comparison, text } from '../../../query/filters.ts';
import { unbounded } from '../slow-engine.ts';
import { openSpoilable } from '../spoilable-database.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const isNew = comparison('Value', 'eq', text('new'));

describe('while a transaction on a file stays open between turns', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  let account: SqliteAccountStore;
  let cost: { msPerReading: number };

  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder.path, 'account.sqlite');
    cost = { msPerReading: 0 };
    account = new SqliteAccountStore(openSpoilable(file), { ...storeTimes(), machineTime: costlyTime(cost) });
    for (const name of ['Pets', 'Gone', 'Cleared']) {
      await account.createTable(tableNamed(name));
      await account.apply(name, [insertion(keyOf('cats', '00'), texts({ Value: 'old' }))]);
    }
    await account.setTableAcl({ table: 'Pets', acl: 'old' });
    await account.updateServiceProperties(() => 'old');
  });
  afterEach(async () => {
    await account.close();
    folder.remove();
  });

  /**
   * Begins a long write, which takes one turn of the event loop for each mutation. Mutations that were sent earlier in
   * the same turn share the transaction of the long write.
   */
  function beginLong(last?: Mutation): { readonly done: Promise<unknown>; readonly isAnswered: () => boolean } {
    const mutations = Array.from({ length: 100 }, (_, at): Mutation => {
      const key = keyOf('cats', String(at).padStart(2, '0'));
      return { kind: 'insertOrMerge', ...key, properties: texts({ Value: 'new' }) };
    });
    const slowing: Mutation = {
      ...insertion(keyOf('dogs', '0')),
      get properties() {
        cost.msPerReading = 10;
        return texts({ Value: 'new' });
      },
    };
    let isAnswered = false;
    const note = (): void => {
      isAnswered = true;
    };
    const done = account.apply('Pets', [slowing, ...mutations, ...(last ? [last] : [])]);
    done.then(note, note);
    return { done, isAnswered: () => isAnswered };
  }

  async function readCat(): Promise<string | undefined> {
    const outcome = await account.get('Pets', keyOf('cats', '00'));
    return outcome.kind === 'found' ? outcome.entity.properties : undefined;
  }

  /** Reads everything that can be read. */
  async function readAll(): Promise<unknown> {
    const { kind, entities } = {
      entities: [],
      ...(await account.scan({ table: 'Pets', ...unbounded, range: {}, filter: isNew })),
    };
    return {
      tables: (await account.listTables({ limit: 10 })).tables.map(({ name }) => name),
      found: await Promise.all(['Gone', 'Made'].map(async (name) => (await account.findTable(name)).kind)),
      acl: await account.getTableAcl('Pets'),
      settings: await account.getServiceProperties(),
      snapshots: (await account.listSnapshots()).map(({ name }) => name),
      cat: await readCat(),
      pets: new Set((await contentsOf(account, 'Pets')).map(({ properties }) => properties)),
      cleared: (await contentsOf(account, 'Cleared')).length,
      selected: [kind, entities.length],
    };
  }

  const before = {
    tables: ['Cleared', 'Gone', 'Pets'],
    found: ['found', 'tableMissing'],
    acl: { kind: 'found', acl: 'old' },
    settings: 'old',
    snapshots: [],
    cat: '"Value":"old"',
    pets: new Set(['"Value":"old"']),
    cleared: 1,
    selected: ['page', 0],
  };
  const after = {
    tables: ['Cleared', 'Made', 'Pets'],
    found: ['tableMissing', 'found'],
    acl: { kind: 'found', acl: 'new' },
    settings: 'new',
    snapshots: ['saved'],
    cat: '"Value":"new"',
    pets: new Set(['"Value":"new"']),
    cleared: 0,
    selected: ['page', 101],
  };

  function changeAll(): Promise<unknown>[] {
    return [
      account.saveSnapshot({ name: 'saved', table: 'Cleared' }),
      account.createTable(tableNamed('Made')),
      account.deleteTable('Gone'),
      account.clearTable('Cleared'),
      account.setTableAcl({ table: 'Pets', acl: 'new' }),
      account.updateServiceProperties(() => 'new'),
    ];
  }

  it('reads before its end see only committed data, and reads after its end see all of it', async () => {
    const changes = changeAll();
    const { done, isAnswered } = beginLong();
    await turn();
    await turn();
    expect(await readAll()).toEqual(before);
    expect(await readAll()).toEqual(before);
    expect(isAnswered()).toBe(false);
    expect(await Promise.all([done, ...changes])).toMatchObject([
      { kind: 'applied' },
      { kind: 'saved' },
      {},
      {},
      {},
      {},
      undefined,
    ]);
    expect(await readAll()).toEqual(after);
  });

  it('reads see nothing of it if it is rolled back at its end', async () => {
    const changes = Promise.allSettled(changeAll());
    const { done, isAnswered } = beginLong(insertion(keyOf('spoiled', 'row')));
    await turn();
    await turn();
    expect(await readAll()).toEqual(before);
    expect(isAnswered()).toBe(false);
    await expect(done).rejects.toThrow();
    expect((await changes).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    expect(await readAll()).toEqual(before);
  });

  it('reads see the changes that an earlier such transaction committed, but not those of the present one', async () => {
    const first = beginLong();
    await turn();
    await turn();
    expect(await readAll()).toEqual(before);
    await first.done;
    cost.msPerReading = 0;
    const changes = changeAll();
    const second = account.apply('Pets', [
      {
        kind: 'insertOrMerge',
        ...keyOf('cats', '00'),
        get properties() {
          cost.msPerReading = 10;
          return texts({ Value: 'newest' });
        },
      },
      ...Array.from({ length: 50 }, (_, at) => insertion(keyOf('mice', String(at)))),
    ]);
    await turn();
    await turn();
    expect(await readAll()).toEqual({ ...before, cat: after.cat, pets: after.pets, selected: after.selected });
    await Promise.all([second, ...changes]);
    expect(await readCat()).toBe('"Value":"newest"');
  });

  it('a view waits for its end, because the view marks rows, which is a write', async () => {
    const { isAnswered } = beginLong();
    await turn();
    await turn();
    const view = await account.openView();
    await turn();
    expect(isAnswered()).toBe(true);
    const page = await view.scan({ table: 'Pets', ...unbounded });
    expect(page.entities.map(({ properties }) => properties)).toEqual(Array(101).fill('"Value":"new"'));
    await view.close();
  });

  it('reads wait if another file has replaced the account’s file', async () => {
    for (const end of ['', '-wal', '-shm']) renameSync(file + end, `${file}.moved${end}`);
    copyFileSync(`${file}.moved`, file);
    const { isAnswered } = beginLong();
    await turn();
    await turn();
    expect(await readCat()).toBe('"Value":"new"');
    await turn();
    expect(isAnswered()).toBe(true);
  });

  it('reads leave no connection open when the account is closed', async () => {
    const { done } = beginLong();
    await turn();
    await turn();
    await readAll();
    await done;
    await account.close();
    // SQLite removes the write-ahead log when the last connection closes.
    expect(readdirSync(folder.path)).toEqual(['account.sqlite']);
  });
});

import { expect, it } from 'vitest';
import type { ScanOutcome } from '../../../../src/storage/store.ts';
import { contentsOf, insertion, keyOf, tableNamed, ticksOf, write } from '../../../support/entities.ts';
import { comparison, int } from '../../query/filters.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');
/** A number of entities that an engine would not reclaim in one step after their table was deleted. */
const manyEntities = 600;

/** Makes two tables, one of them larger, with policies and service properties. */
async function fill({ account }: Given): Promise<void> {
  for (const name of ['Pets', 'Plants']) await account.createTable(tableNamed(name));
  for (let start = 0; start < manyEntities; start += 100) {
    const keys = Array.from({ length: 100 }, (_, index) => keyOf('cats', String(start + index)));
    await account.apply(
      'Pets',
      keys.map((one) => insertion(one, new Map([['Number', int(start)]]))),
    );
  }
  await write(account, 'Plants', insertion(key));
  await account.setTableAcl({ table: 'Pets', acl: '[1]' });
  await account.updateServiceProperties(() => '{"a":1}');
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

export function describeClearing(given: () => Given): void {
  describeAccount(given);
  describeTable(given);
}

function describeAccount(given: () => Given): void {
  it('promise 9: a cleared account contains nothing, and its names are free immediately', async () => {
    await fill(given());
    const { account } = given();
    await account.clear();
    expect(await account.listTables({ limit: 5 })).toEqual({ tables: [] });
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableMissing' });
    expect(await account.get('Plants', key)).toEqual({ kind: 'tableMissing' });
    expect(await account.getServiceProperties()).toBeUndefined();
    expect(await account.createTable(tableNamed('PETS'))).toMatchObject({ kind: 'created', table: { name: 'PETS' } });
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: undefined });
    expect(await contentsOf(account, 'Pets')).toEqual([]);
    await write(account, 'Pets', insertion(key));
    await turns(20);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });

  it('promise 9: clearing something empty, or twice, changes nothing', async () => {
    const { account } = given();
    await account.clear();
    await fill(given());
    await Promise.all([account.clear(), account.clear()]);
    expect(await account.listTables({ limit: 5 })).toEqual({ tables: [] });
  });

  it('promise 9: clearing an account does not change others', async () => {
    const { account, store } = given();
    const other = store.account('otheraccount');
    await other.createTable(tableNamed('Pets'));
    await write(other, 'Pets', insertion(key));
    await account.clear();
    await turns(5);
    expect(await contentsOf(other, 'Pets')).toHaveLength(1);
  });

  it('promise 5: timestamps increase strictly across a clearing, even if the clock steps back', async () => {
    const { account, time } = given();
    await account.createTable(tableNamed('Pets'));
    const before = await write(account, 'Pets', insertion(key));
    time.stepDate(-3_600_000);
    await account.clear();
    await account.createTable(tableNamed('Pets'));
    expect(ticksOf(await write(account, 'Pets', insertion(key)))).toBeGreaterThan(ticksOf(before));
  });

  it('promise 4: a clearing after the store was closed rejects', async () => {
    const { account, store } = given();
    await account.createTable(tableNamed('Pets'));
    await store.close();
    await expect(account.clear()).rejects.toThrow();
    await expect(account.clearTable('Pets')).rejects.toThrow();
  });

  it('names the accounts that were used, in order', async () => {
    const { store, account } = given();
    await account.createTable(tableNamed('Pets'));
    await store.account('anotheraccount').listTables({ limit: 1 });
    await store.exists('stranger');
    expect(await store.names()).toEqual(['anotheraccount', 'devstoreaccount1']);
  });
}

function describeTable(given: () => Given): void {
  it('promise 9: a cleared table is empty, and otherwise unchanged', async () => {
    await fill(given());
    const { account } = given();
    const tables = await account.listTables({ limit: 5 });
    expect(await account.clearTable('PETS')).toEqual({ kind: 'cleared' });
    expect(await contentsOf(account, 'Pets')).toEqual([]);
    expect(await account.listTables({ limit: 5 })).toEqual(tables);
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: '[1]' });
    expect(await contentsOf(account, 'Plants')).toHaveLength(1);
    await write(account, 'Pets', insertion(key));
    await turns(20);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });

  it('promise 9: clearing a missing table returns tableMissing', async () => {
    expect(await given().account.clearTable('Pets')).toEqual({ kind: 'tableMissing' });
  });

  it('promise 9: writes acknowledged before a clearing are gone, and writes sent after it stay', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let at = 0; at < 30; at++) {
        await write(account, 'Pets', insertion(keyOf(`w${writer}`, String(at).padStart(2, '0'))));
        if (writer === 0 && at === 10) {
          const before = await contentsOf(account, 'Pets');
          await account.clearTable('Pets');
          const after = new Set((await contentsOf(account, 'Pets')).map((one) => one.partitionKey + one.rowKey));
          expect(before.filter((one) => after.has(one.partitionKey + one.rowKey))).toEqual([]);
        }
      }
    });
    await Promise.all(writers);
    const left = await contentsOf(account, 'Pets');
    expect(left.filter(({ partitionKey }) => partitionKey === 'w0')).toHaveLength(19);
    // Of each writer, only its last entities are left, without a gap.
    for (const partitionKey of ['w1', 'w2', 'w3']) {
      const rowKeys = left.filter((one) => one.partitionKey === partitionKey).map(({ rowKey }) => Number(rowKey));
      expect(rowKeys).toEqual(Array.from({ length: rowKeys.length }, (_, at) => 30 - rowKeys.length + at));
    }
  });

  it('promise 7: a filtered scan after a clearing sees only new entities', async () => {
    await fill(given());
    const { account } = given();
    const filter = comparison('Number', 'ge', int(0));
    const seen = async (): Promise<unknown> => {
      const page: ScanOutcome = await account.scan({
        table: 'Pets',
        range: {},
        filter,
        limit: 2000,
        bytesMax: 1 << 22,
        timeMsMax: 5000,
      });
      return page.kind === 'page' ? page.entities.length : page.kind;
    };
    expect(await seen()).toBe(manyEntities);
    await account.clearTable('Pets');
    expect(await seen()).toBe(0);
    await write(account, 'Pets', insertion(key, new Map([['Number', int(1)]])));
    expect(await seen()).toBe(1);
    await account.clear();
    expect(await seen()).toBe('tableMissing');
  });
}

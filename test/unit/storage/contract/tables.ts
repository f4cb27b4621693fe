import { expect, it } from 'vitest';
import { contentsOf, insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');
/** A number of entities that an engine would not reclaim in one step after their table was deleted. */
const manyEntities = 1200;

async function fill({ account }: Given, table: string): Promise<void> {
  for (let start = 0; start < manyEntities; start += 100) {
    const mutations = Array.from({ length: 100 }, (_, index) => insertion(keyOf('cats', String(start + index))));
    await account.apply(table, mutations);
  }
}

export function describeTables(given: () => Given): void {
  it('promise 8: a table is found by its name in any case, and returned as it was created', async () => {
    const { account } = given();
    const created = await account.createTable(tableNamed('MyPets'));
    if (created.kind !== 'created') throw new Error('the table is new');
    expect(created.table.name).toBe('MyPets');
    expect(await account.findTable('mypets')).toEqual({ kind: 'found', table: created.table });
    expect(await account.findTable('MYPETS')).toEqual({ kind: 'found', table: created.table });
    expect((await account.listTables({ limit: 5 })).tables).toEqual([created.table]);
    await write(account, 'MYPETS', insertion(key));
    expect(await account.get('mypets', key)).toMatchObject({ kind: 'found' });
    expect(await contentsOf(account, 'myPets')).toHaveLength(1);
  });

  it('promise 8: a name that differs only in case counts as existing', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    expect(await account.createTable(tableNamed('PETS'))).toEqual({ kind: 'exists' });
    expect((await account.listTables({ limit: 5 })).tables.map(({ name }) => name)).toEqual(['Pets']);
    expect(await account.deleteTable('pETS')).toEqual({ kind: 'deleted' });
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableMissing' });
  });

  it('promise 8: exactly one of several creations of a name in one turn succeeds', async () => {
    const { account } = given();
    const names = ['Pets', 'pets', 'PETS', 'Pets'].map(tableNamed);
    const outcomes = await Promise.all(names.map((name) => account.createTable(name)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['created', 'exists', 'exists', 'exists']);
  });

  it('promise 9: a deleted table is gone immediately, with its entities', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(key));
    await account.deleteTable('Pets');
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableMissing' });
    expect(await account.get('Pets', key)).toEqual({ kind: 'tableMissing' });
    expect(await account.apply('Pets', [insertion(key)])).toEqual({ kind: 'tableMissing' });
    expect(await account.listTables({ limit: 5 })).toEqual({ tables: [] });
    expect(await account.deleteTable('Pets')).toEqual({ kind: 'missing' });
  });

  it('promise 9: a new table of the same name is empty, before and after the old rows are reclaimed', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await fill(given(), 'Pets');
    await account.deleteTable('Pets');
    expect(await account.createTable(tableNamed('PETS'))).toMatchObject({ kind: 'created', table: { name: 'PETS' } });
    expect(await contentsOf(account, 'Pets')).toEqual([]);
    await write(account, 'Pets', insertion(key));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });

  it('promise 9: deleting a table does not change others', async () => {
    const { account } = given();
    for (const name of ['Pets', 'Plants']) {
      await account.createTable(tableNamed(name));
      await write(account, name, insertion(key));
    }
    const plants = await contentsOf(account, 'Plants');
    await account.deleteTable('Pets');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(await contentsOf(account, 'Plants')).toEqual(plants);
  });

  it('promise 9: accounts are separate', async () => {
    const { account, store } = given();
    const other = store.account('otheraccount');
    await account.createTable(tableNamed('Pets'));
    expect(await other.findTable('Pets')).toEqual({ kind: 'tableMissing' });
    await other.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(key));
    expect(await contentsOf(other, 'Pets')).toEqual([]);
    await other.deleteTable('Pets');
    expect(await contentsOf(account, 'Pets')).toHaveLength(1);
    expect(await store.account('otheraccount').findTable('Pets')).toEqual({ kind: 'tableMissing' });
  });
}

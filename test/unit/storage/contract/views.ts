import { expect, it } from 'vitest';
import { encodeProperties } from '../../../../src/model/properties.ts';
import type { AccountStore, AccountView } from '../../../../src/storage/store.ts';
import { contentsOf, insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import { int } from '../../query/filters.ts';
import type { Given } from './given.ts';

/** A number of entities that an engine neither copies nor reclaims in one step. */
const manyEntities = 1_200;
const pageEntities = 250;
const rowKeys = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at).padStart(6, '0'));

async function loadTable(account: AccountStore, name: string, value: number): Promise<void> {
  const load = await account.beginLoad();
  await load.addTable({ name: tableNamed(name), acl: `[${value}]` });
  const properties = encodeProperties(new Map([['Number', int(value)]]));
  await load.addEntities(
    name,
    rowKeys(manyEntities).map((rowKey) => ({ ...keyOf('p', rowKey), properties })),
  );
  expect(await load.finish()).toEqual({ kind: 'finished' });
}

/** Reads the row keys and properties of a table of a view. `between` runs after the first page. */
async function readView(view: AccountView, table: string, between = async () => {}): Promise<string[]> {
  const found: string[] = [];
  let from: ReturnType<typeof keyOf> | undefined;
  do {
    const page = await view.scan({
      table,
      range: from ? { from } : {},
      limit: pageEntities,
      bytesMax: 1e9,
      timeMsMax: 60_000,
    });
    found.push(...page.entities.map(({ rowKey, properties }) => `${rowKey} ${properties}`));
    if (!from) await between();
    from = page.next;
  } while (from);
  return found;
}

const before = rowKeys(manyEntities).map((rowKey) => `${rowKey} "Number":1`);

export function describeViews(given: () => Given): void {
  it('promise 17: a view has every table at one moment, whatever is changed afterwards', async () => {
    const { account } = given();
    for (const name of ['Pets', 'Plants']) await loadTable(account, name, 1);
    const view = await account.openView();
    expect(view.tables).toEqual([
      { name: 'Pets', acl: '[1]' },
      { name: 'Plants', acl: '[1]' },
    ]);
    const pets = await readView(view, 'pets', async () => {
      for (const rowKey of ['000000a', '999999']) await write(account, 'Pets', insertion(keyOf('p', rowKey)));
      await account.setTableAcl({ table: 'Pets', acl: '[2]' });
      await account.deleteTable('Plants');
      await account.createTable(tableNamed('Stones'));
    });
    expect(pets).toEqual(before);
    expect(await readView(view, 'Plants')).toEqual(before);
    await expect(readView(view, 'Stones')).rejects.toThrow('does not hold');
    await view.close();
    expect(await contentsOf(account, 'Pets', 5_000)).toHaveLength(manyEntities + 2);
    expect((await account.listTables({ limit: 5 })).tables.map(({ name }) => name)).toEqual(['Pets', 'Stones']);
  });

  it.each<[string, (account: AccountStore) => Promise<unknown>]>([
    ['clear', (account) => account.clear()],
    ['clearTable', (account) => account.clearTable('Pets')],
    ['a load', (account) => loadTable(account, 'PETS', 2)],
    ['a restore', (account) => account.restoreSnapshot({ name: 'base' })],
    ['the end of a snapshot', (account) => account.deleteSnapshot('base')],
  ])('promise 17: a view does not change through %s', async (_, change) => {
    const { account } = given();
    await loadTable(account, 'Pets', 2);
    await account.saveSnapshot({ name: 'base' });
    await loadTable(account, 'Pets', 1);
    const view = await account.openView();
    const read = await readView(view, 'Pets', async () => {
      await change(account);
      await account.createTable(tableNamed('Pets'));
      await write(account, 'Pets', insertion(keyOf('q', 'new')));
    });
    expect(read).toEqual(before);
    await view.close();
  });

  it('promise 17: views are independent, and release tables one by one', async () => {
    const { account } = given();
    await loadTable(account, 'Pets', 1);
    const [first, second] = [await account.openView(), await account.openView()];
    await write(account, 'Pets', insertion(keyOf('q', 'new')));
    const third = await account.openView();
    await first.close();
    await first.close();
    await write(account, 'Pets', insertion(keyOf('q', 'newer')));
    expect(await readView(second, 'Pets')).toEqual(before);
    expect(await readView(third, 'Pets')).toHaveLength(manyEntities + 1);
    await third.release('pets');
    await expect(readView(third, 'Pets')).rejects.toThrow('does not hold');
    await third.close();
    await second.close();
    expect(await contentsOf(account, 'Pets', 5_000)).toHaveLength(manyEntities + 2);
  });
}

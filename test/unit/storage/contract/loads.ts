import { expect, it } from 'vitest';
import { encodeProperties } from '../../../../src/model/properties.ts';
import { formatTicks } from '../../../../src/model/ticks.ts';
import type { AccountStore } from '../../../../src/storage/store.ts';
import type { LoadedEntity, TableLoad } from '../../../../src/storage/table-load.ts';
import { contentsOf, insertion, keyOf, tableNamed, ticksOf, write } from '../../../support/entities.ts';
import { comparison, int } from '../../query/filters.ts';
import type { Given } from './given.ts';

const entity = (rowKey: string, value: number): LoadedEntity => ({
  ...keyOf('p', rowKey),
  properties: encodeProperties(new Map([['Number', int(value)]])),
});

/** A number of entities that an engine neither reads in one slice nor reclaims in one step. */
const manyEntities = 1_500;
const entities = (count: number, value: number): LoadedEntity[] =>
  Array.from({ length: count }, (_, at) => entity(String(at).padStart(6, '0'), value));

async function loadOf(account: AccountStore, tables: Record<string, readonly LoadedEntity[]>): Promise<TableLoad> {
  const load = await account.beginLoad();
  for (const [name, list] of Object.entries(tables)) {
    expect(await load.addTable({ name: tableNamed(name) })).toEqual({ kind: 'added' });
    expect(await load.addEntities(name, list)).toEqual({ kind: 'added' });
  }
  return load;
}

const whole = { range: {}, limit: 5_000, bytesMax: 1e9, timeMsMax: 60_000 };

export function describeLoads(given: () => Given): void {
  it('promise 15: entities of a load are not visible before the load is finished', async () => {
    const { account } = given();
    const load = await loadOf(account, { Pets: [entity('a', 1)] });
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableMissing' });
    expect(await account.listTables({ limit: 5 })).toEqual({ tables: [] });
    expect(await load.finish()).toEqual({ kind: 'finished' });
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['a']);
  });

  it('promise 15: a load replaces tables of its names in any case, and keeps other tables', async () => {
    const { account } = given();
    for (const name of ['Pets', 'Plants']) {
      await account.createTable(tableNamed(name));
      await write(account, name, insertion(keyOf('old', 'one')));
    }
    await account.setTableAcl({ table: 'Pets', acl: '[1]' });
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('PETS'), acl: '[2]' });
    expect(await load.addTable({ name: tableNamed('pets') })).toEqual({ kind: 'duplicate' });
    await load.addEntities('PETS', [entity('b', 2), entity('a', 1)]);
    await load.finish();
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: '[2]' });
    expect(await account.findTable('pets')).toMatchObject({ table: { name: 'PETS' } });
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['a', 'b']);
    expect((await contentsOf(account, 'Plants')).map(({ rowKey }) => rowKey)).toEqual(['one']);
  });

  it('promise 15: an abandoned load leaves nothing, and does not change the table', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(keyOf('old', 'one')));
    const load = await loadOf(account, { Pets: entities(manyEntities, 1), Plants: [] });
    await load.abandon();
    await load.abandon();
    expect((await account.listTables({ limit: 5 })).tables.map(({ name }) => name)).toEqual(['Pets']);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['one']);
  });

  it('promise 15: a load replaces the account, and scans see the state before or after', async () => {
    const { account } = given();
    await (await loadOf(account, { Pets: entities(manyEntities, 1), Plants: entities(manyEntities, 1) })).finish();
    await account.updateServiceProperties(() => 'settings');
    const load = await loadOf(account, { Pets: entities(manyEntities, 2) });
    const filter = comparison('Number', 'ge', int(0));
    const reads = ['Pets', 'Plants'].map((table) => account.scan({ table, ...whole, filter }));
    expect(await load.finish({ replacesAccount: true })).toEqual({ kind: 'finished' });
    for (const page of await Promise.all(reads)) {
      if (page.kind !== 'page') expect(page).toEqual({ kind: 'tableMissing' });
      else expect(new Set(page.entities.map(({ properties }) => properties)).size).toBeLessThanOrEqual(1);
    }
    expect((await account.listTables({ limit: 5 })).tables.map(({ name }) => name)).toEqual(['Pets']);
    expect(await account.getServiceProperties()).toBeUndefined();
    expect(new Set((await contentsOf(account, 'Pets')).map(({ properties }) => properties))).toEqual(
      new Set(['"Number":2']),
    );
  });

  it('promise 15: an abandoned load also removes the account if it created that, and no other account', async () => {
    const { store } = given();
    const created = await loadOf(store.account('loaded1'), { Pets: entities(manyEntities, 1) });
    await created.abandon();
    expect(await store.exists('loaded1')).toBe(false);
    await (await loadOf(store.account('loaded1'), { Pets: [entity('a', 1)] })).finish();
    await (await loadOf(store.account('loaded1'), { Pets: [] })).abandon();
    expect(await contentsOf(store.account('loaded1'), 'Pets')).toHaveLength(1);
    const shared = await loadOf(store.account('loaded2'), { Pets: [] });
    await store.account('loaded2').createTable(tableNamed('Plants'));
    await shared.abandon();
    expect((await store.account('loaded2').listTables({ limit: 5 })).tables).toHaveLength(1);
  });

  it('promise 15: if several loads of a new account are abandoned, the last one removes the account', async () => {
    const { store } = given();
    const account = store.account('loaded3');
    const begun = await Promise.all([account.beginLoad(), account.beginLoad(), account.beginLoad()]);
    for (const load of begun) expect(await load.addTable({ name: tableNamed('Pets') })).toEqual({ kind: 'added' });
    for (const load of begun) await load.abandon();
    expect(await store.exists('loaded3')).toBe(false);
  });

  it('promise 15: the tables of a finished load stay when another load of the new account is abandoned', async () => {
    const { store } = given();
    const account = store.account('loaded4');
    const [first, second, third] = await Promise.all([account.beginLoad(), account.beginLoad(), account.beginLoad()]);
    for (const load of [first, second, third]) await load.addTable({ name: tableNamed('Pets') });
    await first.abandon();
    expect(await second.addEntities('Pets', [entity('a', 1)])).toEqual({ kind: 'added' });
    const [finished] = await Promise.all([second.finish(), third.abandon()]);
    expect(finished).toEqual({ kind: 'finished' });
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['a']);
  });

  it('promise 15: a load that is finished and abandoned together has all of its tables or none', async () => {
    const { account } = given();
    for (let round = 0; round < 6; round++) {
      const name = `Pets${round}`;
      const load = await loadOf(account, { [name]: entities(manyEntities, 1) });
      const isFirst = round % 2 === 0;
      const early = isFirst ? undefined : load.abandon();
      const finishing = load.finish();
      await Promise.allSettled([finishing, early ?? load.abandon()]);
      // These writes make the store reclaim rows that do not belong to a table.
      for (let write = 0; write < 5; write++) await account.updateServiceProperties(() => `settings ${write}`);
      const isInPlace = await finishing.then(
        () => true,
        () => false,
      );
      if (isInPlace) expect(await contentsOf(account, name)).toHaveLength(manyEntities);
      else expect(await account.findTable(name)).toEqual({ kind: 'tableMissing' });
    }
  });

  it('promise 15: a load that has ended accepts nothing more', async () => {
    const { account } = given();
    const abandoned = await loadOf(account, { Pets: [entity('a', 1)] });
    await abandoned.abandon();
    const finished = await loadOf(account, { Plants: [entity('a', 1)] });
    await finished.finish();
    for (const [load, table] of [
      [abandoned, 'Pets'],
      [finished, 'Plants'],
    ] as const) {
      await expect(load.addTable({ name: tableNamed('Other') })).rejects.toThrow('over');
      await expect(load.addEntities(table, [entity('b', 2)])).rejects.toThrow();
      await expect(load.finish()).rejects.toThrow('over');
    }
    expect((await account.listTables({ limit: 5 })).tables.map(({ name }) => name)).toEqual(['Plants']);
    expect(await contentsOf(account, 'Plants')).toHaveLength(1);
  });

  it('promise 15: a key that a table of the load already has is reported with its index', async () => {
    const load = await loadOf(given().account, { Pets: [entity('a', 1)] });
    expect(await load.addEntities('Pets', [entity('b', 2), entity('a', 3)])).toEqual({ kind: 'duplicate', at: 1 });
    await load.abandon();
  });

  it('promise 15: a scan sees a table before or after it is replaced, never both', async () => {
    const { account } = given();
    await (await loadOf(account, { Pets: entities(manyEntities, 1) })).finish();
    const load = await loadOf(account, { Pets: entities(manyEntities, 2) });
    const filter = comparison('Number', 'ge', int(0));
    const read = async (): Promise<Set<string>> => {
      const page = await account.scan({ table: 'Pets', ...whole, filter });
      if (page.kind !== 'page') throw new Error(`no page but ${page.kind}`);
      if (page.entities.length < manyEntities) expect(page.next).toBeDefined();
      return new Set(page.entities.map(({ properties }) => properties));
    };
    const reads = [read(), read(), load.finish().then(read), read()];
    for (const values of await Promise.all(reads)) expect(values.size).toBeLessThanOrEqual(1);
    expect(await read()).toEqual(new Set(['"Number":2']));
  });

  it('promise 15: other writes continue during a load, and later ones are kept', async () => {
    const { account } = given();
    const load = await loadOf(account, { Pets: entities(manyEntities, 1) });
    await account.createTable(tableNamed('Plants'));
    await write(account, 'Plants', insertion(keyOf('p', 'r')));
    await load.finish();
    await write(account, 'Pets', insertion(keyOf('p', 'z')));
    expect(await contentsOf(account, 'Pets')).toHaveLength(manyEntities + 1);
    expect(await contentsOf(account, 'Plants')).toHaveLength(1);
  });

  it('promises 5 and 15: a loaded timestamp stays, and later ones are later', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Plants'));
    const first = ticksOf(await write(account, 'Plants', insertion(keyOf('p', 'r'))));
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Pets') });
    const [past, future] = [first - 7n, first + 10_000_000_000n];
    await load.addEntities('Pets', [
      { ...entity('a', 1), ticks: past },
      { ...entity('b', 1), ticks: future },
    ]);
    await load.finish();
    const stamps = (await contentsOf(account, 'Pets')).map(({ timestamp }) => timestamp);
    expect(stamps).toEqual([formatTicks(past), formatTicks(future)]);
    const later = await write(account, 'Pets', insertion(keyOf('p', 'c')));
    expect(ticksOf(later)).toBeGreaterThan(future);
  });
}

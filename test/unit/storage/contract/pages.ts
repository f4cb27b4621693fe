import { expect, it } from 'vitest';
import { contentsOf, insertion, keyOf, tableNamed, texts, write } from '../../../support/entities.ts';
import type { Given } from './given.ts';

const plenty = 1 << 22;
const rowKeys = Array.from({ length: 10 }, (_, index) => `row${index}`);

/** Makes ten entities in two partitions, in the order of their keys. Each has 100 characters of properties. */
async function givenTenEntities({ account }: Given): Promise<void> {
  await account.createTable(tableNamed('Pets'));
  const value = 'x'.repeat(100 - '"Value":""'.length);
  const keys = rowKeys.map((rowKey, index) => keyOf(index < 4 ? 'cats' : 'dogs', rowKey));
  await account.apply(
    'Pets',
    keys.toReversed().map((key) => insertion(key, texts({ Value: value }))),
  );
}

export function describePages(given: () => Given): void {
  it.each([1, 2, 3, 9, 10, 11])('promise 7: pages of %i cover the whole table in key order', async (limit) => {
    await givenTenEntities(given());
    const contents = await contentsOf(given().account, 'Pets', limit);
    expect(contents.map(({ rowKey }) => rowKey)).toEqual(rowKeys);
  });

  it('promise 7: a page has no more entities than its limit, and next is the first omitted key', async () => {
    await givenTenEntities(given());
    const outcome = await given().account.scan({
      table: 'Pets',
      range: {},
      limit: 4,
      bytesMax: plenty,
      timeMsMax: 5000,
    });
    expect(outcome).toMatchObject({ kind: 'page', next: keyOf('dogs', 'row4') });
    expect(outcome.kind === 'page' && outcome.entities.map(({ rowKey }) => rowKey)).toEqual(rowKeys.slice(0, 4));
  });

  it.each([
    [1000, 10],
    [999, 9],
    [250, 2],
    [100, 1],
    [99, 1],
    [1, 1],
  ])('promise 7: a page of at most %i bytes has %i entities of 100 bytes', async (bytesMax, count) => {
    await givenTenEntities(given());
    const outcome = await given().account.scan({ table: 'Pets', range: {}, limit: 1000, bytesMax, timeMsMax: 5000 });
    if (outcome.kind !== 'page') throw new Error('the table is there');
    expect(outcome.entities).toHaveLength(count);
    expect(outcome.next?.rowKey).toBe(rowKeys[count]);
  });

  it('promise 7: next is absent at the end, even if the last page is full', async () => {
    await givenTenEntities(given());
    const { account } = given();
    const full = await account.scan({ table: 'Pets', range: {}, limit: 10, bytesMax: 1000, timeMsMax: 5000 });
    expect(full).not.toHaveProperty('next');
    await account.createTable(tableNamed('Empty'));
    const empty = await account.scan({ table: 'Empty', range: {}, limit: 10, bytesMax: plenty, timeMsMax: 5000 });
    expect(empty).toEqual({ kind: 'page', entities: [], visited: 0, end: 'range' });
  });

  it('promise 7: a range begins at its first key, or at the next one if that is missing', async () => {
    await givenTenEntities(given());
    const firstFrom = async (partitionKey: string, rowKey: string): Promise<string | undefined> => {
      const range = { from: keyOf(partitionKey, rowKey) };
      const outcome = await given().account.scan({ table: 'Pets', range, limit: 1, bytesMax: plenty, timeMsMax: 5000 });
      return outcome.kind === 'page' ? outcome.entities[0]?.rowKey : undefined;
    };
    expect(await firstFrom('', '')).toBe('row0');
    expect(await firstFrom('cats', 'row2')).toBe('row2');
    expect(await firstFrom('cats', 'row2a')).toBe('row3');
    expect(await firstFrom('cats', 'zzz')).toBe('row4');
    expect(await firstFrom('cow', 'row9')).toBe('row4');
    expect(await firstFrom('dogs', '')).toBe('row4');
    expect(await firstFrom('dogs', 'zzz')).toBeUndefined();
    expect(await firstFrom('eels', '')).toBeUndefined();
  });

  it('promise 7: a page continues after its first key if that was deleted', async () => {
    await givenTenEntities(given());
    const { account } = given();
    const first = await account.scan({ table: 'Pets', range: {}, limit: 5, bytesMax: plenty, timeMsMax: 5000 });
    if (first.kind !== 'page' || !first.next) throw new Error('there is more');
    await write(account, 'Pets', { kind: 'delete', ...first.next, ifMatch: { kind: 'any' } });
    const second = await account.scan({
      table: 'Pets',
      range: { from: first.next },
      limit: 5,
      bytesMax: plenty,
      timeMsMax: 5000,
    });
    expect(second.kind === 'page' && second.entities.map(({ rowKey }) => rowKey)).toEqual(rowKeys.slice(6));
  });

  it('promise 7: a scan sees no other table', async () => {
    await givenTenEntities(given());
    const { account } = given();
    await account.createTable(tableNamed('Plants'));
    await write(account, 'Plants', insertion(keyOf('trees', 'oak')));
    expect(await contentsOf(account, 'Pets')).toHaveLength(10);
    expect(await contentsOf(account, 'Plants')).toHaveLength(1);
  });

  it('promise 7: tables are ordered by lookup name, in pages with the first omitted one as next', async () => {
    const { account } = given();
    for (const name of ['beta', 'Alpha', 'alpha2', 'Gamma', 'BETA2']) await account.createTable(tableNamed(name));
    const all = ['Alpha', 'alpha2', 'beta', 'BETA2', 'Gamma'];
    const first = await account.listTables({ limit: 2 });
    expect(first.tables.map(({ name }) => name)).toEqual(all.slice(0, 2));
    expect(await account.findTable('beta')).toEqual({ kind: 'found', table: first.next });
    const rest = await account.listTables({ from: 'beta', limit: 3 });
    expect(rest.tables.map(({ name }) => name)).toEqual(all.slice(2));
    expect(rest).not.toHaveProperty('next');
    const between = await account.listTables({ from: 'betaa', limit: 5 });
    expect(between.tables.map(({ name }) => name)).toEqual(['Gamma']);
    expect(await account.listTables({ from: 'zzz', limit: 5 })).toEqual({ tables: [] });
  });
}

import { expect, it } from 'vitest';
import {
  anyState,
  contentsOf,
  entitiesOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  write,
} from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');

/** Tests the promises of a store with data that remains when its process ends. */
export function describeReopening(given: () => Given): void {
  it('promise 1: acknowledged data is unchanged after a reopen', async () => {
    const { account, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    await account.createTable(tableNamed('Gone'));
    await write(account, 'Pets', insertion(key, texts({ Colour: 'grey' })));
    await write(account, 'Pets', insertion(keyOf('cats', 'felix')));
    await write(account, 'Pets', { kind: 'delete', ...keyOf('cats', 'felix'), ifMatch: anyState });
    await account.deleteTable('Gone');
    const before = await contentsOf(account, 'Pets');
    const tables = await account.listTables({ limit: 10 });

    const reopened = await reopen();
    expect(await contentsOf(reopened, 'Pets')).toEqual(before);
    expect(await reopened.listTables({ limit: 10 })).toEqual(tables);
    expect(before.map(({ rowKey }) => rowKey)).toEqual(['tom']);
    expect(tables.tables.map(({ name }) => name)).toEqual(['Pets']);
  });

  it('promise 1: policies and settings are unchanged after a reopen', async () => {
    const { account, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    await account.setTableAcl({ table: 'Pets', acl: '[1]' });
    await account.updateServiceProperties(() => '{"a":1}');
    const reopened = await reopen();
    expect(await reopened.getTableAcl('Pets')).toEqual({ kind: 'found', acl: '[1]' });
    expect(await reopened.getServiceProperties()).toBe('{"a":1}');
  });

  it('promise 1: writes in progress when the store closes are kept', async () => {
    const { account, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    const underWay = Array.from({ length: 50 }, (_, index) =>
      account.apply('Pets', [insertion(keyOf('cats', String(index)))]),
    );
    const reopened = await reopen();
    for (const outcome of await Promise.all(underWay)) expect(outcome.kind).toBe('applied');
    expect(await contentsOf(reopened, 'Pets')).toHaveLength(50);
  });

  it('promise 1: a cleared account or table is empty after a reopen', async () => {
    const { account, reopen } = given();
    for (const name of ['Pets', 'Plants']) await account.createTable(tableNamed(name));
    for (const name of ['Pets', 'Plants']) await write(account, name, insertion(key));
    await account.updateServiceProperties(() => '{"a":1}');
    await account.clearTable('Pets');
    const halfWay = await reopen();
    expect([await contentsOf(halfWay, 'Pets'), (await contentsOf(halfWay, 'Plants')).length]).toEqual([[], 1]);
    await halfWay.clear();
    const reopened = await reopen();
    expect(await reopened.listTables({ limit: 10 })).toEqual({ tables: [] });
    expect(await reopened.getServiceProperties()).toBeUndefined();
    await reopened.createTable(tableNamed('Pets'));
    expect(await contentsOf(reopened, 'Pets')).toEqual([]);
  });

  it('promise 5: timestamps increase across a clearing and a reopen', async () => {
    const { account, time, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    const before = await write(account, 'Pets', insertion(key));
    await account.clear();
    time.stepDate(-3_600_000);
    const reopened = await reopen();
    await reopened.createTable(tableNamed('Pets'));
    expect(ticksOf(await write(reopened, 'Pets', insertion(key)))).toBeGreaterThan(ticksOf(before));
  });

  it('promise 3: a refused apply has left nothing after a reopen', async () => {
    const { account, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(key));
    await account.apply('Pets', [insertion(keyOf('cats', 'felix')), insertion(key)]);
    expect((await contentsOf(await reopen(), 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });

  it('promise 5: timestamps increase across a reopen with a clock that stepped back', async () => {
    const { account, time, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    const before = await write(account, 'Pets', insertion(key));
    time.stepDate(-3_600_000);
    const after = await write(await reopen(), 'Pets', insertion(keyOf('cats', 'felix')));
    expect(ticksOf(after)).toBeGreaterThan(ticksOf(before));
  });

  it('promise 5: timestamps increase across a reopen after a deletion', async () => {
    const { account, time, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    time.advance(1000);
    await write(account, 'Pets', insertion(key));
    const [deleted] = entitiesOf(await account.apply('Pets', [{ kind: 'delete', ...key, ifMatch: anyState }]));
    time.stepDate(-500);
    const after = await write(await reopen(), 'Pets', insertion(key));
    expect(ticksOf(after)).toBeGreaterThan(ticksOf(deleted?.timestamp ?? ''));
  });

  it('promise 9: a table deleted and created again before a reopen has only new entities after it', async () => {
    const { account, reopen } = given();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(keyOf('cats', 'old')));
    await account.deleteTable('Pets');
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(key));
    const reopened = await reopen();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect((await contentsOf(reopened, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });
}

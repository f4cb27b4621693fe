import { expect, it } from 'vitest';
import { anyState, contentsOf, insertion, keyOf, tableNamed, write } from '../../../support/entities.ts';
import type { Given } from './given.ts';

export function describeDurability(given: () => Given): void {
  it('promise 1: acknowledged entities exist, and deleted ones do not', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await account.createTable(tableNamed('Gone'));
    const tom = await write(account, 'Pets', insertion(keyOf('cats', 'tom')));
    await write(account, 'Pets', insertion(keyOf('cats', 'felix')));
    await write(account, 'Pets', { kind: 'delete', ...keyOf('cats', 'felix'), ifMatch: anyState });
    await account.deleteTable('Gone');
    expect(await contentsOf(account, 'Pets')).toMatchObject([{ rowKey: 'tom', timestamp: tom }]);
    expect((await account.listTables({ limit: 10 })).tables).toMatchObject([{ name: 'Pets' }]);
  });

  it('promise 1: writes in progress when the store closes are answered like all others', async () => {
    const { account, store } = given();
    await account.createTable(tableNamed('Pets'));
    const underWay = Array.from({ length: 50 }, (_, index) =>
      account.apply('Pets', [insertion(keyOf('cats', String(index)))]),
    );
    const closing = store.close();
    for (const outcome of await Promise.all(underWay)) expect(outcome.kind).toBe('applied');
    await closing;
  });

  it('promise 4: a write after the store was closed rejects', async () => {
    const { account, store } = given();
    await account.createTable(tableNamed('Pets'));
    await store.close();
    await expect(account.apply('Pets', [insertion(keyOf('cats', 'tom'))])).rejects.toThrow();
    await expect(account.createTable(tableNamed('Plants'))).rejects.toThrow();
    await expect(account.deleteTable('Pets')).rejects.toThrow();
  });

  it('promise 6: a read after the store was closed rejects', async () => {
    const { account, store } = given();
    await account.createTable(tableNamed('Pets'));
    await store.close();
    await expect(account.get('Pets', keyOf('cats', 'tom'))).rejects.toThrow();
    await expect(account.scan({ table: 'Pets', range: {}, limit: 1, bytesMax: 1, timeMsMax: 5000 })).rejects.toThrow();
    await expect(account.listTables({ limit: 1 })).rejects.toThrow();
  });
}

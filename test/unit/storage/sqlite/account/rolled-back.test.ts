// A transaction that was rolled back leaves nothing in the memory of an account.

import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import type { LoadedEntity } from '../../../../../src/storage/table-load.ts';
import { contentsOf, insertion, keyOf, tableNamed, ticksOf, write } from '../../../../support/entities.ts';
import { ManualTime } from '../../../../support/manual-time.ts';
import { openSpoilable } from '../spoilable-database.ts';

const entity = (rowKey: string): LoadedEntity => ({ ...keyOf('p', rowKey), properties: '' });

describe('a transaction that is rolled back', () => {
  let time: ManualTime;
  let database: Database;
  let account: SqliteAccountStore;

  beforeEach(async () => {
    time = new ManualTime();
    database = openSpoilable();
    // With this clock no slice ends, so all jobs of a turn share a transaction.
    account = new SqliteAccountStore(database, { modelTime: time, machineTime: time, tableDeleteDelayMs: 1000 });
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(keyOf('old', 'one')));
  });
  afterEach(() => account.close());

  /** Runs work in a transaction with a COMMIT that fails. */
  async function rollBack(work: () => Promise<unknown>): Promise<void> {
    const spoil = account.updateServiceProperties((current = '') => {
      database.exec('INSERT INTO orphans VALUES (1)');
      return current;
    });
    const outcomes = await Promise.allSettled([spoil, work()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  }

  const rowsOf = async (table: string): Promise<string[]> =>
    (await contentsOf(account, table)).map(({ rowKey }) => rowKey);

  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('leaves a load without the table that it was adding; rows of the next load belong to that load', async () => {
    const [first, second] = [await account.beginLoad(), await account.beginLoad()];
    await rollBack(() => first.addTable({ name: tableNamed('Pets') }));
    await second.addTable({ name: tableNamed('Plants') });
    await second.addEntities('Plants', [entity('a')]);
    await expect(first.addEntities('Pets', [entity('b')])).rejects.toThrow('no table');
    expect(await first.finish()).toEqual({ kind: 'finished' });
    expect(await rowsOf('Pets')).toEqual(['one']);
    expect(await second.finish()).toEqual({ kind: 'finished' });
    expect(await rowsOf('Plants')).toEqual(['a']);
  });

  it('lets a load add the table again', async () => {
    const load = await account.beginLoad();
    await rollBack(() => load.addTable({ name: tableNamed('Pets') }));
    expect(await load.addTable({ name: tableNamed('Pets') })).toEqual({ kind: 'added' });
    expect(await load.addEntities('Pets', [entity('a')])).toEqual({ kind: 'added' });
    await rollBack(() => load.addEntities('Pets', [entity('b')]));
    await rollBack(() => load.finish());
    expect(await rowsOf('Pets')).toEqual(['one']);
    expect(await load.finish()).toEqual({ kind: 'finished' });
    expect(await rowsOf('Pets')).toEqual(['a']);
  });

  it('does not make the rows of another load reclaimable when the load ends', async () => {
    const [first, second] = [await account.beginLoad(), await account.beginLoad()];
    await rollBack(() => first.addTable({ name: tableNamed('Pets') }));
    await second.addTable({ name: tableNamed('Plants') });
    await second.addEntities('Plants', [entity('a')]);
    await first.abandon();
    await turns(10);
    await second.finish();
    expect(await rowsOf('Plants')).toEqual(['a']);
  });

  it('leaves nothing of a load that is abandoned while its tables are put in place', async () => {
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Pets') });
    await rollBack(() => Promise.all([load.finish(), load.abandon()]));
    await turns(10);
    expect(await rowsOf('Pets')).toEqual(['one']);
    expect(account.isIdle).toBe(true);
  });

  it('does not change timestamps', async () => {
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Plants') });
    const future = ticksOf(await write(account, 'Pets', insertion(keyOf('old', 'two')))) + 10_000_000_000n;
    await rollBack(() => load.addEntities('Plants', [{ ...entity('a'), ticks: future }]));
    expect(ticksOf(await write(account, 'Pets', insertion(keyOf('old', 'three'))))).toBeLessThan(future);
    await load.abandon();
  });

  it('leaves the name of a table that it deleted usable, and names that it freed still blocked', async () => {
    await rollBack(() => account.deleteTable('Pets'));
    await turns(10);
    expect(account.isIdle).toBe(true);
    await account.createTable(tableNamed('Plants'));
    await account.deleteTable('Plants');
    await rollBack(() => Promise.all([account.deleteTable('Pets'), account.clear()]));
    expect(await account.createTable(tableNamed('Plants'))).toEqual({ kind: 'tableBeingDeleted' });
    expect(await rowsOf('Pets')).toEqual(['one']);
    time.advance(1000);
    expect(await account.createTable(tableNamed('Plants'))).toMatchObject({ kind: 'created' });
  });

  it('leaves tables, policies, settings and snapshots unchanged, also for later reads', async () => {
    await account.setTableAcl({ table: 'Pets', acl: '[1]' });
    await account.updateServiceProperties(() => 'old');
    await account.saveSnapshot({ name: 'base' });
    await write(account, 'Pets', insertion(keyOf('old', 'two')));
    for (const work of [
      () => account.createTable(tableNamed('Plants')),
      () => account.setTableAcl({ table: 'Pets', acl: '[2]' }),
      () => account.updateServiceProperties(() => 'new'),
      () => account.clearTable('Pets'),
      () => account.restoreSnapshot({ name: 'base' }),
      () => account.restoreSnapshot({ name: 'base', table: 'Pets' }),
      () => account.deleteSnapshot('base'),
      () => account.saveSnapshot({ name: 'base' }),
      () => account.saveSnapshot({ name: 'other', table: 'Pets' }),
    ]) {
      await rollBack(work);
      expect(await rowsOf('Pets')).toEqual(['one', 'two']);
      expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: '[1]' });
      expect(await account.getServiceProperties()).toBe('old');
      expect((await account.listSnapshots()).map(({ name }) => name)).toEqual(['base']);
      expect((await account.listTables({ limit: 9 })).tables.map(({ name }) => name)).toEqual(['Pets']);
    }
    expect(await account.restoreSnapshot({ name: 'base' })).toMatchObject({ kind: 'restored' });
    expect(await rowsOf('Pets')).toEqual(['one']);
  });
});

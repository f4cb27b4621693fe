import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { insertion, keyOf, tableNamed } from '../../../../support/entities.ts';
import { ManualTime } from '../../../../support/manual-time.ts';
import { openSpoilable } from '../spoilable-database.ts';

const key = keyOf('cats', 'tom');
const delayMs = 30_000;

describe('the name of a deleted table, in an engine opened with a delay', () => {
  let time: ManualTime;
  let account: SqliteAccountStore;

  beforeEach(async () => {
    time = new ManualTime();
    account = new SqliteAccountStore(openSpoilable(), {
      modelTime: time,
      machineTime: time,
      tableDeleteDelayMs: delayMs,
    });
    await account.createTable(tableNamed('Pets'));
  });
  afterEach(() => account.close());

  it('promise 9: returns tableBeingDeleted in any case, from every operation on the table', async () => {
    await account.deleteTable('Pets');
    for (const name of ['Pets', 'PETS']) {
      expect(await account.createTable(tableNamed(name))).toEqual({ kind: 'tableBeingDeleted' });
      expect(await account.apply(name, [insertion(key)])).toEqual({ kind: 'tableBeingDeleted' });
      expect(await account.get(name, key)).toEqual({ kind: 'tableBeingDeleted' });
      const scan = { range: {}, limit: 1, bytesMax: 1, timeMsMax: 5000 };
      expect(await account.scan({ table: name, ...scan })).toEqual({ kind: 'tableBeingDeleted' });
    }
    expect(await account.get('Plants', key)).toEqual({ kind: 'tableMissing' });
  });

  it('promise 9: is not listed and not found, and a second deletion returns missing', async () => {
    await account.deleteTable('Pets');
    expect(await account.listTables({ limit: 5 })).toEqual({ tables: [] });
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableBeingDeleted' });
    expect(await account.deleteTable('Pets')).toEqual({ kind: 'missing' });
  });

  it('promise 9: is free after the delay, and not a millisecond before', async () => {
    await account.deleteTable('Pets');
    time.advance(delayMs - 1);
    expect(await account.createTable(tableNamed('Pets'))).toEqual({ kind: 'tableBeingDeleted' });
    time.advance(1);
    expect(await account.get('Pets', key)).toEqual({ kind: 'tableMissing' });
    expect(await account.createTable(tableNamed('Pets'))).toMatchObject({ kind: 'created' });
    expect(await account.get('Pets', key)).toEqual({ kind: 'missing' });
  });

  it('promise 9: is free after the delay, even if the clock was set back', async () => {
    await account.deleteTable('Pets');
    time.stepDate(-3_600_000);
    time.advance(delayMs);
    expect(await account.createTable(tableNamed('Pets'))).toMatchObject({ kind: 'created' });
  });

  it('promise 9: is not yet free in the turn of the deletion', async () => {
    const outcomes = await Promise.all([account.deleteTable('Pets'), account.createTable(tableNamed('Pets'))]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['deleted', 'tableBeingDeleted']);
  });

  it('promise 9: is free when the account is cleared, even in the turn of the clearing', async () => {
    await account.deleteTable('Pets');
    const [, created] = await Promise.all([account.clear(), account.createTable(tableNamed('Pets'))]);
    expect(created).toMatchObject({ kind: 'created' });
    await account.deleteTable('Pets');
    expect(await account.clearTable('Pets')).toEqual({ kind: 'tableBeingDeleted' });
    await account.clear();
    expect(await account.get('Pets', key)).toEqual({ kind: 'tableMissing' });
  });

  it('promise 3: is not free after a clearing that was rolled back with its transaction', async () => {
    await account.createTable(tableNamed('Plants'));
    await account.deleteTable('Pets');
    const spoiled = insertion(keyOf('spoiled', 'row'));
    const outcomes = await Promise.allSettled([account.apply('Plants', [spoiled]), account.clear()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await account.createTable(tableNamed('Pets'))).toEqual({ kind: 'tableBeingDeleted' });
    expect(await account.findTable('Plants')).toMatchObject({ kind: 'found' });
  });

  it('promise 3: still names the table if the deletion was rolled back with its transaction', async () => {
    const spoiled = insertion(keyOf('spoiled', 'row'));
    await Promise.allSettled([account.apply('Pets', [spoiled]), account.deleteTable('Pets')]);
    expect(await account.createTable(tableNamed('Pets'))).toEqual({ kind: 'exists' });
    expect(await account.get('Pets', key)).toEqual({ kind: 'missing' });
  });
});

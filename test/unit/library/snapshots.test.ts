import { TableClient } from '@azure/data-tables';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { restoreBeforeEach, useEmulator } from '../../../src/library/vitest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pets = (connectionString: string): TableClient =>
  TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });
const rex = { partitionKey: 'dog', rowKey: 'rex' };
const tim = { partitionKey: 'dog', rowKey: 'tim' };

async function keysOf(client: TableClient): Promise<unknown[]> {
  const keys: unknown[] = [];
  for await (const { rowKey } of client.listEntities()) keys.push(rowKey);
  return keys;
}

describe('snapshots of the library', () => {
  const emulator = useEmulator();
  beforeEach(() => emulator.reset());

  it('are saved, restored, listed and deleted', async () => {
    const client = pets(emulator.connectionString);
    await client.createTable();
    await client.createEntity(rex);
    const { etag } = await client.getEntity('dog', 'rex');
    const saved = await emulator.snapshot('base');
    const name = 'devstoreaccount1';
    expect(saved).toEqual({ account: name, name: 'base', savedAt: expect.stringMatching(/Z$/), tables: 1 });
    const one = await emulator.snapshot('../one', { table: 'PETS' });
    expect(one).toMatchObject({ tables: 1, table: 'pets' });
    await client.createEntity(tim);
    await client.deleteEntity('dog', 'rex');
    expect(await emulator.restore('base')).toEqual(saved);
    expect(await keysOf(client)).toEqual(['rex']);
    expect((await client.getEntity('dog', 'rex')).etag).toBe(etag);
    await client.deleteTable();
    await emulator.restore('base', { table: 'pets' });
    expect(await keysOf(client)).toEqual(['rex']);
    expect(await emulator.snapshots()).toEqual([one, saved]);
    for (const { name } of [one, saved]) expect(await emulator.deleteSnapshot(name)).toBeUndefined();
    expect(await emulator.snapshots()).toEqual([]);
  });

  it('belong to one account, and leave others unchanged', async () => {
    const account = emulator.account();
    const [mine, first] = [pets(account.connectionString), pets(emulator.connectionString)];
    for (const client of [mine, first]) await client.createTable();
    expect(await emulator.snapshot('base', { account: account.name })).toMatchObject({ account: account.name });
    for (const client of [mine, first]) await client.createEntity(rex);
    await emulator.restore('base', { account: account.name });
    expect([await keysOf(mine), await keysOf(first)]).toEqual([[], ['rex']]);
    expect(await emulator.snapshots()).toEqual([]);
    await emulator.deleteSnapshot('base', { account: account.name });
    expect(await emulator.snapshots({ account: account.name })).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['AccountNotFound', () => emulator.snapshot('base', { account: 'nobody' })],
    ['AccountNotFound', () => emulator.snapshots({ account: 'nobody' })],
    ['TableNotFound', () => emulator.snapshot('base', { table: 'nothing' })],
    ['SnapshotNotFound', () => emulator.restore('missing')],
    ['SnapshotNotFound', () => emulator.deleteSnapshot('missing')],
    ['InvalidInput', () => emulator.snapshot('')],
    ['InvalidInput', () => emulator.snapshot('a\nb')],
    ['InvalidInput', () => emulator.restore('x'.repeat(129))],
    ['InvalidInput', () => emulator.deleteSnapshot('..')],
  ])('reject with %s for a missing account, table or snapshot, or an invalid name: %s', async (code, call) => {
    await expect(call()).rejects.toMatchObject({ code });
  });

  it('reject with TableNotFound for a table that is not in the snapshot, and change nothing', async () => {
    await emulator.snapshot('empty');
    const client = pets(emulator.connectionString);
    await client.createTable();
    await expect(emulator.restore('empty', { table: 'pets' })).rejects.toMatchObject({ code: 'TableNotFound' });
    expect(await keysOf(client)).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['snapshot: the name must be a string', () => emulator.snapshot(5 as never)],
    ['restore: the name must be a string', () => emulator.restore(undefined as never)],
    [
      'restore: there is no member tabel; the members are account, table',
      () => emulator.restore('b', { tabel: 'x' } as never),
    ],
    ['snapshot: table must be a name', () => emulator.snapshot('b', { table: '' })],
    ['snapshots: there is no member table; the members are account', () => emulator.snapshots({ table: 'x' } as never)],
    [
      'deleteSnapshot: there is no member table; the members are account',
      () => emulator.deleteSnapshot('b', { table: 'x' } as never),
    ],
  ])('throw TypeError: %s', async (message, call) => {
    await expect(call()).rejects.toThrow(new TypeError(message));
  });

  it('are on disk if there is a location, and still exist after the emulator has closed', async () => {
    const folder = temporaryFolder();
    const first = await startEmulator({ location: folder.path });
    await pets(first.connectionString).createTable();
    await pets(first.connectionString).createEntity(rex);
    await first.snapshot('base');
    await pets(first.connectionString).deleteTable();
    await first.close();
    await expect(first.snapshot('base')).rejects.toThrow('the emulator is closed');
    const second = await startEmulator({ location: folder.path });
    await second.restore('base');
    expect(await keysOf(pets(second.connectionString))).toEqual(['rex']);
    await second.close();
    folder.remove();
  });
});

describe('restoreBeforeEach of Vitest', () => {
  const emulator = useEmulator();
  let prepared = 0;
  restoreBeforeEach(emulator, 'base', async () => {
    prepared += 1;
    await pets(emulator.connectionString).createTable();
    await pets(emulator.connectionString).createEntity(rex);
  });
  afterAll(() => expect(prepared).toBe(1));

  it.each([1, 2])('begins each test with the data that was prepared once: test %i', async () => {
    const client = pets(emulator.connectionString);
    expect(await keysOf(client)).toEqual(['rex']);
    await client.deleteEntity('dog', 'rex');
    await client.createEntity(tim);
  });

  describe('in a block inside a block', () => {
    restoreBeforeEach(emulator, 'two pets', () => pets(emulator.connectionString).createEntity(tim));

    it.each([1, 2])('begins with the data that both blocks prepared: test %i', async () => {
      expect(await keysOf(pets(emulator.connectionString))).toEqual(['rex', 'tim']);
      await pets(emulator.connectionString).deleteTable();
    });
  });
});

describe('restoreBeforeEach without useEmulator', async () => {
  const emulator = await startEmulator();
  afterAll(() => emulator.close());
  restoreBeforeEach(emulator, 'base', () => pets(emulator.connectionString).createTable());

  it.each([1, 2])('resets clock and faults after each test: test %i', async () => {
    expect(emulator.clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 });
    expect(await emulator.faults.list()).toEqual([]);
    await emulator.clock.freeze();
    await emulator.faults.add({ fault: { kind: 'error', code: 'ServerBusy' } });
  });
});

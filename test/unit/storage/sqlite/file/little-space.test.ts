// Tests a disk on which little space is free while an account is written. However the writes fill the disk, deletions
// must make room again: a checkpoint must not use up the reserve.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../../../../src/index.ts';
import { DiskRequests, large, patience } from '../../../../support/disk-requests.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../../../../support/small-disk.ts';
import { startBuiltCommand } from '../../../../support/start-built-command.ts';
import { developmentKey } from '../../../../support/table-client.ts';

describe.skipIf(!canMountDisks('a disk with little space'))('a disk with little space', () => {
  let disk: SmallDisk;
  let emulator: Emulator | undefined;

  const mount = (megabytes = 32): void => {
    disk = mountSmallDisk(megabytes) as SmallDisk;
  };
  const location = (): string => join(disk.path, 'data');
  const start = async (): Promise<DiskRequests> => {
    emulator = await startEmulator({ location: location() });
    return new DiskRequests(emulator.url);
  };
  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
    disk.remove();
  });

  /** Expects room for each of these accounts after all of them have deleted what they stored. */
  const expectRoomAfterDeletions = async (...accounts: DiskRequests[]): Promise<void> => {
    for (const requests of accounts) {
      expect([await requests.remove('big', 0), await requests.deleteTable('big')]).toEqual([204, 204]);
    }
    for (const requests of accounts) {
      await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
      expect([await requests.createTable('next'), await requests.insert('next', 0, large)]).toEqual([201, 201]);
    }
  };

  const writers = [
    { free: 4, clients: 1 },
    { free: 5, clients: 6 },
    { free: 14, clients: 6 },
  ];
  it.each(writers)(
    'frees space again after inserts of $clients clients filled the last $free MiB',
    async ({ free, clients }) => {
      mount();
      const requests = await start();
      expect([await requests.createTable('big'), await requests.insert('big', 0)]).toEqual([201, 201]);
      disk.fillUpTo(free);
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let row = client + 1; (await requests.insert('big', row, large)) === 201; ) row += clients;
        }),
      );
      await expectRoomAfterDeletions(requests);
    },
  );

  /** Fills the last megabytes with batches, so that the WAL may need more space than a reserve has. */
  const fillWithBatches = async (requests: DiskRequests, free: number): Promise<void> => {
    expect([await requests.createTable('big'), await requests.insert('big', 0)]).toEqual([201, 201]);
    disk.fillUpTo(free);
    for (let row = 1; (await requests.insertMany('big', row)) === 202; ) row += 1;
  };
  const lastMegabytes = [4, 5, 6, 7, 8, 9];

  it.each(lastMegabytes)('frees space again after batches filled the last %d MiB', async (free) => {
    mount();
    const requests = await start();
    await fillWithBatches(requests, free);
    await expectRoomAfterDeletions(requests);
  });

  it.each(lastMegabytes)('frees space again after a restart, if batches filled the last %d MiB', async (free) => {
    mount();
    await fillWithBatches(await start(), free);
    await emulator?.close();
    await expectRoomAfterDeletions(await start());
  });

  it('accepts all deletions of older rows after a batch was refused', async () => {
    mount();
    const before = await start();
    await before.createTable('old');
    for (let row = 0; row < 24; row++) expect(await before.insert('old', row, large)).toBe(201);
    await emulator?.close();
    const requests = await start();
    await fillWithBatches(requests, 4);
    for (let row = 0; row < 24; row++) expect(await requests.remove('old', row)).toBe(204);
    await expectRoomAfterDeletions(requests);
  });

  const startAccounts = async (...names: string[]): Promise<DiskRequests[]> => {
    const accounts = names.map((name) => ({ name, keys: [developmentKey] }));
    emulator = await startEmulator({ location: location(), accounts });
    const { origin } = new URL(emulator.url);
    return names.map((name) => new DiskRequests(origin, undefined, name));
  };

  /** Starts with accounts of these names, each with a table of one row. */
  const startWith = async (...names: string[]): Promise<DiskRequests[]> => {
    const all = await startAccounts(...names);
    await Promise.all(all.map((requests) => requests.createTable('big')));
    await Promise.all(all.map((requests) => requests.insert('big', 0)));
    return all;
  };

  it('frees space again after less than 2 MiB were deleted, all that an account has', async () => {
    mount();
    const [small, other] = (await startWith('small', 'other')) as [DiskRequests, DiskRequests];
    for (let row = 1; row <= 5; row++) expect(await small.insert('big', row, large)).toBe(201);
    disk.fillUpTo(6);
    for (let row = 1; (await other.insert('big', row, large)) === 201; ) row += 1;
    await expectRoomAfterDeletions(small);
    expect(await other.insert('big', 0)).toBe(409);
  });

  it('is not ready while one account has room in a file of an older layout, and another account has none', async () => {
    mount();
    const [before] = (await startWith('old', 'other')) as [DiskRequests];
    for (let row = 1; row <= 12; row++) expect(await before.insert('big', row, large)).toBe(201);
    await emulator?.close();
    const database = new Database(join(location(), 'old.sqlite'));
    database.pragma('auto_vacuum = NONE');
    database.exec('VACUUM');
    database.close();
    const [old, other] = (await startAccounts('old', 'other')) as [DiskRequests, DiskRequests];
    expect([await old.get('big', 0), await other.get('big', 0)]).toEqual([200, 200]);
    disk.fillUpTo(4);
    for (let row = 1; (await other.insert('big', row, large)) === 201; ) row += 1;
    disk.fill();
    for (let row = 1; row <= 12; row++) expect(await old.remove('big', row)).toBe(204);
    expect([await old.insert('big', 1), await other.insert('big', 1_000), await old.ready()]).toEqual([201, 500, 503]);
  });

  it.each([6, 10, 16])('frees space again after batches of three accounts filled the last %d MiB', async (free) => {
    mount(64);
    const all = await startWith('one', 'two', 'three');
    disk.fillUpTo(free);
    const fillWith = async (requests: DiskRequests): Promise<void> => {
      for (let row = 1; (await requests.insertMany('big', row)) === 202; ) row += 1;
      for (let row = 1; (await requests.insert('big', row, large)) === 201; ) row += 1;
    };
    await Promise.all(all.map(fillWith));
    await expectRoomAfterDeletions(...all);
  });

  it('frees space again after kill -9, if batches filled the disk', async () => {
    mount();
    const killed = await startBuiltCommand(['--tablePort', '0', '--silent', '--location', location()]);
    await fillWithBatches(new DiskRequests(killed.origin), 4);
    await killed.server.end('SIGKILL');
    await expectRoomAfterDeletions(await start());
  });
});

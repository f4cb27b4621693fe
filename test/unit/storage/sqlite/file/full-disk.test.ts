// Tests a disk that is full to its last page. Requests that free space must succeed, and all other requests must be
// refused. The emulator must report the full disk.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../../../../src/index.ts';
import { canFailDisks, type DiskFaults, prepareDiskFaults } from '../../../../support/disk-faults/disk-faults.ts';
import { DiskRequests, large, patience } from '../../../../support/disk-requests.ts';
import { runCommand } from '../../../../support/run-command.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../../../../support/small-disk.ts';
import { type StartedCommand, startBuiltCommand } from '../../../../support/start-built-command.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

describe.skipIf(!canMountDisks('a full disk'))('a full disk', () => {
  let disk: SmallDisk;
  let emulator: Emulator | undefined;

  async function start(): Promise<DiskRequests> {
    emulator = await startEmulator({ location: join(disk.path, 'data') });
    return new DiskRequests(emulator.url);
  }
  const mount = (): void => {
    disk = mountSmallDisk(32) as SmallDisk;
  };
  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
    disk.remove();
  });

  const builtArgs = (): string[] => ['--tablePort', '0', '--silent', '--location', join(disk.path, 'data')];

  /** Fills the disk, and makes room by deleting the large table. Then little space is free. */
  const fillAndRecover = async (requests: DiskRequests): Promise<void> => {
    await requests.fillDisk(disk);
    await requests.exhaust(disk);
    expect(await requests.restore('one')).toBe(200);
    expect(await requests.deleteTable('big')).toBe(204);
    await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
  };

  const expectRecovery = async (requests: DiskRequests): Promise<void> => {
    expect(await requests.restore('one')).toBe(200);
    expect(await requests.deleteTable('big')).toBe(204);
    await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
    expect(await requests.insert('small', 1)).toBe(201);
    expect(await requests.restore('one')).toBe(200);
    expect([await requests.get('small', 0), await requests.get('small', 1)]).toEqual([200, 404]);
  };

  it('refuses requests that need space, allows restores and deletions, and recovers without a restart', async () => {
    mount();
    const requests = await start();
    const rows = await requests.fillDisk(disk);
    expect(rows).toBeGreaterThan(20);
    await requests.exhaust(disk);
    expect([await requests.ready(), await requests.health()]).toEqual([503, 200]);
    expect(await requests.whyNotReady()).toContain('the disk is full');
    expect([await requests.createTable('other'), await requests.save('two')]).toEqual([500, 503]);
    expect([await requests.get('big', 0), await requests.get('big', rows - 1)]).toEqual([200, 200]);
    expect(await requests.remove('big', 0)).toBe(204);
    expect(await requests.get('big', 0)).toBe(404);
    await expectRecovery(requests);
  });

  it('refuses no write after the recovery, even if hardly more space is free than the reserve needs', async () => {
    mount();
    const requests = await start();
    await fillAndRecover(requests);
    const statuses = new Set<number>();
    for (let row = 1; row <= 300; row++) {
      if (row % 100 === 1) disk.fillUpTo(2);
      statuses.add(await requests.insert('small', row));
      statuses.add(await requests.ready());
    }
    expect([...statuses].sort()).toEqual([200, 201]);
  });

  it('lets deletions through while space is short, whatever was refused before', async () => {
    mount();
    const requests = await start();
    await fillAndRecover(requests);
    await vi.waitFor(async () => expect(await requests.createTable('big')).toBe(201), patience);
    const deletions = new Set<number>();
    for (let round = 0; round < 6; round++) {
      disk.fillUpTo(3);
      let row = 0;
      while (row < 40 && (await requests.insert('big', round * 100 + row, large)) === 201) row += 1;
      for (let at = 0; at < row; at++) deletions.add(await requests.remove('big', round * 100 + at));
    }
    expect([...deletions]).toEqual([204]);
    expect(await requests.get('small', 0)).toBe(200);
  });

  it('keeps every write that was acknowledged while space was short and the emulator was killed', async () => {
    mount();
    const killed = await startBuiltCommand(builtArgs());
    const before = new DiskRequests(killed.origin, killed.server);
    await fillAndRecover(before);
    disk.fillUpTo(2);
    const acknowledged: number[] = [];
    const writing = Promise.all(
      [0, 1, 2].map(async (client) => {
        for (let row = client; row < 3_000; row += 3) {
          if ((await before.insert('small', row + 1_000_000).catch(() => 0)) === 201)
            acknowledged.push(row + 1_000_000);
        }
      }),
    );
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(200), patience);
    killed.server.kill('SIGKILL');
    await killed.server.ended();
    await writing;
    disk.free();
    const requests = await start();
    for (const row of acknowledged) expect(await requests.get('small', row)).toBe(200);
  });

  it('is ready again when another program frees space', async () => {
    mount();
    disk.fill(10);
    const requests = await start();
    const rows = await requests.fillDisk(disk);
    await requests.exhaust(disk);
    expect(await requests.ready()).toBe(503);
    disk.free();
    await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
    expect(await requests.insert('big', rows + 20_000)).toBe(201);
  });

  it('lets an emulator start, read and delete after a graceful stop', async () => {
    mount();
    const before = await start();
    const rows = await before.fillDisk(disk);
    await before.exhaust(disk);
    await emulator?.close();
    disk.fill();
    const requests = await start();
    expect([await requests.ready(), await requests.health()]).toEqual([503, 200]);
    expect(await requests.get('big', rows - 1)).toBe(200);
    await requests.exhaust(disk);
    await expectRecovery(requests);
  });

  it('lets an emulator start, read and delete after it was killed', async () => {
    mount();
    const killed = await startBuiltCommand(builtArgs());
    const before = new DiskRequests(killed.origin, killed.server);
    const rows = await before.fillDisk(disk);
    await before.exhaust(disk);
    killed.server.kill('SIGKILL');
    await killed.server.ended();
    disk.fill();
    const requests = await start();
    expect(await requests.get('big', rows - 1)).toBe(200);
    await requests.exhaust(disk);
    expect([await requests.ready(), await requests.health()]).toEqual([503, 200]);
    await expectRecovery(requests);
  });

  it('without a reserve, as an earlier version left it, lets writes succeed as soon as they fit', async () => {
    mount();
    disk.fill(3);
    const before = await start();
    const rows = await before.fillDisk(disk);
    await emulator?.close();
    rmSync(join(disk.path, 'data', 'tanzanite.reserve'));
    disk.fill();
    const requests = await start();
    expect(await requests.ready()).toBe(503);
    expect(await requests.insert('small', 1)).toBe(500);
    disk.free();
    await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
    expect([await requests.get('big', rows - 1), await requests.insert('small', 1)]).toEqual([200, 201]);
  });

  it('uses the free pages of a file that cannot get smaller', async () => {
    mount();
    const before = await start();
    await before.createTable('small');
    await emulator?.close();
    const database = new Database(join(disk.path, 'data', 'devstoreaccount1.sqlite'));
    database.pragma('auto_vacuum = NONE');
    database.exec('VACUUM');
    database.close();
    const requests = await start();
    await requests.fillDisk(disk);
    await requests.exhaust(disk);
    expect(await requests.ready()).toBe(503);
    expect(await requests.deleteTable('big')).toBe(204);
    await vi.waitFor(async () => expect(await requests.ready()).toBe(200), patience);
    expect(await requests.createTable('next')).toBe(201);
    for (let row = 0; row < 20; row++) expect(await requests.insert('next', row, large)).toBe(201);
  });
});

describe.skipIf(!canFailDisks())('writes that fail', () => {
  let folder: { path: string; remove(): void };
  let location: string;
  let faults: DiskFaults;
  let requests: DiskRequests;
  let command: StartedCommand;

  beforeEach(async () => {
    folder = temporaryFolder();
    faults = prepareDiskFaults(folder.path);
    location = join(folder.path, 'data');
    command = await startBuiltCommand(['--tablePort', '0', '--location', location], { env: faults.env });
    requests = new DiskRequests(command.origin);
    expect([await requests.createTable('small'), await requests.insert('small', 0)]).toEqual([201, 201]);
  });
  afterEach(async () => {
    command.server.kill('SIGKILL');
    await command.server.ended();
    folder.remove();
  });

  it.each(['ENOSPC', 'EDQUOT'] as const)('with %s make ready answer 503 until writes succeed again', async (error) => {
    faults.begin({ calls: ['write', 'truncate'], error, path: location });
    expect(await requests.insert('small', 1)).toBe(500);
    expect([await requests.ready(), await requests.health()]).toEqual([503, 200]);
    expect(await requests.whyNotReady()).toContain('the disk is full');
    expect([await requests.insert('small', 1), await requests.get('small', 0)]).toEqual([500, 200]);
    faults.end();
    expect(await requests.ready()).toBe(200);
    expect(await requests.insert('small', 1)).toBe(201);
  });

  it('also fail a start if the first bytes of a file cannot be read, with one line', async () => {
    await command.server.end('SIGKILL');
    faults.begin({ calls: ['read'], error: 'EIO', path: join(location, 'devstoreaccount1.sqlite') });
    const { code, stderr } = await runCommand(['start', '--tablePort', '0', '--location', location], {
      env: faults.env,
    });
    expect(stderr).toMatch(/^.*devstoreaccount1\.sqlite cannot be read: EIO: i\/o error, read\. Restore .*\n$/);
    expect(code).toBe(2);
  });

  it('with EIO are reported as such, and no disk is called full', async () => {
    faults.begin({ calls: ['write'], error: 'EIO', path: location });
    expect([await requests.insert('small', 1), await requests.get('small', 0)]).toEqual([500, 200]);
    expect([await requests.ready(), await requests.save('one')]).toEqual([200, 503]);
    expect(await requests.whyNotSaved()).toContain('The data cannot be used');
    expect(faults.hits).not.toEqual([]);
    faults.end();
    expect(await requests.insert('small', 1)).toBe(201);
  });
});

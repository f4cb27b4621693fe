import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DiskReserve } from '../../../../../src/storage/sqlite/file/disk-reserve.ts';
import { mountSmallDisk, type SmallDisk } from '../../../../support/small-disk.ts';

const megabyte = 1_048_576;

describe('The space of a disk', () => {
  let disk: SmallDisk | undefined;
  afterEach(() => disk?.remove());

  it('counts as short while less is free than a WAL usually takes', (context) => {
    disk = mountSmallDisk(64);
    if (!disk) return context.skip('a small disk cannot be mounted');
    const reserve = new DiskReserve(disk.path, () => undefined);
    reserve.prepare();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, false]);
    disk.fillUpTo(20);
    expect([reserve.isFull, reserve.isTight]).toEqual([false, true]);
    disk.fill();
    reserve.markFull();
    expect([reserve.isFull, reserve.isTight]).toEqual([true, true]);
    disk.free();
    disk.fillUpTo(20);
    reserve.takeBack();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, true]);
    disk.free();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, false]);
  });

  it('refuses a file whose new pages do not fit twice, in the WAL and in the file, without the reserve', (context) => {
    disk = mountSmallDisk(8);
    if (!disk) return context.skip('a small disk cannot be mounted');
    const reserve = new DiskReserve(disk.path, () => undefined);
    reserve.prepare();
    disk.fillUpTo(2);
    const file = join(disk.path, 'file');
    expect(reserve.refuseSize(file, megabyte)).toBe(undefined);
    expect(reserve.refuseSize(file, megabyte + 1)).toMatchObject({ reason: 'full' });
    writeFileSync(file, Buffer.alloc(megabyte));
    expect(reserve.refuseSize(file, 1.5 * megabyte)).toBe(undefined);
    expect(reserve.refuseSize(file, 1.5 * megabyte + 1)).toMatchObject({ reason: 'full' });
    expect(reserve.isFull).toBe(false);
  });
});

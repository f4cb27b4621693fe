import { afterEach, describe, expect, it } from 'vitest';
import { DiskReserve } from '../../../../../src/storage/sqlite/file/disk-reserve.ts';
import { mountSmallDisk, type SmallDisk } from '../../../../support/small-disk.ts';

describe('The space of a disk that was full', () => {
  let disk: SmallDisk | undefined;
  afterEach(() => disk?.remove());

  it('counts as short until more is free than a WAL usually takes', (context) => {
    disk = mountSmallDisk(64);
    if (!disk) return context.skip('a small disk cannot be mounted');
    const reserve = new DiskReserve(disk.path, () => undefined);
    reserve.prepare();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, false]);
    disk.fill();
    reserve.markFull();
    expect([reserve.isFull, reserve.isTight]).toEqual([true, true]);
    disk.free();
    disk.fillUpTo(20);
    reserve.takeBack();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, true]);
    disk.free();
    expect([reserve.isFull, reserve.isTight]).toEqual([false, false]);
    disk.fillUpTo(20);
    expect(reserve.isTight).toBe(false);
  });
});

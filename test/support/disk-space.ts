import type { DiskSpace } from '../../src/storage/sqlite/file/disk-reserve.ts';

/** The state of a disk that a test decides. The disk is no longer full when the reserve is taken back. */
export class StatedDisk implements DiskSpace {
  isFull: boolean;
  isTight: boolean;

  constructor({ isFull = false, isTight = false }: { readonly isFull?: boolean; readonly isTight?: boolean } = {}) {
    this.isFull = isFull;
    this.isTight = isTight;
  }

  enlarge(): void {}
  markFull(): void {
    this.isFull = true;
  }
  isUsedUp(): boolean {
    return false;
  }
  refuseGrowth(): undefined {}
  refuseSize(): undefined {}
  lend(): void {}
  takeBack(): void {
    this.isFull = false;
  }
}

// A disk that a test can fill: a tmpfs.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

export interface SmallDisk {
  readonly path: string;
  /**
   * Fills this many megabytes of the disk, as another program would. Without `megabytes`, fills all free space, to the
   * last page.
   */
  fill(megabytes?: number): void;
  /** Fills the disk until only this many megabytes are free. */
  fillUpTo(freeMegabytes: number): void;
  /** Frees the space that `fill` used. */
  free(): void;
  /** Changes the mount options, for example to `ro`. */
  remount(options: string): void;
  remove(): void;
}

/** Whether small disks can be mounted. If not, prints that the suite is skipped. */
export function canMountDisks(suite: string): boolean {
  const probe = mountSmallDisk(1);
  probe?.remove();
  if (!probe) console.warn(`${suite}: skipped, it needs Linux and a user who may mount`);
  return probe !== undefined;
}

/** Mounts a small disk, with further options of mount(8). Returns undefined if this user or system cannot. */
export function mountSmallDisk(megabytes: number, ...options: readonly string[]): SmallDisk | undefined {
  const folder = temporaryFolder();
  const { path } = folder;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', [`size=${megabytes}m`, ...options].join(), 'tmpfs', path], {
      stdio: 'ignore',
    });
  } catch {
    folder.remove();
    return undefined;
  }
  const filler = join(path, 'filler');
  const fill = (megabytes = Number.POSITIVE_INFINITY): void => {
    const descriptor = openSync(filler, 'a');
    try {
      for (let pages = megabytes * 256; pages > 0; pages--) writeSync(descriptor, Buffer.alloc(4_096));
    } catch {
      // The disk is full now, as it should be.
    }
    closeSync(descriptor);
  };
  return {
    path,
    fill,
    fillUpTo(freeMegabytes) {
      const { bfree, bsize } = statfsSync(path);
      fill((bfree * bsize) / 1_048_576 - freeMegabytes);
    },
    free: () => rmSync(filler, { force: true }),
    remount: (options) => void execFileSync('mount', ['-o', `remount,${options}`, path]),
    remove() {
      execFileSync('umount', ['--lazy', path]);
      folder.remove();
    },
  };
}

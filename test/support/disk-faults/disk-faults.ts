// Causes disk faults in a child process that preloads disk-faults.c. A test sets which calls on files fail, and how
// long they continue to fail.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The type annotation keeps knip from looking for a package of this name. */
const compiler: string = 'cc';
/** The paths begin at the root of the repository, because bundles of this file are in other folders. */
const sources = ['disk-faults.c', 'simulated-disk.c'].map((file) => join('test/support/disk-faults', file));

/** Whether this machine can preload faults. This needs Linux and a C compiler. */
export function canFailDisks(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync(compiler, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export type DiskCall = 'open' | 'read' | 'write' | 'sync' | 'truncate' | 'unlink' | 'rename';

export interface DiskFault {
  readonly calls: readonly DiskCall[];
  readonly error: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EACCES';
  /** The number of the first call that fails, counted from 1 from now on. The default is 1. */
  readonly first?: number;
  /** The number of calls that fail. By default, all calls fail until the faults end. */
  readonly count?: number;
  /** A text that the path of a file must contain. */
  readonly path: string;
}

export interface DiskFaults {
  /** The environment of a process in which the calls fail. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on, these faults occur and earlier ones do not. */
  begin(...faults: readonly DiskFault[]): void;
  /** From now on, no call fails. */
  end(): void;
  /** The calls that have failed so far, as `write /path`. */
  readonly hits: readonly string[];
}

/** Compiles the library into a folder, which must not be the folder of the data. */
export function compileDiskFaults(folder: string): string {
  const library = join(folder, 'disk-faults.so');
  execFileSync(compiler, ['-shared', '-fPIC', '-O1', '-o', library, ...sources, '-ldl', '-lpthread']);
  return library;
}

/** Prepares faults that a test can begin and end. compileDiskFaults says which folder it needs. */
export function prepareDiskFaults(folder: string): DiskFaults {
  const [library, control] = [compileDiskFaults(folder), join(folder, 'disk-faults')];
  return {
    env: { LD_PRELOAD: library, DISK_FAULTS_CONTROL: control },
    begin(...faults) {
      const lines = faults.map(
        ({ calls, error, first = 1, count = 0, path }) => `${calls.join(',')} ${error} ${first} ${count} ${path}\n`,
      );
      writeFileSync(`${control}.new`, lines.join(''));
      renameSync(`${control}.new`, control);
    },
    end: () => rmSync(control, { force: true }),
    get hits() {
      const file = `${control}.hits`;
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    },
  };
}

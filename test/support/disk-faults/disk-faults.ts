// Disk faults in a child process that preloads disk-faults.c: calls on files fail in the way that the test sets, and
// for as long as it wants.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Has a type, so that knip does not look for a package of this name. */
const compiler: string = 'cc';
/** Below the root of the repository: a bundle of this file is elsewhere. */
const sources = ['disk-faults.c', 'simulated-disk.c'].map((file) => join('test/support/disk-faults', file));

/** Whether this machine can preload faults: Linux with a C compiler. */
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
  /** The first call that fails, counted from 1 from now on; default 1. */
  readonly first?: number;
  /** How many fail; default: all until the faults end. */
  readonly count?: number;
  /** Applies to files whose path contains this text. */
  readonly path: string;
}

export interface DiskFaults {
  /** The environment of a process that has the faults. */
  readonly env: Readonly<Record<string, string>>;
  /** These faults occur from now on, instead of earlier ones. */
  begin(...faults: readonly DiskFault[]): void;
  /** No call fails any more. */
  end(): void;
  /** The calls that have failed so far, as `write /path`. */
  readonly hits: readonly string[];
}

/** Compiles the library into a folder of the caller. It must not be the folder of the data. */
export function compileDiskFaults(folder: string): string {
  const library = join(folder, 'disk-faults.so');
  execFileSync(compiler, ['-shared', '-fPIC', '-O1', '-o', library, ...sources, '-ldl', '-lpthread']);
  return library;
}

/** Makes calls fail in the way that the test sets; for the folder, see compileDiskFaults. */
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

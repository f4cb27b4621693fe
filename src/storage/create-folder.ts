import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Does not use the option `recursive` of Node's `mkdir`, because some file systems,
 * for example /proc, refuse a folder with ENOENT, and Node 20 then retries forever. Throws the system's error. If a
 * file is in the way, the error says so.
 */
export function createFolder(folder: string): void {
  const found = statOf(folder);
  if (found?.isDirectory()) return;
  if (found) throw notFolder(folder);
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statOf(folder)?.isDirectory()) throw error;
  }
}

/** Returns undefined also for a path below a file. The caller then finds the file itself and reports it. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Node's message would be `EEXIST: file already exists, mkdir '…'`. */
function notFolder(path: string): NodeJS.ErrnoException {
  const error = new Error(`${path} is a file, not a folder`);
  return Object.assign(error, { code: 'ENOTDIR', syscall: 'mkdir', path });
}

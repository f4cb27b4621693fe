import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Node's `recursive` is not used: where a file system refuses a folder with ENOENT, as
 * /proc does, Node 20 tries for ever.
 */
export function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it since.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

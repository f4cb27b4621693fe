// Gives files of root to the unprivileged user that the container becomes.

import {
  chmodSync,
  chownSync,
  closeSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { ImageServer } from '../cli/image-server.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Has the calls that Node lacks on Windows, where images do not run. */
export const posix = process as Required<NodeJS.Process>;

/** Files of Tanzanite and Azurite: nothing else in a folder changes its owner. */
const ownFile =
  /^(.*\.sqlite(-wal|-shm)?|tanzanite\.(address|lock|reserve)|__(azurite|blobstorage|queuestorage).*|AzuriteConfig|https|identity)$/;

/** Gives the user the folder, the log file and the standard streams, if they are root's. */
export function handOver({ location, debug }: ImageServer['files'], user: User): void {
  if (location !== undefined) {
    mkdirSync(location, { recursive: true });
    takeFromRoot(location, user);
    for (const name of readdirSync(location)) if (ownFile.test(name)) takeTreeFromRoot(join(location, name), user);
  }
  if (debug !== undefined) {
    attempt(() => closeSync(openSync(debug, 'a')));
    takeFromRoot(debug, user);
  }
  // The user needs this for `--debug /dev/stdout`, which opens standard output again.
  for (const descriptor of [1, 2]) attempt(() => fchownSync(descriptor, user.uid, user.gid));
}

/** Gives the user a file or folder of root. Returns whether it is a folder. */
function takeFromRoot(path: string, { uid, gid }: User): boolean {
  let isFolder = false;
  attempt(() => {
    const found = lstatSync(path);
    isFolder = found.isDirectory();
    if (found.uid === 0) lchownSync(path, uid, gid);
  });
  return isFolder;
}

function takeTreeFromRoot(path: string, user: User): void {
  if (!takeFromRoot(path, user)) return;
  attempt(() => {
    for (const name of readdirSync(path)) takeTreeFromRoot(join(path, name), user);
  });
}

/**
 * Runs a change and returns whether it succeeded. A failure is not fatal. For example, some network file systems do not
 * allow a change of owner, but the unprivileged user can use the folder anyway.
 */
export function attempt(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies a file that the user may not read. An example is a key that Testcontainers copies into the container with mode
 * 0600: only root can read such a key. Returns the path of the new copy, which is in memory (/dev/shm) or, if that
 * fails, in /tmp. Returns undefined if no copy was made.
 */
export function copyUnreadable(file: string | undefined, user: User): string | undefined {
  if (file === undefined || isReadableBy(file, user)) return undefined;
  return copyTo('/dev/shm', file, user) ?? copyTo('/tmp', file, user);
}

function isReadableBy(file: string, { uid, gid }: User): boolean {
  posix.setegid(gid);
  posix.seteuid(uid);
  try {
    return attempt(() => closeSync(openSync(file, 'r')));
  } finally {
    posix.seteuid(0);
    posix.setegid(0);
  }
}

function copyTo(folder: string, file: string, { uid, gid }: User): string | undefined {
  let own = '';
  const isCopied = attempt(() => {
    own = mkdtempSync(join(folder, 'tanzanite-'));
    const path = join(own, basename(file));
    writeFileSync(path, readFileSync(file), { mode: 0o400 });
    chownSync(path, uid, gid);
    // The mode comes first: to change the mode of another user's folder, root would need a further capability.
    chmodSync(own, 0o500);
    chownSync(own, uid, gid);
  });
  if (isCopied) return join(own, basename(file));
  if (own !== '') attempt(() => rmSync(own, { recursive: true }));
  return undefined;
}

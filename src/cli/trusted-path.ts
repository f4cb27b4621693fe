// Checks whether another user could replace the programs that this user runs. Another user could change a folder or a
// link on the path to a program.

import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, parse, resolve, sep } from 'node:path';

/** A folder in which somebody else could change what this user runs. */
export class ForeignPlace extends Error {}

/** The limit of Linux. */
const linksMax = 40;
/** The owner that Linux reports for a user without a number in the user namespace. */
const unmappedUser = 65_534;

/**
 * Returns the path with its links resolved. Parts of the path that do not exist are appended unchanged.
 *
 * Throws ForeignPlace if a folder or a link on the path belongs neither to this user nor to root. Also throws
 * ForeignPlace if other users can write to a folder on the path, because they could replace what is in the folder. A
 * folder with the sticky bit is allowed, because this bit prevents such a replacement. On Windows nothing is checked,
 * because everything below a user's profile belongs to the user. The root folder is not checked either, because a user
 * who can change the root folder can change every program.
 *
 * `open` is a folder to which everybody may write. Limit: in some containers (Kubernetes, emptyDir), everybody may
 * write to the folder for temporary files, and this folder has no sticky bit. These containers have no other users.
 */
export function resolveTrusted(path: string, open?: string): string {
  if (process.geteuid === undefined) return path;
  const start = resolve(path);
  let at = parse(start).root;
  const names = namesIn(start);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = resolve(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return resolve(next, ...names);
    const problem = problemOf(found, next === open);
    if (problem !== undefined) throw new ForeignPlace(`${next} ${problem}`);
    if (!found.isSymbolicLink()) at = next;
    else {
      links += 1;
      if (links > linksMax) throw new ForeignPlace(`${path} leads through too many links`);
      const target = readlinkSync(next);
      names.unshift(...namesIn(target));
      if (isAbsolute(target)) at = parse(target).root;
    }
  }
  return at;
}

/**
 * Returns the path of a folder with its links resolved. If the folder is missing, makes it for this user only. Throws
 * ForeignPlace if the path is a link, or if other users could change what is in the folder. Also throws errors of the
 * file system. For `open`, see resolveTrusted.
 */
export function ensureOwnFolder(path: string, open?: string): string {
  if (isLink(path)) throw new ForeignPlace(`${path} is a link`);
  // The path is checked before the folder is made, so that no folder is made behind another user's link. The path is
  // checked again afterwards, because another user may have made a link in the meantime.
  makeFolder(resolveTrusted(path, open));
  const place = resolveTrusted(path, open);
  const problem = ownershipProblem(place);
  if (problem !== undefined) throw new ForeignPlace(`${place} ${problem}`);
  return place;
}

/**
 * Runs `make` with a umask that leaves the user all rights. A script that writes keys may have set a umask such as
 * 0177. Nobody could enter a folder made with that umask, and the folder would remain when the script has ended.
 */
export function withOwnUmask<T>(make: () => T): T {
  const before = process.umask(0o077);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

/** Makes a folder and its missing parents. Node's recursive mkdir would report ENOENT for a read-only disk. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (existsSync(path)) return;
    // If the folder above exists, as in /proc, nothing can be made in it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/**
 * Says what is wrong with the owner or the rights of a folder. The folder may belong to this user or to one of
 * `others`.
 */
export function ownershipProblem(path: string, others: readonly number[] = []): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'does not exist';
  if (!found.isDirectory()) return 'is not a folder';
  // Windows has no user numbers: everything below a user's profile belongs to the user.
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (found.uid !== user && !others.includes(found.uid)) return 'belongs to another user';
  return found.mode & 0o022 ? 'can be changed by other users' : undefined;
}

export const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

const namesIn = (path: string): string[] => path.split(sep).filter((name) => name !== '');

function problemOf(found: Stats, isOpen: boolean): string | undefined {
  if (!isTrusted(found.uid)) return 'belongs to another user';
  if (found.isSymbolicLink() || isOpen) return undefined;
  return isWritableByOthers(found) ? 'can be changed by other users' : undefined;
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.() || (uid === unmappedUser && isInUserNamespace());
}

/** In a user namespace, files of users outside it, root included, seem to belong to `nobody`. */
function isInUserNamespace(): boolean {
  try {
    return !/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Many systems create a group for each user, give the group the user's number, and let the group write. The user is the
 * only member of this group, so write access for the group is not access for other users.
 */
function isWritableByOthers({ mode, uid, gid }: Stats): boolean {
  if (mode & 0o1000) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
}

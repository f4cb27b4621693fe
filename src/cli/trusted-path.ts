// Folders from which programs run: whether somebody else could change what a path leads to, by a folder on the way or by a link.

import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, parse, resolve, sep } from 'node:path';

/** A folder in which somebody else could change what this user runs. */
export class ForeignPlace extends Error {}

/** As Linux has it. */
const linksMax = 40;
/** Whom Linux names as the owner where a user namespace has no number for him. */
const unmappedUser = 65_534;

/**
 * The path without links, as far as there is something at it; what is missing is appended. Throws ForeignPlace where a folder or a link on the way
 * belongs to a user other than this one and root, and where others can write to a folder, so that they could put another into its place. In a
 * folder with the sticky bit they cannot. Windows has neither: what is below a user's profile is the user's. The root itself is not judged: who
 * can change it can change every program.
 *
 * `open` is a folder that may be written to by everybody. Limit: the folder for temporary files is such a one without a sticky bit in some
 * containers (Kubernetes, emptyDir), where there are no other users.
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
 * Makes a folder that is this user's alone where it is missing, and returns its path without links. Throws ForeignPlace for a link, and where others
 * could change what is in it, and an error of the file system. `open` as resolveTrusted has it.
 */
export function ensureOwnFolder(path: string, open?: string): string {
  if (isLink(path)) throw new ForeignPlace(`${path} is a link`);
  // Asked before, so that nothing is made where a link of somebody else leads; and after, because the link may come meanwhile.
  makeFolder(resolveTrusted(path, open));
  const place = resolveTrusted(path, open);
  const problem = ownershipProblem(place);
  if (problem !== undefined) throw new ForeignPlace(`${place} ${problem}`);
  return place;
}

/**
 * Runs with a umask that leaves the user all rights. Under that of a script that writes keys, such as 0177, folders come into being that nobody
 * can enter, and they outlast the script.
 */
export function withOwnUmask<T>(make: () => T): T {
  const before = process.umask(0o077);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

/** A recursive mkdir of Node's says ENOENT of a disk that may only be read. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (existsSync(path)) return;
    // Where the folder above is there, as in /proc, nothing can be made in it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** `others`: who may own the folder besides this user. */
export function ownershipProblem(path: string, others: readonly number[] = []): string | undefined {
  const found = lstatSync(path);
  if (!found.isDirectory()) return 'is not a folder';
  // Windows has neither: what is below a user's profile is the user's.
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

/** There root's files, and those of all others outside, belong to nobody. */
function isInUserNamespace(): boolean {
  try {
    return !/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    return false;
  }
}

/** A group that has its user's number holds that user alone: many systems create it with the user, and let it write. */
function isWritableByOthers({ mode, uid, gid }: Stats): boolean {
  if (mode & 0o1000) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
}

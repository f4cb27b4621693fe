// Whether somebody else could change what a path leads to: by a folder on the way, or by a link.

import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { isAbsolute, parse, resolve, sep } from 'node:path';

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

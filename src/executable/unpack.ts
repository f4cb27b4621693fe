// Unpacks the package once, into a folder that belongs to the user alone, and never runs what is not as it was packed.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { markAsUsed } from './in-use.ts';
import { digestOf, filesIn, folderNameOf, type Pack, type PackedFile } from './pack.ts';

/** Other starts may put the same folder in place, or take a damaged one away, at the same time. */
const tries = 10;

/** Names of what is on its way into a place, and on its way out of it. */
export const unfinished = { unpacking: '.unpacking-', discarded: '.discarded-' } as const;

/**
 * The folder in `place` that holds the files of the pack: the one that is there, or a new one. What is found is read and compared, file by file, so
 * that a file that was altered, or lost by a machine that went down, is replaced. Throws an error of the file system, DamagedPack, or ForeignPlace.
 */
export function unpackInto(place: string, pack: Pack): string {
  ensureOwnFolder(place);
  const name = folderNameOf(pack);
  markAsUsed(place, name);
  const folder = join(place, name);
  for (let attempt = 1; !isIntact(folder, pack); attempt += 1) {
    if (attempt > tries) throw new Error(`other programs keep changing ${folder}`);
    putInPlace(folder, pack);
  }
  return folder;
}

/** A folder in which somebody else could change what this user runs. */
export class ForeignPlace extends Error {}

/** Makes it where it is missing. Throws ForeignPlace for a link, and for a folder that others own or can write to. */
function ensureOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const problem = problemOf(path);
  if (problem !== undefined) throw new ForeignPlace(problem);
}

function problemOf(path: string): string | undefined {
  const found = lstatSync(path);
  if (!found.isDirectory()) return 'it is not a folder';
  // Windows has neither: what is below a user's profile is the user's.
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (found.uid !== user) return 'it belongs to another user';
  return found.mode & 0o022 ? 'other users can write to it' : undefined;
}

function isIntact(folder: string, { files }: Pack): boolean {
  return (
    existsSync(folder) && problemOf(folder) === undefined && files.every((file) => holds(join(folder, file.path), file))
  );
}

function holds(path: string, { bytes, sha256 }: PackedFile): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && found.size === bytes && digestOf(readFileSync(descriptor)) === sha256;
  } finally {
    closeSync(descriptor);
  }
}

/** By a rename, so that nothing half unpacked is ever in place. Where another start was faster, its folder stays and is looked at next. */
function putInPlace(folder: string, pack: Pack): void {
  const place = dirname(folder);
  const unpacking = mkdtempSync(join(place, unfinished.unpacking));
  try {
    for (const { file, contents } of filesIn(pack)) {
      const path = join(unpacking, file.path);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, contents, { flag: 'wx', mode: 0o600 });
    }
    if (isLink(folder) || (existsSync(folder) && !isIntact(folder, pack))) discard(folder);
    renameSync(unpacking, folder);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    rmSync(unpacking, { recursive: true, force: true });
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Takes a folder, or what is in its place, out of the way, and removes it. Nothing where another start was faster. */
export function discard(path: string): void {
  const away = mkdtempSync(join(dirname(path), unfinished.discarded));
  try {
    renameSync(path, join(away, 'discarded'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  } finally {
    rmSync(away, { recursive: true, force: true });
  }
}

/** What a rename onto a folder that is there is refused with; Windows says EPERM. */
const isTaken = (error: unknown): boolean => ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error));

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? '');

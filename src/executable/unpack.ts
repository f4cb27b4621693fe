// Unpacks the package once, into a folder that belongs only to the user. Files that differ from the packed files are
// never run.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureOwnFolder, isLink, ownershipProblem } from '../cli/trusted-path.ts';
import { markAsUsed } from './in-use.ts';
import { digestOf, filesIn, folderNameOf, type Pack, type PackedFile } from './pack.ts';

/** The owner of system folders, who could change the executable too. */
const rootUser = 0;

/**
 * Maximum number of attempts to put the folder in place. Other starts may put the same folder in place, or remove a
 * damaged folder, at the same time.
 */
const tries = 10;

/** Prefixes of folders that are being put in place, and of folders that are being removed. */
export const unfinished = { unpacking: '.unpacking-', discarded: '.discarded-' } as const;

/**
 * Returns the folder in `given` that holds the files of the pack. Makes this folder if it is missing. Otherwise,
 * compares the files of the folder with the pack. If a file was altered, or was lost when a machine went down, replaces
 * the folder. Throws an error of the file system, DamagedPack, or ForeignPlace. For `open`, see resolveTrusted.
 */
export function unpackInto(given: string, pack: Pack, open?: string): string {
  const place = ensureOwnFolder(given, open);
  const name = folderNameOf(pack);
  markAsUsed(place, name);
  const folder = join(place, name);
  for (let attempt = 1; !isIntact(folder, pack); attempt += 1) {
    if (attempt > tries) throw new Error(`other programs keep changing ${folder}`);
    putInPlace(folder, pack);
  }
  return folder;
}

/**
 * Whether a folder holds the files of the pack, and belongs to the user or to root. A folder of root is installed for
 * all users. Changes nothing.
 */
export function isInstalledIn(folder: string, pack: Pack): boolean {
  return isIntact(folder, pack, [rootUser]);
}

function isIntact(folder: string, { files }: Pack, others: readonly number[] = []): boolean {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  return (
    [folder, ...[...folders].map((path) => join(folder, path))].every(
      (path) => ownershipProblem(path, others) === undefined,
    ) && files.every((file) => holds(join(folder, file.path), file))
  );
}

/** The folders of a path within the package: `a` and `a/b` for `a/b/c`. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
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

/**
 * Unpacks under a temporary name and renames the folder at the end, so that an incomplete folder is never in place. If
 * another start was faster, the folder of the other start stays, and the caller checks that folder next.
 */
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

/** Moves a folder, or a file of that name, away and removes it. Does nothing if another start was faster. */
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

/** Whether a rename failed because the folder exists; Windows reports EPERM. */
const isTaken = (error: unknown): boolean => ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error));

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? '');

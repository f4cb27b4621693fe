// Reads and writes files with private keys: mode 600 in a folder of mode 700. A file is refused if the file or its
// folder is a symbolic link or belongs to another user. A file is also refused if others may use the file or write to
// its folder. These checks ensure that nobody else can choose or read the key. A file is first written under a
// temporary name, so the file itself is always complete or absent. If this process is killed, the next process removes
// the temporary file. If two processes create the same file, both get the bytes that the first one wrote.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isProcessRunning } from '../model/process-running.ts';

/** Limit: a key, or a certificate with its key, has between a few hundred and a few thousand bytes. */
const fileBytesMax = 1024 * 1024;

/** The message names the file and says what is wrong and what to do about it, in one line. */
export class PrivateFileFault extends Error {}

/** Reads a file. Returns undefined if the file or folder does not exist. Throws PrivateFileFault. */
export function readPrivateFile(path: string): Buffer | undefined {
  if (!checkFolder(dirname(path))) return undefined;
  removeLeftTemporaries(path);
  const file = openExisting(path);
  if (file === undefined) return undefined;
  try {
    checkFile(path, fstatSync(file));
    return orFault(`cannot read ${path}`, () => readUpToLimit(file, path));
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the file, and its folder if necessary. Returns the bytes in the file. If another process created the file
 * first, returns the bytes that this other process wrote. Throws PrivateFileFault.
 */
export function createPrivateFile(path: string, bytes: Uint8Array | string): Buffer {
  try {
    moveIntoPlace(path, bytes, linkOrRename);
  } catch (error) {
    const first = codeOf(error) === 'EEXIST' ? readPrivateFile(path) : undefined;
    if (first === undefined) throw faultOf(`cannot create ${path}`, error);
    return first;
  }
  return Buffer.from(bytes);
}

/** Creates or replaces the file, atomically. Throws PrivateFileFault. */
export function replacePrivateFile(path: string, bytes: Uint8Array | string): void {
  try {
    moveIntoPlace(path, bytes, renameSync);
  } catch (error) {
    throw faultOf(`cannot replace ${path}`, error);
  }
}

const attemptsMax = 5;

function moveIntoPlace(
  path: string,
  bytes: Uint8Array | string,
  move: (temporary: string, path: string) => void,
): void {
  for (let attempt = 1; ; attempt++) {
    const temporary = writeTemporary(path, bytes);
    try {
      move(temporary, path);
      break;
    } catch (error) {
      // A process in another container may have removed the temporary file because it seemed to be left over.
      if (codeOf(error) !== 'ENOENT' || attempt === attemptsMax) throw error;
    } finally {
      removeIfThere(temporary);
    }
  }
  syncFolder(dirname(path));
}

/**
 * The id of the user who runs this process. Undefined on Windows, where other users cannot open a user's folders, and
 * where file modes have no meaning.
 */
const ownUser = process.getuid?.();
const othersWrite = 0o022;
const othersUse = 0o077;

/** Whether the folder exists. Throws PrivateFileFault if others could change its contents. */
function checkFolder(folder: string): boolean {
  const found = orFault(`cannot use ${folder}`, () => lstatSync(folder, { throwIfNoEntry: false }));
  if (!found) return false;
  if (found.isSymbolicLink())
    throw new PrivateFileFault(`${folder} is a symbolic link. Name the folder that it points to.`);
  if (!found.isDirectory()) throw new PrivateFileFault(`${folder} is not a folder.`);
  checkOwner(folder, found);
  if (ownUser !== undefined && (found.mode & othersWrite) !== 0)
    throw new PrivateFileFault(`others can write to ${folder}, which holds private keys. Run: chmod 700 ${folder}`);
  return true;
}

function checkFile(path: string, found: Stats): void {
  if (!found.isFile()) throw new PrivateFileFault(`${path} is not a file.`);
  checkOwner(path, found);
  if (ownUser !== undefined && (found.mode & othersUse) !== 0)
    throw new PrivateFileFault(`others can use ${path}, which holds a private key. Run: chmod 600 ${path}`);
}

function checkOwner(path: string, { uid }: Stats): void {
  if (ownUser === undefined || uid === ownUser) return;
  throw new PrivateFileFault(`${path} belongs to another user (uid ${uid}; this process runs as ${ownUser}).`);
}

function openExisting(path: string): number | undefined {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw new PrivateFileFault(`${path} is a symbolic link. Put the file in its place.`);
    throw faultOf(`cannot read ${path}`, error);
  }
}

function readUpToLimit(file: number, path: string): Buffer {
  const { size } = fstatSync(file);
  if (size > fileBytesMax) throw new PrivateFileFault(`${path} is larger than ${fileBytesMax} bytes.`);
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, bytes, { offset: length });
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** Writes and syncs a temporary file next to `path`, and returns its path. */
function writeTemporary(path: string, bytes: Uint8Array | string): string {
  const folder = dirname(path);
  if (!checkFolder(folder)) {
    orFault(`cannot create ${folder}`, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    checkFolder(folder);
  }
  removeLeftTemporaries(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    removeIfThere(temporary);
    throw faultOf(`cannot write ${path}`, error);
  }
  return temporary;
}

/** Gives a temporary file its final name. Fails with EEXIST if the path exists. */
function linkOrRename(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!withoutLinks.includes(codeOf(error) ?? '') || lstatSync(path, { throwIfNoEntry: false })) throw error;
    renameSync(temporary, path);
  }
}

/**
 * The error codes for links on a file system that has no links, such as FAT and some shared folders. If two processes
 * create the same file on such a file system at the same time, the later file replaces the earlier file.
 */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** A new name is on the disk only after its folder is synced. Not every system can sync a folder. */
function syncFolder(folder: string): void {
  try {
    const opened = openSync(folder, 'r');
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  } catch {
    // The bytes are on the disk. Only a power failure could lose the name.
  }
}

/**
 * Removes the temporary files of processes that were killed while they wrote the file at `path`. Also removes temporary
 * files whose names contain the id of this process. Such a file comes from an earlier process with the same id. It
 * cannot be an unfinished file of this process, because this process does nothing else while it writes a file.
 */
function removeLeftTemporaries(path: string): void {
  const prefix = `.${basename(path)}.`;
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = /^(\d+)\.[\da-f]{16}\.tmp$/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && !isOtherRunning(Number(pid))) removeIfThere(join(dirname(path), name));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Reading or writing the file will report what is wrong.
    return [];
  }
}

const isOtherRunning = (pid: number): boolean => pid !== process.pid && isProcessRunning(pid);

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The temporary file was never created, or already has its final name.
  }
}

function orFault<Value>(subject: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw faultOf(subject, error);
  }
}

function faultOf(subject: string, error: unknown): PrivateFileFault {
  if (error instanceof PrivateFileFault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PrivateFileFault(`${subject}: ${reason}`, { cause: error });
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

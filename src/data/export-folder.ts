// An export may replace or remove only files that look as if an export wrote them. Other files in the folder belong to
// other programs, even if their names look like table names.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { isTableName, tableLookup } from '../model/table-name.ts';
import { CsvEntityReader } from './entity-csv.ts';
import { EntityFault, readStoredEntity } from './file-entity.ts';
import { FileFault, LineFault } from './file-fault.ts';
import { type FileFormat, fileFormats, tableFileName } from './file-names.ts';
import { arrayCutter, lineCutter } from './file-records.ts';
import { namedTableFiles } from './table-files.ts';

/** `table`: the file contains entities, or has the form of an empty table. */
type Content = 'absent' | 'folder' | 'table' | 'other';

/** Throws FileFault for the first file that an export cannot have written. */
export async function checkReplaceable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await contentOf(path)) !== 'other') continue;
    throw notWrittenByExport(path);
  }
}

/** The fault for a file that an export would replace but may not. */
export const notWrittenByExport = (path: string): FileFault =>
  new FileFault(`${path} was not written by an export: move it, or export into another folder`);

/**
 * Returns the obsolete files. `seed` would read such a file, but this export did not write it. If the table of a file
 * exists and was not exported this time, the file is not obsolete. `existing` contains the lookup names of the existing
 * tables.
 */
export async function obsoleteFiles(
  folder: string,
  { existing, written }: { readonly existing: ReadonlySet<string>; readonly written: readonly string[] },
): Promise<readonly string[]> {
  const renewed = new Set(written.map((path) => tableLookup(parse(path).name)));
  // Files are compared by identity: on a case-insensitive file system, a file may have kept its earlier name.
  const own = new Set(await Promise.all(written.map(identityOf)));
  const obsolete: string[] = [];
  for (const { path, lookup } of namedTableFiles(folder)) {
    if (existing.has(lookup) && !renewed.has(lookup)) continue;
    const identity = await identityOf(path);
    if (identity !== undefined && !own.has(identity)) obsolete.push(path);
  }
  return obsolete;
}

/** The identity of a file, or of a link itself; undefined if it is gone. */
const identityOf = (path: string): Promise<string | undefined> =>
  lstat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );

/**
 * Removes the files that an export wrote and that are unchanged since `begun`. Returns the removed files. A file that
 * cannot be read or removed stays and causes no error, because the export itself is complete.
 */
export async function removeObsolete(paths: readonly string[], begun: bigint): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const path of paths) {
    const isRemoved = await removeIfWritten(path, begun).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      return false;
    });
    if (isRemoved) removed.push(path);
  }
  return removed;
}

/**
 * Removes a file if an export wrote it and the file is unchanged since `begun`. A file that an export wrote has the
 * name of a table, and is empty or begins with an entity.
 */
async function removeIfWritten(path: string, begun: bigint): Promise<boolean> {
  if (!isExportName(basename(path))) return false;
  const before = await lstat(path, { bigint: true });
  if (!before.isFile() || before.ctimeNs > begun) return false;
  if (before.size > 0n && !(await beginsWithEntity(path))) return false;
  const after = await lstat(path, { bigint: true });
  if (after.ino !== before.ino || after.ctimeNs !== before.ctimeNs) return false;
  await rm(path);
  return true;
}

/** Whether an export could give a file this name. The case of the extension matters, too. */
function isExportName(name: string): boolean {
  const table = parse(name).name;
  return isTableName(table) && fileFormats.some((format) => name === tableFileName(table, format));
}

async function contentOf(path: string): Promise<Content> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return 'absent';
  // A file cannot replace a folder.
  if (found.isDirectory()) return 'folder';
  if (!found.isFile()) return 'other';
  if (found.size === 0) return 'table';
  return (await firstOf(path)) === undefined ? 'other' : 'table';
}

const beginsWithEntity = async (path: string): Promise<boolean> => (await firstOf(path)) === 'entity';

/** Whether the file begins with an entity or has none; undefined if it is not the file of a table. */
async function firstOf(path: string): Promise<'entity' | 'none' | undefined> {
  // A link or a pipe may have replaced the file.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const format = parse(path).ext.slice(1) as FileFormat;
    return await readFirst(file, format);
  } catch (error) {
    if (error instanceof LineFault || error instanceof EntityFault) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

/** Throws LineFault and EntityFault. */
async function readFirst(file: FileHandle, format: FileFormat): Promise<'entity' | 'none' | undefined> {
  let reader: CsvEntityReader | undefined;
  for await (const text of recordsOf(file, format)) {
    if (format === 'csv' && !reader) {
      reader = new CsvEntityReader(text);
      continue;
    }
    // The entity is not validated, because an earlier version may have written what is refused now.
    if (reader) reader.readRow(text);
    else readStoredEntity(text);
    return 'entity';
  }
  if (format === 'json') return (await isEmptyArray(file)) ? 'none' : undefined;
  return format === 'csv' && !reader ? undefined : 'none';
}

async function* recordsOf(file: FileHandle, format: FileFormat): AsyncGenerator<string> {
  const cutter = format === 'json' ? arrayCutter() : lineCutter({ hasQuotes: format === 'csv' });
  for await (const piece of file.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>) {
    for (const { text } of cutter.push(piece)) yield text;
  }
  for (const { text } of cutter.end()) yield text;
}

/**
 * Whether a file contains an empty array and nothing else. The response to a query is never an empty array, because a
 * response is an object.
 */
async function isEmptyArray(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64), position: 0 });
  return /^(?:\ufeff)?\s*\[\s*\]\s*$/.test(buffer.toString('utf8', 0, bytesRead));
}

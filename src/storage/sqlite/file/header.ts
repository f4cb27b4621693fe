// Checks the first hundred bytes of a file before SQLite opens it, so that SQLite does not change a file that does not
// belong to Tanzanite. Source: https://www.sqlite.org/fileformat.html §1.3.

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StoreUnavailable } from '../../store-unavailable.ts';
import { applicationId, schemaVersion } from './schema.ts';

const headerBytes = 100;
const magic = 'SQLite format 3\0';

/**
 * Throws StoreUnavailable if the file does not belong to Tanzanite, is damaged, has a newer schema version, or is not
 * writable. An empty file counts as new.
 */
export function checkFile(file: string): void {
  if (!existsSync(file)) return;
  const handle = openForWriting(file);
  try {
    const { size } = fstatSync(handle);
    if (size > 0) checkHeader(file, readHeader(file, handle), size);
  } finally {
    closeSync(handle);
  }
}

/** SQLite would open a read-only file, and then refuse each write. */
function openForWriting(file: string): number {
  try {
    return openSync(file, 'r+');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable('unwritable', `${file} cannot be written: ${reason}.`);
  }
}

function readHeader(file: string, handle: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  try {
    return header.subarray(0, readSync(handle, header, 0, headerBytes, 0));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable('damaged', `${file} cannot be read: ${reason}.`);
  }
}

function checkHeader(file: string, header: Buffer, size: number): void {
  const hasJournal = hasContent(`${file}-journal`);
  // A creation that did not complete: SQLite rolls it back from the journal.
  if (hasJournal && header.every((byte) => byte === 0)) return;
  if (header.length < headerBytes || header.toString('latin1', 0, magic.length) !== magic) {
    throw new StoreUnavailable('damaged', `${file} is not a database, or its start is damaged.`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreUnavailable('foreign', `${file} is a database of another program.`);
  }
  const version = header.readUInt32BE(60);
  if (version > schemaVersion) {
    const versions = `it has format ${version}, this version knows up to ${schemaVersion}`;
    throw new StoreUnavailable('newer', `${file} was written by a newer version of tanzanite (${versions}).`);
  }
  // With a journal or a write-ahead log the file alone may be incomplete.
  if (!hasJournal && !hasContent(`${file}-wal`) && size < pageBytes(header) * header.readUInt32BE(28)) {
    throw new StoreUnavailable('damaged', `${file} is shorter than its header says: it is damaged.`);
  }
}

/** The 16-bit field cannot hold 65536 and says 1 instead. */
function pageBytes(header: Buffer): number {
  const bytes = header.readUInt16BE(16);
  return bytes === 1 ? 65_536 : bytes;
}

function hasContent(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

// Ways to make an account file unusable, and the reason with which the emulator must refuse it.

import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { StoreUnavailableReason } from '../../../../src/storage/store-unavailable.ts';

const pageBytes = 4096;
const versionAt = 60;
/** The pages before this contain the schema, and the first pointer page of incremental vacuum. */
const accountPageAt = 2 * pageBytes;

const garbage = (bytes: number): Buffer => Buffer.alloc(bytes, 'garbage');

function overwrite(file: string, at: number, bytes: Buffer): void {
  const contents = readFileSync(file);
  bytes.copy(contents, at);
  writeFileSync(file, contents);
}

export function spoilHeader(file: string): void {
  overwrite(file, 0, garbage(100));
}

export function bumpVersion(file: string): void {
  const version = Buffer.alloc(4);
  version.writeUInt32BE(readFileSync(file).readUInt32BE(versionAt) + 1);
  overwrite(file, versionAt, version);
}

export function replaceByForeignDatabase(file: string): void {
  rmSync(file, { force: true });
  const database = new Database(file);
  database.exec('CREATE TABLE recipes (name TEXT); PRAGMA user_version = 1');
  database.close();
}

export function cutToFirstPage(file: string): void {
  truncateSync(file, pageBytes);
}

/**
 * Makes pages in the middle of the file unreadable. If the file has many rows, these pages contain rows. SQLite can
 * still open the file.
 */
export function spoilMiddlePages(file: string, pages: number): void {
  const middle = Math.floor(readFileSync(file).length / pageBytes / 2);
  overwrite(file, middle * pageBytes, garbage(pages * pageBytes));
}

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function rewrite(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

export const harms: readonly (readonly [string, StoreUnavailableReason, (file: string) => void])[] = [
  ['the database of a newer version', 'newer', bumpVersion],
  ['a database of another program', 'foreign', replaceByForeignDatabase],
  ['garbage for a header', 'damaged', spoilHeader],
  ['a text', 'damaged', (file) => writeFileSync(file, 'Dear diary')],
  ['a single byte', 'damaged', (file) => truncateSync(file, 1)],
  ['a header cut short', 'damaged', (file) => truncateSync(file, 99)],
  ['only its first page', 'damaged', cutToFirstPage],
  ['all but its last byte', 'damaged', (file) => truncateSync(file, readFileSync(file).length - 1)],
  ['garbage for its schema', 'damaged', (file) => overwrite(file, 100, garbage(pageBytes - 100))],
  ['garbage for the page of the account', 'damaged', (file) => overwrite(file, accountPageAt, garbage(pageBytes))],
  ['a database without a table', 'damaged', (file) => rewrite(file, 'DROP TABLE dropped_tables')],
  ['a database without a column', 'damaged', (file) => rewrite(file, 'ALTER TABLE tables DROP COLUMN acl')],
  ['a database without its index', 'damaged', (file) => rewrite(file, 'DROP INDEX entities_by_key')],
  ['a folder in its place', 'unwritable', replaceByFolder],
];

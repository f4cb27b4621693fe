// The tables that Azurite keeps in `__azurite_db_table__.json` (LokiJS).
// Evidence: peers (Azurite 3.35: one collection lists the tables, and each table has its own collection, named
// account$table, for its entities).

import { type BigIntStats, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../model/printable-text.ts';
import { isTableName, type TableName, tableLookup } from '../model/table-name.ts';
import { FileFault } from './file-fault.ts';

export interface AzuriteFile {
  /** The file that was read. */
  readonly path: string;
  /** The tables of each account, in the order of the file. */
  readonly accounts: ReadonlyMap<string, readonly AzuriteTable[]>;
  /** Tables that the service would refuse, each with the reason. */
  readonly leftOut: readonly string[];
}

export interface AzuriteTable {
  readonly name: TableName;
  readonly acl: unknown;
  readonly documents: readonly unknown[];
}

/** Reads the tables. `given` is the path of the file or of its folder. Throws FileFault. */
export async function readAzuriteFile(given: string): Promise<AzuriteFile> {
  let path = given;
  try {
    if (statSync(given).isDirectory()) path = join(given, fileName);
    return { path, ...tablesIn(collectionsIn(JSON.parse(await readText(path)))) };
  } catch (error) {
    if (error instanceof NotAzurites) throw new FileFault(`${path} is not a table file of Azurite`);
    throw new FileFault(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const fileName = '__azurite_db_table__.json';

/** The file is read into one string, and V8 supports strings of about this length at most. */
const fileBytesMax = 500 * 1_048_576;

async function readText(path: string): Promise<string> {
  // Opening a named pipe would block.
  if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  const handle = await open(path);
  try {
    const before = await handle.stat({ bigint: true });
    if (before.size > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax / 1_048_576} MiB`);
    const bytes = await readBytes(handle, Number(before.size));
    if (isChanged(before, await handle.stat({ bigint: true }))) {
      throw new Error('it was changed while it was read: stop Azurite first');
    }
    return textOf(bytes);
  } finally {
    await handle.close();
  }
}

/** Reads no more than `size`: the file may grow in the meantime. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

const isChanged = (before: BigIntStats, after: BigIntStats): boolean =>
  before.size !== after.size || before.mtimeNs !== after.mtimeNs;

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8');
  }
}

/** The file is JSON, but not what Azurite writes. */
class NotAzurites extends Error {}

interface Members {
  readonly [name: string]: unknown;
}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Collections = ReadonlyMap<string, readonly unknown[]>;

/** The documents of each collection by its name. Throws NotAzurites. */
function collectionsIn(database: unknown): Collections {
  const list = isObject(database) ? database['collections'] : undefined;
  if (!Array.isArray(list)) throw new NotAzurites();
  const collections = new Map<string, unknown[]>();
  for (const { name, data } of list.filter(isObject)) {
    if (typeof name !== 'string' || !Array.isArray(data)) continue;
    collections.set(name, [...(collections.get(name) ?? []), ...(data as unknown[])]);
  }
  return collections;
}

const tablesCollection = '$TABLES_COLLECTION$';

function tablesIn(collections: Collections): Omit<AzuriteFile, 'path'> {
  const documents = collections.get(tablesCollection);
  if (!documents) throw new NotAzurites();
  const [accounts, leftOut] = [new Map<string, AzuriteTable[]>(), [] as string[]];
  const [named, lookups] = [new Set<string>(), new Set<string>()];
  for (const document of documents) {
    const { account, table, tableAcl } = isObject(document) ? document : {};
    if (typeof account !== 'string' || typeof table !== 'string') {
      leftOut.push('a table whose account or name is not a text');
      continue;
    }
    named.add(collectionOf(account, table));
    const refuse = (reason: string): void =>
      void leftOut.push(`account ${shownName(account)}, table ${shownName(table)}: ${reason}`);
    const entities = collections.get(collectionOf(account, table));
    const lookup = collectionOf(account, tableLookup(table));
    if (!isTableName(table)) refuse('a table cannot have this name');
    else if (lookups.has(lookup)) refuse('occurs twice');
    // Azurite creates a table and its list together. Importing this table as empty could replace an existing table and
    // lose its entities.
    else if (!entities) refuse('the file has no list of its entities');
    else {
      const tables = accounts.get(account) ?? [];
      accounts.set(account, tables);
      tables.push({ name: table, acl: tableAcl, documents: entities });
      lookups.add(lookup);
    }
  }
  return { accounts, leftOut: [...leftOut, ...lostEntities(collections, named)] };
}

const collectionOf = (account: string, table: string): string => `${account}$${table}`;

/** Entities of a table that the file does not name. */
function lostEntities(collections: Collections, named: ReadonlySet<string>): string[] {
  return [...collections].flatMap(([name, { length }]) => {
    if (name.startsWith('$') || named.has(name) || length === 0) return [];
    return [`collection ${quote(name)}: ${length} documents of a table that the file does not name`];
  });
}

/** A name as messages show it: quoted, unless it has the form of a name. */
const shownName = (name: string): string => (/^[0-9A-Za-z]{1,63}$/.test(name) ? name : quote(name));

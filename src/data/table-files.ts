// Which files contain which tables.

import { type Dirent, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  encodeSignedIdentifiers,
  identifierCharsMax,
  isTablePermission,
  type SignedIdentifier,
  signedIdentifiersMax,
} from '../model/access-policy.ts';
import { cutMiddle, quote } from '../model/printable-text.ts';
import { isTableName, type TableName, tableLookup } from '../model/table-name.ts';
import { formatTicksFull, parseDateTime } from '../model/ticks.ts';
import { FileFault } from './file-fault.ts';
import { type FileFormat, readFileName } from './file-names.ts';

/** Maximum length of a table's name. Messages show longer names from files in a shortened form. */
const nameCharsMax = 63;

/** The file with the access policies of the tables in its folder. */
export const policiesFileName = 'tables.json';

export interface TableFile {
  readonly path: string;
  readonly table: TableName;
  readonly format: FileFormat;
  readonly bytes: number;
}

export interface TableFiles {
  readonly files: readonly TableFile[];
  /** The policies of each table as the store keeps them, by lookup name. */
  readonly policies: ReadonlyMap<string, string>;
}

/**
 * Finds tables in the given files and folders. In a folder, ignores subfolders, hidden files and files with other
 * endings. A given file must be a table file. Throws FileFault.
 */
export async function findTableFiles(paths: readonly string[]): Promise<TableFiles> {
  const files = new Map<string, TableFile>();
  const policyPaths: string[] = [];
  for (const path of paths.flatMap(filesToSeed)) {
    if (basename(path) === policiesFileName) {
      policyPaths.push(path);
      continue;
    }
    const file = tableFileAt(path);
    const other = files.get(tableLookup(file.table));
    if (other) throw new FileFault(`${path} and ${other.path} are both for table ${file.table}`);
    files.set(tableLookup(file.table), file);
  }
  const policies = new Map<string, string>();
  for (const path of policyPaths) {
    for (const [table, list] of await readPolicies(path)) {
      const lookup = tableLookup(table);
      if (!files.has(lookup))
        throw new FileFault(`${path} names table ${cutMiddle(table, nameCharsMax)}, but there is no file for it`);
      if (policies.has(lookup)) throw new FileFault(`${path} names table ${table}, which is named before`);
      policies.set(lookup, list);
    }
  }
  return { files: [...files.values()], policies };
}

/**
 * Returns the files to seed. Refuses a folder without table files. Such a folder could stand for an account without
 * tables, but it is probably the wrong folder.
 */
function filesToSeed(path: string): string[] {
  const files = filesAt(path);
  if (files.length > 0) return files;
  throw new FileFault(`${path} is a folder without table files, which end in .ndjson, .jsonl, .csv or .json`);
}

/** The table files in a folder, judged only by their names. Throws FileFault. */
export function namedTableFiles(folder: string): { readonly path: string; readonly lookup: string }[] {
  return filesAt(folder).flatMap((path) => {
    const name = readFileName(basename(path))?.table;
    if (name === undefined || basename(path) === policiesFileName) return [];
    return [{ path, lookup: tableLookup(name) }];
  });
}

function filesAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.filter(isTableEntry).map(({ name }) => join(path, name));
  } catch (error) {
    throw unreadable(path, error);
  }
}

const isTableEntry = (entry: Dirent): boolean =>
  !entry.isDirectory() && !entry.name.startsWith('.') && readFileName(entry.name) !== undefined;

const unreadable = (path: string, error: unknown): FileFault =>
  new FileFault(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

function tableFileAt(path: string): TableFile {
  const named = readFileName(basename(path));
  if (!named) throw new FileFault(`${path} does not end in .ndjson, .jsonl, .csv or .json`);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error('it is not a file');
    return { path, table: tableNamed(path, named.table), format: named.format, bytes: stats.size };
  } catch (error) {
    throw error instanceof FileFault ? error : unreadable(path, error);
  }
}

function tableNamed(path: string, name: string): TableName {
  if (isTableName(name)) return name;
  throw new FileFault(
    `${path}: ${name} is not the name of a table, which has 3 to 63 letters and digits, begins with a letter, and is not Tables`,
  );
}

/** The policies of each table as the store keeps them, by the name of the table. Throws FileFault. */
export async function readPolicies(path: string): Promise<ReadonlyMap<string, string>> {
  const tables = new Map<string, string>();
  let value: unknown;
  try {
    // Opening a named pipe would block.
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    value = JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    throw unreadable(path, error);
  }
  for (const [table, list] of Object.entries(membersOf(value, path))) {
    const policies = readSignedIdentifiers(list);
    if (typeof policies === 'string')
      throw new FileFault(`${path}: table ${cutMiddle(table, nameCharsMax)}: ${policies}`);
    if (policies.length > 0) tables.set(table, encodeSignedIdentifiers(policies));
  }
  return tables;
}

function membersOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new FileFault(`${path} is not an object of tables`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The access policies of a table in a file or a request, or what is wrong with them. */
export function readSignedIdentifiers(value: unknown): readonly SignedIdentifier[] | string {
  if (!Array.isArray(value)) return 'its policies are not a list';
  if (value.length > signedIdentifiersMax)
    return `it has ${value.length} policies; ${signedIdentifiersMax} are allowed`;
  const read: SignedIdentifier[] = [];
  for (const one of value as readonly unknown[]) {
    const policy = readPolicy(one);
    if (typeof policy === 'string') return policy;
    if (read.some(({ id }) => id === policy.id)) return `it has two policies with the id ${policy.id}`;
    read.push(policy);
  }
  return read;
}

function readPolicy(value: unknown): SignedIdentifier | string {
  if (!isObject(value)) return 'a policy is not an object';
  const { id, start, expiry, permission, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `a policy has ${quote(unknown)}: its members are id, start, expiry, permission`;
  if (typeof id !== 'string' || id.length === 0 || id.length > identifierCharsMax) {
    return `the id of a policy is a text of 1 to ${identifierCharsMax} characters`;
  }
  const [from, until] = [momentOf(start), momentOf(expiry)];
  if (from === null || until === null) return `policy ${id}: start and expiry are times such as 2030-01-31T12:00:00Z`;
  if (permission !== undefined && (typeof permission !== 'string' || !isTablePermission(permission))) {
    return `policy ${id}: permission consists of letters of raud`;
  }
  return {
    id,
    ...(from === undefined ? {} : { start: from }),
    ...(until === undefined ? {} : { expiry: until }),
    ...(permission === undefined ? {} : { permission }),
  };
}

/** Reads a time. Null for a value that is not a time. */
function momentOf(value: unknown): string | undefined | null {
  if (value === undefined) return undefined;
  const ticks = typeof value === 'string' ? parseDateTime(value) : undefined;
  return ticks === undefined ? null : formatTicksFull(ticks);
}

// Writes tables as files: under other names first, so that no file of a final name is cut.

import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { createInterface } from 'node:readline';
import type { SignedIdentifier } from '../model/access-policy.ts';
import { decodeProperties } from '../model/properties.ts';
import { tableLookup } from '../model/table-name.ts';
import { byteOrderMark } from './csv.ts';
import { csvEntity, csvHeader } from './entity-csv.ts';
import { EntityFault, readStoredEntity } from './file-entity.ts';
import { FileFault } from './file-fault.ts';
import { type FileFormat, namedTableFiles, policiesFileName, tableFileName } from './table-files.ts';

export interface ExportedTable {
  readonly name: string;
  readonly policies: readonly SignedIdentifier[];
}

/** The tables of an account at one moment. Every source is closed. */
export interface ExportSource {
  /** In the order of their names. */
  readonly tables: readonly ExportedTable[];
  /** Entities in key order, page by page, each as a JSON object without line end. A table can be read once. */
  lines(table: string): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

export interface ExportOptions {
  readonly format: FileFormat;
  /** In any case; all where absent. */
  readonly tables?: readonly string[];
  /** Removes what would be obsolete. */
  readonly isClean?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (entities: number) => void;
}

export interface Exported {
  readonly tables: readonly WrittenTable[];
  /** Files in the folder that are not of this export: of tables that do not exist, or of an exported one in another format. */
  readonly obsolete: readonly string[];
}

export interface WrittenTable {
  readonly name: string;
  readonly entities: number;
}

/** Those that are asked for. Throws FileFault where one does not exist. */
export function chooseTables({ tables }: ExportSource, names: readonly string[] | undefined): readonly ExportedTable[] {
  if (!names) return tables;
  const missing = names.find((name) => !tables.some((table) => tableLookup(table.name) === tableLookup(name)));
  if (missing !== undefined) throw new FileFault(`there is no table ${missing}`);
  const lookups = new Set(names.map(tableLookup));
  return tables.filter(({ name }) => lookups.has(tableLookup(name)));
}

/** Writes each table as a file of the folder, which is created if missing. Throws FileFault. */
export async function exportTables(source: ExportSource, folder: string, options: ExportOptions): Promise<Exported> {
  const tables = chooseTables(source, options.tables);
  const drafts: { readonly draft: string; readonly path: string }[] = [];
  const draftOf = (name: string): string => {
    const path = join(folder, name);
    const draft = join(folder, `.${name}.${process.pid}.part`);
    drafts.push({ draft, path });
    return draft;
  };
  let renamed = 0;
  try {
    await mkdir(folder, { recursive: true });
    await removeLeftDrafts(folder);
    const written: WrittenTable[] = [];
    let before = 0;
    for (const { name } of tables) {
      const lines = watch(source.lines(name), (count) => options.onProgress?.(before + count), options.signal);
      const entities = await writeFile(draftOf(tableFileName(name, options.format)), { lines, format: options.format });
      written.push({ name, entities });
      before += entities;
    }
    const policies = policiesText(tables);
    if (policies !== undefined || (await exists(join(folder, policiesFileName)))) {
      await withFile(draftOf(policiesFileName), (file) => file.writeFile(policies ?? '{}\n'));
    }
    options.signal?.throwIfAborted();
    for (const { draft, path } of drafts) {
      await rename(draft, path);
      renamed += 1;
    }
    const obsolete = await obsoleteFiles(folder, { existing: source.tables, written: drafts.map(({ path }) => path) });
    if (options.isClean) for (const path of obsolete) await rm(path);
    return { tables: written, obsolete: options.isClean ? [] : obsolete };
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true });
    throw writingFault(folder, error, renamed === 0 ? undefined : `${renamed} of ${drafts.length} files are written`);
  }
}

const draftName = /^\..+\.(\d+)\.part(?:\.rows)?$/;

/** What killed exports left. */
async function removeLeftDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = draftName.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** What `seed` would take from the folder beside the files that were written, of tables that are not as the file says. */
async function obsoleteFiles(
  folder: string,
  { existing, written }: { readonly existing: readonly ExportedTable[]; readonly written: readonly string[] },
): Promise<readonly string[]> {
  const current = new Set(existing.map(({ name }) => tableLookup(name)));
  const renewed = new Set(written.map((path) => tableLookup(parse(path).name)));
  // By identity: where the case of names does not count, a file may have kept the name it had.
  const own = new Set(await Promise.all(written.map(async (path) => (await stat(path)).ino)));
  const obsolete: string[] = [];
  for (const { path, lookup } of namedTableFiles(folder)) {
    if (current.has(lookup) && !renewed.has(lookup)) continue;
    if (!own.has((await stat(path)).ino)) obsolete.push(path);
  }
  return obsolete;
}

/** Passes the text of one table on. CSV keeps the lines in a file of the temporary folder until it knows all columns. */
export async function streamTable(
  source: ExportSource,
  { table, write, ...options }: ExportOptions & StreamTarget,
): Promise<number> {
  let count = 0;
  const noteCount = (sum: number): void => {
    count = sum;
    options.onProgress?.(sum);
  };
  const lines = watch(source.lines(table), noteCount, options.signal);
  // A folder of its own, which no other user can read or foresee.
  const folder = await mkdtemp(join(tmpdir(), 'tanzanite-export-'));
  const spool = join(folder, 'rows');
  try {
    for await (const text of textOf(lines, { format: options.format, spool })) await write(text);
    return count;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface StreamTarget {
  readonly table: string;
  readonly write: (text: string) => Promise<void>;
}

type Lines = AsyncIterable<readonly string[]>;

async function* watch(lines: Lines, note: (count: number) => void, signal?: AbortSignal): Lines {
  let count = 0;
  for await (const page of lines) {
    signal?.throwIfAborted();
    count += page.length;
    note(count);
    yield page;
  }
}

async function writeFile(path: string, { lines, format }: { lines: Lines; format: FileFormat }): Promise<number> {
  let count = 0;
  const counted = watch(lines, (sum) => {
    count = sum;
  });
  const spool = `${path}.rows`;
  try {
    await withFile(path, async (file) => {
      for await (const text of textOf(counted, { format, spool })) await file.write(text);
    });
  } finally {
    await rm(spool, { force: true });
  }
  return count;
}

/** A new file: a link that somebody else put there is not followed. Throws FileFault. */
async function withFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await rm(path, { force: true });
    const file = await open(path, 'wx');
    try {
      await use(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw writingFault(dirname(path), error);
  }
}

/** The text of a file, in pieces. */
async function* textOf(lines: Lines, { format, spool }: { format: FileFormat; spool: string }): AsyncIterable<string> {
  if (format === 'csv') {
    yield* csvText(lines, spool);
    return;
  }
  let isFirst = true;
  for await (const page of lines) {
    if (page.length === 0) continue;
    if (format === 'ndjson') yield `${page.join('\n')}\n`;
    else yield `${isFirst ? '[\n' : ',\n'}${page.join(',\n')}`;
    isFirst = false;
  }
  if (format === 'json') yield isFirst ? '[]\n' : '\n]\n';
}

/** The header needs every name that occurs: the lines wait in a file of their own until all are known. */
async function* csvText(lines: Lines, spool: string): AsyncIterable<string> {
  const names = new Set<string>();
  await withFile(spool, async (file) => {
    for await (const page of lines) {
      for (const line of page)
        for (const name of decodeProperties(readStoredEntity(line).properties).keys()) names.add(name);
      if (page.length > 0) await file.write(`${page.join('\n')}\n`);
    }
  });
  const sorted = [...names].sort();
  yield byteOrderMark + csvHeader(sorted);
  let text = '';
  for await (const line of createInterface({ input: createReadStream(spool), crlfDelay: Number.POSITIVE_INFINITY })) {
    text += csvLine(line, sorted);
    if (text.length < csvPieceChars) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

const csvPieceChars = 65_536;

function csvLine(line: string, names: readonly string[]): string {
  const entity = readStoredEntity(line);
  try {
    return csvEntity(entity, names);
  } catch (error) {
    if (!(error instanceof EntityFault)) throw error;
    const { partitionKey, rowKey } = entity;
    const which = `the entity of PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)}`;
    throw new FileFault(`${which}: ${error.message}; ndjson and json can`);
  }
}

/** Undefined if no table has any. */
function policiesText(tables: readonly ExportedTable[]): string | undefined {
  const withPolicies = tables.filter(({ policies }) => policies.length > 0);
  if (withPolicies.length === 0) return undefined;
  const entries = withPolicies.map(({ name, policies }) => [
    name,
    policies.map(({ id, start, expiry, permission }) => ({ id, start, expiry, permission })),
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function writingFault(folder: string, error: unknown, outcome?: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return new FileFault(`${folder} cannot be written: ${error.message}`, { cause: error, outcome });
}

// Writes tables as files, first under other names, so that a file with its final name is always complete.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedIdentifier } from '../model/access-policy.ts';
import { quote } from '../model/printable-text.ts';
import { isTableName, tableLookup } from '../model/table-name.ts';
import { createFolder } from '../storage/create-folder.ts';
import { ExportDrafts } from './export-drafts.ts';
import { checkReplaceable, obsoleteFiles, removeObsolete } from './export-folder.ts';
import { policiesText } from './export-policies.ts';
import { exportText } from './export-text.ts';
import { FileFault, writingFault } from './file-fault.ts';
import { type FileFormat, tableFileName } from './file-names.ts';
import { policiesFileName } from './table-files.ts';
import type { Lines } from './table-text.ts';

export interface ExportedTable {
  readonly name: string;
  readonly policies: readonly SignedIdentifier[];
}

/** The tables of an account at one moment. Every source must be closed. */
export interface ExportSource {
  /** Sorted by name. */
  readonly tables: readonly ExportedTable[];
  /** Entities in key order, page by page, each as a JSON object without line end. A table can be read only once. */
  lines(table: string): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

export interface ExportTablesOptions {
  readonly format: FileFormat;
  /** Names of tables, not case-sensitive. If absent, all tables. */
  readonly tables?: readonly string[];
  /** Whether to remove obsolete files that an export wrote. */
  readonly isClean?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (entities: number) => void;
}

export interface Exported {
  readonly tables: readonly WrittenTable[];
  /**
   * Files in the folder that this export did not write. The table of such a file does not exist, or was exported in
   * another format.
   */
  readonly obsolete: readonly string[];
  /** The obsolete files that were removed. Present only with `isClean`. */
  readonly removed?: readonly string[];
}

export interface WrittenTable {
  readonly name: string;
  readonly entities: number;
}

/** The requested tables. Throws FileFault if one does not exist. */
export function chooseTables({ tables }: ExportSource, names: readonly string[] | undefined): readonly ExportedTable[] {
  if (!names) return tables;
  const missing = names.find((name) => !tables.some((table) => tableLookup(table.name) === tableLookup(name)));
  if (missing !== undefined) throw new FileFault(`there is no table ${missing}`);
  const lookups = new Set(names.map(tableLookup));
  return tables.filter(({ name }) => lookups.has(tableLookup(name)));
}

/**
 * Writes each table to a file in the folder, and creates the folder if it is missing. If the content of a file shows
 * that no export wrote it, the file is neither replaced nor removed. Throws FileFault.
 */
export async function exportTables(
  source: ExportSource,
  folder: string,
  options: ExportTablesOptions,
): Promise<Exported> {
  const tables = chooseTables(source, options.tables);
  const strange = tables.find(({ name }) => !isTableName(name));
  if (strange) throw new FileFault(`${quote(strange.name)} is not the name of a table`);
  const targets = tables.map(({ name }) => join(folder, tableFileName(name, options.format)));
  const existing = new Set(source.tables.map(({ name }) => tableLookup(name)));
  const policies = { tables, staysFor: (lookup: string) => !options.isClean || existing.has(lookup) };
  let drafts: ExportDrafts | undefined;
  try {
    createFolder(folder);
    drafts = await ExportDrafts.open(folder);
    await checkReplaceable(targets);
    await policiesText(folder, policies);
    const written = await writeTables(source, { tables, drafts, options });
    // The files are checked again, because writing may have taken a long time.
    await checkReplaceable(targets);
    const text = await policiesText(folder, policies);
    if (text !== undefined) await drafts.write(policiesFileName, (file) => file.writeFile(text));
    options.signal?.throwIfAborted();
    await drafts.publish();
    const obsolete = await obsoleteFiles(folder, { existing, written: drafts.paths });
    if (!options.isClean) return { tables: written, obsolete };
    const removed = await removeObsolete(obsolete, drafts.begun);
    return { tables: written, obsolete: obsolete.filter((path) => !removed.includes(path)), removed };
  } catch (error) {
    throw writingFault(folder, error);
  } finally {
    await drafts?.close();
  }
}

async function writeTables(
  source: ExportSource,
  {
    tables,
    drafts,
    options,
  }: {
    readonly tables: readonly ExportedTable[];
    readonly drafts: ExportDrafts;
    readonly options: ExportTablesOptions;
  },
): Promise<readonly WrittenTable[]> {
  const written: WrittenTable[] = [];
  let before = 0;
  for (const { name } of tables) {
    const lines = watch(source.lines(name), (count) => options.onProgress?.(before + count), options.signal);
    const entities = await writeTable(drafts, { name, lines, format: options.format });
    written.push({ name, entities });
    before += entities;
  }
  return written;
}

/** Streams the text of one table. CSV keeps the lines in a temporary file until all columns are known. */
export async function streamTable(
  source: ExportSource,
  { table, write, ...options }: ExportTablesOptions & StreamTarget,
): Promise<number> {
  let count = 0;
  const onCount = (sum: number): void => {
    count = sum;
    options.onProgress?.(sum);
  };
  const lines = watch(source.lines(table), onCount, options.signal);
  // A new folder that other users can neither read nor predict.
  const folder = await mkdtemp(join(tmpdir(), 'tanzanite-export-'));
  const spool = join(folder, 'rows');
  try {
    for await (const text of exportText(lines, { format: options.format, spool })) await write(text);
    return count;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface StreamTarget {
  readonly table: string;
  readonly write: (text: string) => Promise<void>;
}

async function* watch(lines: Lines, onCount: (count: number) => void, signal?: AbortSignal): Lines {
  let count = 0;
  for await (const page of lines) {
    signal?.throwIfAborted();
    count += page.length;
    onCount(count);
    yield page;
  }
}

/** Resolves with the number of entities. */
async function writeTable(
  drafts: ExportDrafts,
  { name, lines, format }: { readonly name: string; readonly lines: Lines; readonly format: FileFormat },
): Promise<number> {
  let count = 0;
  const counted = watch(lines, (sum) => {
    count = sum;
  });
  await drafts.write(tableFileName(name, format), async (file, spool) => {
    // `writeFile`, because `write` may write only a part of the text.
    for await (const text of exportText(counted, { format, spool })) await file.writeFile(text);
  });
  return count;
}

// Fills tables from files: all of a run, or nothing of it.

import { createReadStream } from 'node:fs';
import { type TableName, tableLookup } from '../model/table-name.ts';
import { CsvEntityReader } from './entity-csv.ts';
import { EntityFault, type FileEntity, readFileEntity } from './file-entity.ts';
import { FileFault, LineFault } from './file-fault.ts';
import { arrayCutter, type FileRecord, lineCutter, type RecordCutter } from './file-records.ts';
import type { FileFormat, TableFile, TableFiles } from './table-files.ts';

/** What tables are filled in: nothing is seen of them before `finish`. */
export interface SeedTarget {
  addTable(name: TableName, policies: string | undefined): Promise<void>;
  /** The index of the first entity whose key the table has already; undefined if all were added. */
  addEntities(table: TableName, entities: readonly FileEntity[]): Promise<number | undefined>;
  finish(): Promise<void>;
  /** Forgets everything. */
  abandon(): Promise<void>;
}

export interface SeedOptions {
  readonly signal?: AbortSignal;
  /** Entities so far, and the bytes of the files: those read, and all. */
  readonly onProgress?: (entities: number, bytes: { readonly read: number; readonly total: number }) => void;
}

export interface SeededTable {
  readonly name: string;
  readonly entities: number;
}

/** Entities, or characters of their properties, that are added at once. */
const batchEntitiesMax = 500;
const batchCharsMax = 512 * 1024;
/** So much of a file is parsed in one turn of the event loop. */
const readBytes = 64 * 1024;

/** Throws FileFault for a file that cannot be taken, and whatever the target throws; nothing is changed then. */
export async function seedTables(
  { files, policies }: TableFiles,
  target: SeedTarget,
  options: SeedOptions = {},
): Promise<readonly SeededTable[]> {
  const seeded: SeededTable[] = [];
  const progress = { entities: 0, read: 0, total: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  try {
    for (const file of files) {
      await target.addTable(file.table, policies.get(tableLookup(file.table)));
      const entities = await seedTable(file, target, { ...options, progress });
      seeded.push({ name: file.table, entities });
    }
    options.signal?.throwIfAborted();
    await target.finish();
    return seeded;
  } catch (error) {
    // What led here is the error to report: a target that cannot be reached forgets the load by itself.
    await target.abandon().catch(() => undefined);
    throw error;
  }
}

interface FileSeed extends SeedOptions {
  readonly progress: { entities: number; read: number; readonly total: number };
}

/** The next batch is parsed while the one before it is added. */
async function seedTable(
  file: TableFile,
  target: SeedTarget,
  { signal, progress, onProgress }: FileSeed,
): Promise<number> {
  let count = 0;
  let adding: Promise<void> = Promise.resolve();
  const add = async (batch: Batch): Promise<void> => {
    const at = await target.addEntities(file.table, batch.entities);
    if (at === undefined) return;
    const { partitionKey, rowKey } = batch.entities[at] as FileEntity;
    const what = `PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)}`;
    throw new FileFault(`${file.path}:${batch.lines[at]}: ${what} occur twice`);
  };
  try {
    for await (const { batch, bytes } of readBatches(file)) {
      signal?.throwIfAborted();
      await adding;
      progress.read += bytes;
      progress.entities += batch.entities.length;
      count += batch.entities.length;
      onProgress?.(progress.entities, progress);
      if (batch.entities.length === 0) continue;
      adding = add(batch);
      // It is awaited with the next batch; until then its failure is nobody's.
      adding.catch(() => undefined);
    }
    await adding;
    return count;
  } catch (error) {
    await adding.catch(() => undefined);
    throw error;
  }
}

interface Batch {
  readonly entities: FileEntity[];
  /** Where each begins. */
  readonly lines: number[];
  chars: number;
}

const emptyBatch = (): Batch => ({ entities: [], lines: [], chars: 0 });

/** Batches with how many bytes were read since the last one; one may be empty. Throws FileFault. */
async function* readBatches({ path, format }: TableFile): AsyncGenerator<{ batch: Batch; bytes: number }> {
  const cutter: RecordCutter = format === 'json' ? arrayCutter() : lineCutter({ hasQuotes: format === 'csv' });
  const read = entityReader(format);
  let batch = emptyBatch();
  let bytes = 0;
  const take = (record: FileRecord): boolean => {
    const entity = readRecord(record, read);
    if (!entity) return false;
    batch.entities.push(entity);
    batch.lines.push(record.line);
    batch.chars += entity.properties.length;
    return batch.entities.length >= batchEntitiesMax || batch.chars >= batchCharsMax;
  };
  const cut = (): { batch: Batch; bytes: number } => {
    const full = { batch, bytes };
    batch = emptyBatch();
    bytes = 0;
    return full;
  };
  try {
    for await (const piece of createReadStream(path, { highWaterMark: readBytes }) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      for (const record of cutter.push(piece)) if (take(record)) yield cut();
    }
    for (const record of cutter.end()) take(record);
    yield cut();
  } catch (error) {
    if (error instanceof LineFault) throw new FileFault(`${path}:${error.line}: ${error.message}`);
    throw readingFault(path, error);
  }
}

/** Undefined for a header. */
type ReadRecord = (text: string) => FileEntity | undefined;

function entityReader(format: FileFormat): ReadRecord {
  if (format !== 'csv') return readFileEntity;
  let reader: CsvEntityReader | undefined;
  return (text) => {
    if (reader) return reader.read(text);
    reader = new CsvEntityReader(text);
    return undefined;
  };
}

function readRecord({ text, line }: FileRecord, read: ReadRecord): FileEntity | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof EntityFault) throw new LineFault(line, error.message);
    throw error;
  }
}

/** An error of the system names the file; any other is a fault of the program. */
function readingFault(path: string, error: unknown): unknown {
  const isSystems = error instanceof Error && 'syscall' in error;
  return isSystems ? new FileFault(`${path} cannot be read: ${error.message}`, { cause: error }) : error;
}

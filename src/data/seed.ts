// Fills tables from files. A run is applied completely or not at all.

import { createReadStream } from 'node:fs';
import { type TableName, tableLookup } from '../model/table-name.ts';
import { EntityReader } from './entity-reader.ts';
import type { FileEntity } from './file-entity.ts';
import { FileFault, LineFault, twiceText } from './file-fault.ts';
import { type LineBlock, LineBlocks } from './line-blocks.ts';
import type { ReadRecord } from './record-reader.ts';
import type { TableFile, TableFiles } from './table-files.ts';

/** Where tables are filled. Nothing of them is visible before `finish`. */
export interface SeedTarget {
  addTable(name: TableName, policies: string | undefined): Promise<void>;
  /** The index of the first entity whose key the table already has; undefined if all were added. */
  addEntities(table: TableName, entities: readonly FileEntity[]): Promise<number | undefined>;
  /**
   * Adds entities as unparsed lines of NDJSON. A target without this method gets parsed entities. Returns the number of
   * entities. Throws LineFault, whose line number counts from the start of `bytes`. Some entities may have been added
   * before the method throws.
   */
  addLines?(table: TableName, bytes: Buffer): Promise<number>;
  finish(): Promise<void>;
  /** Drops everything that was added. */
  abandon(): Promise<void>;
}

export interface SeedTablesOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of entities so far, and with the bytes of the files: read so far, and in total. */
  readonly onProgress?: (entities: number, bytes: { readonly read: number; readonly total: number }) => void;
}

export interface SeededTable {
  readonly name: string;
  readonly entities: number;
}

/** Limits of a batch: entities, and characters of their properties or bytes of their lines. */
export const batchEntitiesMax = 500;
export const batchCharsMax = 512 * 1024;
/** How much of a file is parsed in one turn of the event loop. */
const readBytes = 64 * 1024;

/**
 * Fills the tables. If this fails, changes nothing and throws. If a file cannot be used, throws FileFault. Otherwise,
 * throws the error of the target.
 */
export async function seedTables(
  { files, policies }: TableFiles,
  target: SeedTarget,
  options: SeedTablesOptions = {},
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
    // The first failure is the error to report. A target that cannot be reached abandons the load itself.
    await target.abandon().catch(() => undefined);
    throw error;
  }
}

interface FileSeed extends SeedTablesOptions {
  readonly progress: { entities: number; read: number; readonly total: number };
}

/** Reads the next batch while the previous one is added. */
async function seedTable(
  file: TableFile,
  target: SeedTarget,
  { signal, progress, onProgress }: FileSeed,
): Promise<number> {
  let count = 0;
  let adding: Promise<void> = Promise.resolve();
  const add = async ({ add, bytes }: Step): Promise<void> => {
    const entities = await add();
    count += entities;
    progress.entities += entities;
    progress.read += bytes;
    onProgress?.(progress.entities, progress);
  };
  try {
    const isPassedOn = target.addLines !== undefined && file.format === 'ndjson';
    for await (const step of isPassedOn ? stepsOfLines(file, target) : stepsOfEntities(file, target)) {
      signal?.throwIfAborted();
      await adding;
      adding = add(step);
      // The next step awaits `adding`. Until then, its rejection must not count as unhandled.
      adding.catch(() => undefined);
    }
    await adding;
    return count;
  } catch (error) {
    await adding.catch(() => undefined);
    throw error;
  }
}

/** A part of a file that is added in one call. */
interface Step {
  /** Adds the entities of the step and returns their number. Throws FileFault. */
  readonly add: () => Promise<number>;
  /** How many bytes were read since the last step. */
  readonly bytes: number;
}

/** Steps with unparsed lines: only the target parses them. */
async function* stepsOfLines(file: TableFile, target: SeedTarget): AsyncGenerator<Step> {
  const stepOf = ({ bytes, firstLine }: LineBlock): Step => ({
    bytes: bytes.length,
    add: async () => {
      try {
        return (await target.addLines?.(file.table, bytes)) ?? 0;
      } catch (error) {
        throw error instanceof LineFault ? faultAt(file, firstLine + error.line - 1, error.message) : error;
      }
    },
  });
  for await (const block of blocksOf(file)) yield stepOf(block);
}

async function* stepsOfEntities(file: TableFile, target: SeedTarget): AsyncGenerator<Step> {
  for await (const { batch, bytes } of readBatches(file)) {
    const { entities, lines } = batch;
    const add = async (): Promise<number> => {
      const at = entities.length === 0 ? undefined : await target.addEntities(file.table, entities);
      if (at === undefined) return entities.length;
      throw faultAt(file, lines[at] ?? 0, twiceText(entities[at] as FileEntity));
    };
    yield { add, bytes };
  }
}

const faultAt = ({ path }: TableFile, line: number, reason: string): FileFault =>
  new FileFault(`${path}:${line}: ${reason}`);

/** The file in blocks of lines. Throws FileFault. */
async function* blocksOf(file: TableFile): AsyncGenerator<LineBlock> {
  const blocks = new LineBlocks({ lines: batchEntitiesMax, bytes: batchCharsMax });
  try {
    const pieces = createReadStream(file.path, { highWaterMark: readBytes }) as AsyncIterable<Buffer>;
    for await (const piece of pieces) yield* blocks.push(piece);
    yield* blocks.end();
  } catch (error) {
    throw readingFault(file, error);
  }
}

interface Batch {
  readonly entities: FileEntity[];
  /** The line on which each entity begins. */
  readonly lines: number[];
  chars: number;
}

const emptyBatch = (): Batch => ({ entities: [], lines: [], chars: 0 });

/**
 * Reads the file in batches. Each batch comes with the number of bytes that were read since the previous batch. A batch
 * may be empty. Throws FileFault.
 */
async function* readBatches(file: TableFile): AsyncGenerator<{ batch: Batch; bytes: number }> {
  const { path, format } = file;
  const reader = new EntityReader(format);
  let batch = emptyBatch();
  let bytes = 0;
  const take = ({ entity, line }: ReadRecord<FileEntity>): boolean => {
    batch.entities.push(entity);
    batch.lines.push(line);
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
      for (const read of reader.push(piece)) if (take(read)) yield cut();
    }
    for (const read of reader.end()) take(read);
    yield cut();
  } catch (error) {
    throw readingFault(file, error);
  }
}

/** Adds the name of the file to a system error and to a LineFault. Any other error is a bug and stays unchanged. */
function readingFault(file: TableFile, error: unknown): unknown {
  if (error instanceof LineFault) return faultAt(file, error.line, error.message);
  const isSystems = error instanceof Error && 'syscall' in error;
  return isSystems ? new FileFault(`${file.path} cannot be read: ${error.message}`, { cause: error }) : error;
}

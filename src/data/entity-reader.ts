// Reads the entities of a file, whose bytes come in pieces, in any of its formats.

import { CsvEntityReader } from './entity-csv.ts';
import { EntityFault, type FileEntity, readFileEntity } from './file-entity.ts';
import { LineFault } from './file-fault.ts';
import type { FileFormat } from './file-names.ts';
import { arrayCutter, type FileRecord, lineCutter, type RecordCutter } from './file-records.ts';

export interface ReadEntity {
  readonly entity: FileEntity;
  /** Where it begins, 1-based. */
  readonly line: number;
}

/** Both methods throw LineFault, for what is no entity that the service takes, too. */
export class EntityReader {
  readonly #cutter: RecordCutter;
  readonly #isCsv: boolean;
  /** Of CSV, once its header was read. */
  #rows: CsvEntityReader | undefined;

  constructor(format: FileFormat) {
    this.#isCsv = format === 'csv';
    this.#cutter = format === 'json' ? arrayCutter() : lineCutter({ hasQuotes: this.#isCsv });
  }

  push(bytes: Uint8Array): Generator<ReadEntity> {
    return this.#read(this.#cutter.push(bytes));
  }

  /** After the last bytes. */
  end(): Generator<ReadEntity> {
    return this.#read(this.#cutter.end());
  }

  *#read(records: Iterable<FileRecord>): Generator<ReadEntity> {
    for (const { text, line } of records) {
      const entity = this.#entityOf(text, line);
      if (entity) yield { entity, line };
    }
  }

  /** Undefined for a header. */
  #entityOf(text: string, line: number): FileEntity | undefined {
    try {
      if (!this.#isCsv) return readFileEntity(text);
      if (this.#rows) return this.#rows.read(text);
      this.#rows = new CsvEntityReader(text);
      return undefined;
    } catch (error) {
      if (error instanceof EntityFault) throw new LineFault(line, error.message);
      throw error;
    }
  }
}

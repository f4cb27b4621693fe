// Reads the records of a file of any format. The bytes come in pieces.

import { CsvEntityReader } from './entity-csv.ts';
import { EntityFault } from './file-entity.ts';
import { LineFault } from './file-fault.ts';
import type { FileFormat } from './file-names.ts';
import { arrayCutter, type FileRecord, lineCutter, type RecordCutter } from './file-records.ts';

/** Turns records into entities or rows. Both functions throw EntityFault. */
export interface RecordForm<Entity> {
  /** Whether the header of a CSV file must name the keys. */
  readonly needsKeys: boolean;
  fromJson(text: string): Entity;
  fromCsv(rows: CsvEntityReader, record: string): Entity;
}

export interface ReadRecord<Entity> {
  readonly entity: Entity;
  /** The line on which the record begins, 1-based. */
  readonly line: number;
}

/** Both methods throw LineFault. */
export class RecordReader<Entity> {
  readonly #form: RecordForm<Entity>;
  readonly #cutter: RecordCutter;
  readonly #isCsv: boolean;
  /** Set for CSV, once the header was read. */
  #rows: CsvEntityReader | undefined;

  constructor(format: FileFormat, form: RecordForm<Entity>) {
    this.#form = form;
    this.#isCsv = format === 'csv';
    this.#cutter = format === 'json' ? arrayCutter() : lineCutter({ hasQuotes: this.#isCsv });
  }

  push(bytes: Uint8Array): Generator<ReadRecord<Entity>> {
    return this.#read(this.#cutter.push(bytes));
  }

  /** To be called after the last bytes. */
  end(): Generator<ReadRecord<Entity>> {
    return this.#read(this.#cutter.end());
  }

  *#read(records: Iterable<FileRecord>): Generator<ReadRecord<Entity>> {
    for (const { text, line } of records) {
      const entity = this.#entityOf(text, line);
      if (entity) yield { entity, line };
    }
  }

  /** Undefined for the header of CSV. */
  #entityOf(text: string, line: number): Entity | undefined {
    const { fromJson, fromCsv, needsKeys } = this.#form;
    try {
      if (!this.#isCsv) return fromJson(text);
      if (this.#rows) return fromCsv(this.#rows, text);
      this.#rows = new CsvEntityReader(text, { needsKeys });
      return undefined;
    } catch (error) {
      if (error instanceof EntityFault) throw new LineFault(line, error.message);
      throw error;
    }
  }
}

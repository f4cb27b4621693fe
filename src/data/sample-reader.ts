// Reads rows that need no keys, from a file in any format of tables: what a design of keys is tried with.

import type { EdmValue } from '../model/edm.ts';
import { CsvEntityReader } from './entity-csv.ts';
import { EntityFault, readFileRow } from './file-entity.ts';
import { LineFault } from './file-fault.ts';
import type { FileFormat } from './file-names.ts';
import { arrayCutter, type FileRecord, lineCutter, type RecordCutter } from './file-records.ts';

/** By name, keys and Timestamp among them where the row has them. */
export type SampleRow = ReadonlyMap<string, EdmValue>;

/** Both methods throw LineFault. */
export class SampleReader {
  readonly #cutter: RecordCutter;
  readonly #isCsv: boolean;
  /** Of CSV, once its header was read. */
  #rows: CsvEntityReader | undefined;

  constructor(format: FileFormat) {
    this.#isCsv = format === 'csv';
    this.#cutter = format === 'json' ? arrayCutter() : lineCutter({ hasQuotes: this.#isCsv });
  }

  push(bytes: Uint8Array): Generator<SampleRow> {
    return this.#read(this.#cutter.push(bytes));
  }

  /** After the last bytes. */
  end(): Generator<SampleRow> {
    return this.#read(this.#cutter.end());
  }

  *#read(records: Iterable<FileRecord>): Generator<SampleRow> {
    for (const { text, line } of records) {
      const row = this.#rowOf(text, line);
      if (row) yield row;
    }
  }

  /** Undefined for a header. */
  #rowOf(text: string, line: number): SampleRow | undefined {
    try {
      if (!this.#isCsv) return readFileRow(text);
      if (this.#rows) return this.#rows.readRow(text);
      this.#rows = new CsvEntityReader(text, { needsKeys: false });
      return undefined;
    } catch (error) {
      throw error instanceof EntityFault ? new LineFault(line, error.message) : error;
    }
  }
}

import type { EdmValue } from '../model/edm.ts';
import { readFileRow } from './file-entity.ts';
import type { FileFormat } from './file-names.ts';
import { type RecordForm, RecordReader } from './record-reader.ts';

/** Values by name, including keys and Timestamp if the row has them. */
export type SampleRow = ReadonlyMap<string, EdmValue>;

const form: RecordForm<SampleRow> = {
  needsKeys: false,
  fromJson: readFileRow,
  fromCsv: (rows, record) => rows.readRow(record),
};

/** Reads rows that need not have keys, to try a key design with. */
export class SampleReader extends RecordReader<SampleRow> {
  constructor(format: FileFormat) {
    super(format, form);
  }
}

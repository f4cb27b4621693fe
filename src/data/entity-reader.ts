import { type FileEntity, readFileEntity } from './file-entity.ts';
import type { FileFormat } from './file-names.ts';
import { type RecordForm, RecordReader } from './record-reader.ts';

const form: RecordForm<FileEntity> = {
  needsKeys: true,
  fromJson: readFileEntity,
  fromCsv: (rows, record) => rows.read(record),
};

/** Reads entities. Throws LineFault for an entity that the service would refuse. */
export class EntityReader extends RecordReader<FileEntity> {
  constructor(format: FileFormat) {
    super(format, form);
  }
}

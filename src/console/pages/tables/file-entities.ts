// The entities of a file, read as the commands read them.

import { EntityReader } from '../../../data/entity-reader.ts';
import type { FileEntity } from '../../../data/file-entity.ts';
import { FileFault, LineFault } from '../../../data/file-fault.ts';
import type { FileFormat } from '../../../data/file-names.ts';

export const formatNames: Readonly<Record<FileFormat, string>> = {
  ndjson: 'NDJSON, an entity a line',
  csv: 'CSV with types, as Storage Explorer writes it',
  json: 'JSON, one array',
};

/** Entities of a file, several at a time. Throws FileFault. */
export async function* entitiesOf(file: Blob, format: FileFormat): AsyncGenerator<readonly FileEntity[]> {
  const reader = new EntityReader(format);
  try {
    for await (const bytes of piecesOf(file.stream())) yield Array.from(reader.push(bytes), ({ entity }) => entity);
    yield Array.from(reader.end(), ({ entity }) => entity);
  } catch (error) {
    if (error instanceof LineFault) throw new FileFault(`Line ${error.line}: ${error.message}.`, { cause: error });
    throw error;
  }
}

/** The pieces of a stream. Not every browser can iterate over a stream itself. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

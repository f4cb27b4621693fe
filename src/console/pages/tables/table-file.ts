// A table as a file, written as the commands write it.

import { byteOrderMark } from '../../../data/csv.ts';
import { csvHeader } from '../../../data/entity-csv.ts';
import type { FileFormat } from '../../../data/file-names.ts';
import { lineCutter } from '../../../data/file-records.ts';
import { collectNames, csvLine, jsonText, type Lines } from '../../../data/table-text.ts';
import { type TableSource, withExport } from '../../client/export-table.ts';
import { piecesOf } from './file-entities.ts';

export interface TableOf extends TableSource {
  /** Called with the number of entities read so far. */
  readonly onProgress: (entities: number) => void;
}

/** A table as a file. Throws FileFault for entities that the format cannot hold. */
export function tableFile(from: TableOf, format: FileFormat): Promise<Blob> {
  return withExport(from, async (stream) => {
    const lines = countedLines(stream, from.onProgress);
    const parts: string[] = [];
    for await (const part of format === 'csv' ? csvText(lines) : jsonText(lines, format)) parts.push(part);
    return new Blob(parts, { type: mediaTypes[format] });
  });
}

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

async function* countedLines(
  stream: ReadableStream<Uint8Array>,
  onProgress: (entities: number) => void,
): AsyncGenerator<readonly string[]> {
  const cutter = lineCutter({ hasQuotes: false });
  let count = 0;
  const counted = (page: readonly string[]): readonly string[] => {
    count += page.length;
    onProgress(count);
    return page;
  };
  for await (const bytes of piecesOf(stream)) yield counted(Array.from(cutter.push(bytes), ({ text }) => text));
  yield counted(Array.from(cutter.end(), ({ text }) => text));
}

/** The header needs every name that occurs, so the lines wait in memory. */
async function* csvText(lines: Lines): AsyncGenerator<string> {
  const pages: (readonly string[])[] = [];
  const names = new Set<string>();
  for await (const page of lines) {
    collectNames(page, names);
    pages.push(page);
  }
  const sorted = [...names].sort();
  yield byteOrderMark + csvHeader(sorted);
  for (const page of pages) yield page.map((line) => csvLine(line, sorted)).join('');
}

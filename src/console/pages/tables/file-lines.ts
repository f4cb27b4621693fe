// Files of entities as lines of JSON, which the control plane and transactions take, and the other way round.

import { type Entity, entityJson, entityOf, fileEntityOf, parseJson } from '../../client/edm.ts';
import { type TableSource, withExport } from '../../client/export-table.ts';
import { byteOrderMark, CsvFault, CsvRecords, createCsvReader, csvEntity, csvHeader } from './csv.ts';

export const fileFormats = ['ndjson', 'csv', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

export const formatNames: Readonly<Record<FileFormat, string>> = {
  ndjson: 'NDJSON, an entity a line',
  csv: 'CSV with types, as Storage Explorer writes it',
  json: 'JSON, one array',
};

/** The file is none of its format. */
export class FileFault extends Error {}

/** By its name; undefined if it says nothing. */
export function formatOf(fileName: string): FileFormat | undefined {
  const ending = /\.(ndjson|jsonl|csv|json)$/i.exec(fileName)?.[1]?.toLowerCase();
  return ending === 'jsonl' ? 'ndjson' : fileFormats.find((format) => format === ending);
}

/** `pets` for `pets.typed.csv`, without what no name of a table has. */
export const tableNameOf = (fileName: string): string =>
  (fileName.split('.')[0] ?? '').replace(/[^A-Za-z0-9]/g, '').replace(/^\d+/, '');

/** Entities of a file, each as one line of JSON, in pieces of some. Throws FileFault. */
export function linesOf(file: Blob, format: FileFormat): AsyncGenerator<readonly string[]> {
  if (format === 'csv') return csvLines(file);
  return format === 'json' ? jsonLines(file) : textLines(file.stream());
}

async function* textLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const piece of textOf(stream)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    const full = lines.filter((line) => line.trim() !== '');
    if (full.length > 0) yield full;
  }
  if (rest.trim() !== '') yield [rest];
}

async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) yield value ?? '';
}

async function* jsonLines(file: Blob): AsyncGenerator<readonly string[]> {
  const parsed = parse(await file.text());
  const list = Array.isArray(parsed) ? parsed : (parsed as { readonly value?: unknown }).value;
  if (!Array.isArray(list)) throw new FileFault('The file holds no array of entities.');
  yield list.map((members) => entityJson(fileEntityOf(members as Record<string, unknown>)));
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FileFault(`The file is no JSON: ${(error as Error).message}`);
  }
}

async function* csvLines(file: Blob): AsyncGenerator<readonly string[]> {
  const records = new CsvRecords();
  let read: ReturnType<typeof createCsvReader> | undefined;
  let number = 0;
  const take = (record: readonly string[]): readonly string[] => {
    number += 1;
    if (read) return [entityJson(read(record))];
    read = createCsvReader(record.with(0, (record[0] ?? '').replace(/^\uFEFF/, '')));
    return [];
  };
  try {
    for await (const piece of textOf(file.stream())) yield [...records.read(piece)].flatMap(take);
    const last = records.end();
    if (last) yield take(last);
  } catch (error) {
    if (error instanceof CsvFault) throw new FileFault(`Record ${number}: ${error.message}`);
    throw error;
  }
}

export interface TableOf extends TableSource {
  /** Gets how many entities were read. */
  readonly onProgress: (entities: number) => void;
}

/** A whole table as a file. */
export function tableFile(from: TableOf, format: FileFormat): Promise<Blob> {
  return withExport(from, async (stream) => {
    const read: (readonly string[])[] = [];
    let count = 0;
    for await (const lines of textLines(stream)) {
      read.push(lines);
      count += lines.length;
      from.onProgress(count);
    }
    return new Blob(writers[format](read), { type: mediaTypes[format] });
  });
}

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

type Writer = (pieces: readonly (readonly string[])[]) => string[];

const writers: Readonly<Record<FileFormat, Writer>> = {
  ndjson: (pieces) => pieces.map((lines) => `${lines.join('\n')}\n`),
  json: (pieces) => ['[\n', ...pieces.map((lines, at) => `${at === 0 ? '' : ',\n'}${lines.join(',\n')}`), '\n]\n'],
  csv: csvText,
};

/** The header needs every name that occurs, so the lines are read twice. */
function csvText(pieces: readonly (readonly string[])[]): string[] {
  const entityIn = (line: string): Entity => entityOf(parseJson(line) as Record<string, unknown>);
  const names = new Set<string>();
  for (const lines of pieces)
    for (const line of lines) for (const name of entityIn(line).properties.keys()) names.add(name);
  const sorted = [...names].sort();
  return [
    byteOrderMark + csvHeader(sorted),
    ...pieces.map((lines) => lines.map((line) => csvEntity(entityIn(line), sorted)).join('')),
  ];
}

// The text of a table as a file, in pieces.

import { createReadStream } from 'node:fs';
import { decodeProperties } from '../model/properties.ts';
import { byteOrderMark } from './csv.ts';
import { csvEntity, csvHeader } from './entity-csv.ts';
import { withNewFile } from './export-drafts.ts';
import { EntityFault, readStoredEntity } from './file-entity.ts';
import { FileFault } from './file-fault.ts';
import { lineCutter } from './file-records.ts';
import type { FileFormat } from './table-files.ts';

/** Entities page by page, each as a JSON object without line end. */
export type Lines = AsyncIterable<readonly string[]>;

/** `spool`: where a file can be created, which stays. */
export async function* textOf(
  lines: Lines,
  { format, spool }: { readonly format: FileFormat; readonly spool: string },
): AsyncIterable<string> {
  if (format === 'csv') {
    yield* csvText(lines, spool);
    return;
  }
  let isFirst = true;
  for await (const page of lines) {
    if (page.length === 0) continue;
    if (format === 'ndjson') yield `${page.join('\n')}\n`;
    else yield `${isFirst ? '[\n' : ',\n'}${page.join(',\n')}`;
    isFirst = false;
  }
  if (format === 'json') yield isFirst ? '[]\n' : '\n]\n';
}

/** The header needs every name that occurs: the lines wait in a second file until all are known. */
async function* csvText(lines: Lines, spool: string): AsyncIterable<string> {
  const names = new Set<string>();
  await withNewFile(spool, async (file) => {
    for await (const page of lines) {
      for (const line of page)
        for (const name of decodeProperties(readStoredEntity(line).properties).keys()) names.add(name);
      if (page.length > 0) await file.writeFile(`${page.join('\n')}\n`);
    }
  });
  const sorted = [...names].sort();
  yield byteOrderMark + csvHeader(sorted);
  let text = '';
  for await (const line of linesIn(spool)) {
    text += csvLine(line, sorted);
    if (text.length < csvPieceChars) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* linesIn(path: string): AsyncIterable<string> {
  const cutter = lineCutter({ hasQuotes: false });
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const { text } of cutter.push(piece)) yield text;
  }
  for (const { text } of cutter.end()) yield text;
}

const csvPieceChars = 65_536;

function csvLine(line: string, names: readonly string[]): string {
  const entity = readStoredEntity(line);
  try {
    return csvEntity(entity, names);
  } catch (error) {
    if (!(error instanceof EntityFault)) throw error;
    const { partitionKey, rowKey } = entity;
    const which = `the entity of PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)}`;
    throw new FileFault(`${which}: ${error.message}; ndjson and json can`);
  }
}

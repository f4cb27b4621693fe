// The text of a table as a file, in pieces.

import { createReadStream } from 'node:fs';
import { byteOrderMark } from './csv.ts';
import { csvHeader } from './entity-csv.ts';
import { withNewFile } from './export-drafts.ts';
import type { FileFormat } from './file-names.ts';
import { lineCutter } from './file-records.ts';
import { collectNames, csvLine, jsonText, type Lines } from './table-text.ts';

/** `spool`: the path of a temporary file, which the caller removes. */
export async function* exportText(
  lines: Lines,
  { format, spool }: { readonly format: FileFormat; readonly spool: string },
): AsyncIterable<string> {
  if (format === 'csv') {
    yield* csvText(lines, spool);
    return;
  }
  yield* jsonText(lines, format);
}

/** The header needs every name that occurs, so the lines are kept in a second file until all names are known. */
async function* csvText(lines: Lines, spool: string): AsyncIterable<string> {
  const names = new Set<string>();
  await withNewFile(spool, async (file) => {
    for await (const page of lines) {
      collectNames(page, names);
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

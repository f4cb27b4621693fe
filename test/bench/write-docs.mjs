// Writes results into docs/benchmarks.md, between its markers, and draws docs/benchmarks.svg.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawPicture } from './picture.mjs';
import { renderReport } from './report.mjs';
import { projectFolder } from './servers.mjs';

const page = join(projectFolder, 'docs/benchmarks.md');
const picture = join(projectFolder, 'docs/benchmarks.svg');

export function writeDocs(results) {
  writeFileSync(page, insertReport({ text: readFileSync(page, 'utf8'), report: renderReport(results) }));
  writeFileSync(picture, drawPicture(results));
  console.log(`\nwritten: ${page}, ${picture}`);
}

export function insertReport({ text, report }) {
  const parts = /^([\s\S]*<!-- figures -->\n)[\s\S]*(\n<!-- end of figures -->[\s\S]*)$/.exec(text);
  if (!parts) throw new Error('docs/benchmarks.md has lost its markers');
  return `${parts[1]}\n${report}\n${parts[2]}`;
}

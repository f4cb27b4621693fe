// Writes the results of runs between the markers of docs/benchmarks.md, and draws docs/benchmarks.svg:
//   node test/bench/write-docs.mjs <file>…
// Each file contains the results of one run. The bench writes such a file with --json. There is one file for each
// version of Node.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderPage } from './page.mjs';
import { drawPicture } from './picture.mjs';
import { projectFolder } from './servers.mjs';

const page = join(projectFolder, 'docs/benchmarks.md');
const picture = join(projectFolder, 'docs/benchmarks.svg');

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = process.argv.slice(2);
  if (files.length === 0) throw new Error('usage: write-docs.mjs <file>…');
  writeDocs(files.map((file) => JSON.parse(readFileSync(file, 'utf8'))));
}

export function writeDocs(runs) {
  writeFileSync(page, insertReport({ text: readFileSync(page, 'utf8'), report: renderPage(runs) }));
  writeFileSync(picture, drawPicture(runs));
  console.log(`\nwritten: ${page}, ${picture}`);
}

function insertReport({ text, report }) {
  const parts = /^([\s\S]*<!-- figures -->\n)[\s\S]*(\n<!-- end of figures -->[\s\S]*)$/.exec(text);
  if (!parts) throw new Error('docs/benchmarks.md has lost its markers');
  return `${parts[1]}\n${report}\n${parts[2]}`;
}

// Reads the files of a folder and parses them once, for all checks.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Path below the root, with slashes → syntax tree. The nodes of the tree know their parents. */
export function parseSources(root) {
  const files = readdirSync(root, { recursive: true }).filter((file) => /\.tsx?$/.test(file));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
      return [file.replaceAll('\\', '/'), ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)];
    }),
  );
}

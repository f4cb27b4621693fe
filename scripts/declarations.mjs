import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

/** `from './account.ts'`, `import('./account.ts')` */
const ownImport = /(\bfrom |\bimport\()'(\.[^']+)\.ts'/g;

/**
 * Writes the type declarations of the entries, and of the files that the entries refer to, into a folder. Leaves out
 * internal declarations, because they would need the types of bundled packages.
 */
export function writeDeclarations({ root, tsc, entries, outDir }) {
  const whole = mkdtempSync(join(tmpdir(), 'tanzanite-types-'));
  try {
    // Do not check for type errors here: `npm run typecheck` reports them, and the check takes longer than writing the
    // declarations.
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--noCheck', '--outDir', whole], {
      cwd: root,
      stdio: 'inherit',
    });
    const reached = [...entries];
    // The loop adds to the list that it reads.
    for (const name of reached) {
      const text = readFileSync(join(whole, `${name}.d.ts`), 'utf8');
      const named = [...text.matchAll(ownImport)].map(([, , path]) => posix.join(posix.dirname(name), path));
      reached.push(...named.filter((path) => !reached.includes(path)));
      const file = join(outDir, `${name}.d.ts`);
      mkdirSync(dirname(file), { recursive: true });
      // Some tools that read declarations look for imported .ts files, which are not in this folder.
      writeFileSync(file, text.replaceAll(ownImport, "$1'$2.js'"));
    }
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
}

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { packageFile } from '../data/package-file.ts';
import { print } from './standard-output.ts';

/**
 * The parts and their licences. A licence that this installation does not have is left out. For example, only the
 * executable has Node's licence.
 */
const texts = [
  { title: 'Tanzanite', path: 'LICENSE' },
  { title: 'Node.js', path: 'NODE-LICENSE' },
  { title: 'better-sqlite3', path: 'node_modules/better-sqlite3/LICENSE' },
  { title: 'Packages in the program', path: 'dist/THIRD-PARTY-LICENSES.txt' },
];

const line = '='.repeat(80);

/** `tanzanite licences`: the texts that must accompany a copy of the program. */
export function addLicences(command: Command): void {
  command
    .summary('print the licences of everything in this installation')
    .description('print the licences of Tanzanite and of everything in this installation')
    .helpOption('-h, --help', 'print this help')
    .action(() => {
      for (const { title, path } of texts) {
        const file = packageFile(path);
        if (file !== undefined) print(`${line}\n${title}\n${line}\n\n${readFileSync(file, 'utf8').trimEnd()}\n\n`);
      }
    });
}

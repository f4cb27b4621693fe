import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Runs a command of Tanzanite with the words that this process was given. */
export async function runAs(command) {
  warnOfTheOther();
  const program = join(dirname(createRequire(import.meta.url).resolve('tanzanite/package.json')), 'dist/cli.js');
  process.argv.splice(1, 1, program, command);
  await import(pathToFileURL(program).href);
}

/** If two packages have a command of the same name, npm links the one that it happens to install last. */
function warnOfTheOther() {
  const beside = join(dirname(fileURLToPath(import.meta.url)), '../../azurite/package.json');
  if (existsSync(beside)) {
    console.error(
      'tanzanite-azurite: the package azurite is also installed here and has commands of the same names, so either of the two may run. Install azurite globally, or elsewhere.',
    );
  }
}

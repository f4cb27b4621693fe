import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Runs a command of Tanzanite with the arguments of this process. */
export async function runAs(command) {
  warnOfTheOther();
  const program = join(dirname(createRequire(import.meta.url).resolve('tanzanite/package.json')), 'dist/cli.js');
  process.argv.splice(1, 1, program, command);
  await import(pathToFileURL(program).href);
}

/** The packages azurite and tanzanite-azurite have commands of the same names. npm links whichever it installs last. */
function warnOfTheOther() {
  const beside = join(dirname(fileURLToPath(import.meta.url)), '../../azurite/package.json');
  if (existsSync(beside)) {
    console.error(
      'tanzanite-azurite: the package azurite is also installed here and has commands of the same names, so either of the two may run. Install azurite globally, or elsewhere.',
    );
  }
}

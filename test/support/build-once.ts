import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { driverFits } from '../../scripts/fit-driver.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs before the suites that use the command, and builds the command if the sources are newer than the last build.
 * Also checks the SQLite driver: a driver for another version of Node would end the test workers without an error.
 */
export function setup(): void {
  if (!driverFits()) throw new Error('the SQLite driver is for another version of Node. Run: npm run prepare');
  execFileSync(process.execPath, ['scripts/build-once.mjs'], { cwd: root, stdio: 'inherit' });
}

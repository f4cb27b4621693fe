import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { driverFits } from '../../scripts/fit-driver.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * If the sources are newer than the last build, builds the command before the suites that run it. It also checks the
 * SQLite driver, because a driver for another Node would end the workers without an error.
 */
export function setup(): void {
  if (!driverFits()) throw new Error('the SQLite driver is for another version of Node. Run: npm run prepare');
  execFileSync(process.execPath, ['scripts/build-once.mjs'], { cwd: root, stdio: 'inherit' });
}

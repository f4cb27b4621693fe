// Makes the program for Node that the wheel for all platforms contains. The program consists of the package and its
// SQLite driver.
//   node packages/python/bundle.mjs <folder>
// Then: TANZANITE_WHEEL=node TANZANITE_BUNDLE=<folder> python -m build --wheel packages/python
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackage } from '../../scripts/executable/npm-package.mjs';

/** Files of the built clone that `start`, the console and `advise` read. */
const own = ['package.json', 'LICENSE', 'dist', 'openapi', 'docs/advisor'];
/** Files of the driver, with its addons for all platforms. */
const ofDriver = ['package.json', 'LICENSE', 'lib', 'prebuilds'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('bundle: name the folder that it is made in');
  process.exit(2);
}
const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
  'node_modules/better-sqlite3'
];
const cache = join(root, '.cache/executable');
const driver = fetchPackage({ cache, name: 'better-sqlite3', version, integrity });
const inFolder = join(folder, 'node_modules/better-sqlite3');
mkdirSync(inFolder, { recursive: true });
for (const path of own) cpSync(join(root, path), join(folder, path), { recursive: true });
for (const path of ofDriver) cpSync(join(driver, path), join(inFolder, path), { recursive: true });

// Builds dist if it is missing or older than its sources:
//   node scripts/build-once.mjs
// `npm start` and the tests run this script first, so that a clone works without a separate build.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/cli.js');
if (!existsSync(built) || statSync(built).mtimeMs <= newestSourceMs()) await import('./build.mjs');

function newestSourceMs() {
  const files = ['src', 'scripts', 'openapi'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return Math.max(...[...files, 'package.json', 'package-lock.json'].map((file) => statSync(join(root, file)).mtimeMs));
}

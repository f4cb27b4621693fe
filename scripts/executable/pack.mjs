// Packs the files that the executable unpacks (src/executable): the files of the package and of its SQLite driver. The
// result is a list of the files, and the compressed contents of all files.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Files of the clone that a start, the console and `advise` read. */
const own = ['package.json', 'LICENSE', 'dist', 'openapi', 'docs/advisor'];

/**
 * `system` is the name that better-sqlite3 gives to a platform, such as `linux-x64`. `licence` is the path of Node's
 * licence.
 */
export function packFiles({ root, version, driver, system, licence }) {
  const files = [
    ...own.flatMap((path) => filesBelow(root, path)),
    ...['package.json', 'LICENSE', 'lib', `prebuilds/${system}.node`]
      .flatMap((path) => filesBelow(driver, path))
      .map(({ path, from }) => ({ path: `node_modules/better-sqlite3/${path}`, from })),
    { path: 'NODE-LICENSE', from: licence },
  ].map(({ path, from }) => ({ path, contents: readFileSync(from) }));
  // Code inside an executable can import only Node's own modules, but a file can import any module.
  files.push({ path: 'load.cjs', contents: Buffer.from('module.exports = (url) => import(url);\n') });
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const list = files.map(({ path, contents }) => ({
    path,
    bytes: contents.length,
    sha256: createHash('sha256').update(contents).digest('hex'),
  }));
  const all = Buffer.concat(files.map(({ contents }) => contents));
  // The maximum quality is 11. It would save 0.2 MB of 43, but take 14 seconds instead of two.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: all.length,
  };
  return { list: JSON.stringify({ version, files: list }), contents: brotliCompressSync(all, { params }), files };
}

/** Writes the same files into a folder, for an executable that is installed with its files already unpacked. */
export function writeUnpacked(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
}

function filesBelow(folder, path) {
  const from = join(folder, path);
  if (!statSync(from).isDirectory()) return [{ path, from }];
  return readdirSync(from).flatMap((name) => filesBelow(folder, `${path}/${name}`));
}

// Bundles src, with the packages it uses, into dist: a start reads one file instead of hundreds, and an install fetches
// nothing but the SQLite driver, which stays outside for its native addon. See docs/adr/0004.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { collectLicences } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const outside = new RegExp(`^(node:|(${Object.keys(dependencies).join('|')})(/|$))`);

// Built beside dist and put in its place at the end: a command that is started meanwhile finds one or the other.
const building = `.dist-${process.pid}`;
const bundle = await rolldown({
  cwd: root,
  input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: outside,
});
const { output } = await bundle.write({
  dir: building,
  format: 'esm',
  chunkFileNames: 'chunk-[name]-[hash].js',
  // Names stay, so that a stack trace can be read.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();
chmodSync(`${root}/${building}/cli.js`, 0o755);
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(`${root}/${building}/THIRD-PARTY-LICENSES.txt`, collectLicences(modules));

// Declarations need the compiler, which a production-only install does not have.
const tsc = `${root}/node_modules/typescript/bin/tsc`;
if (existsSync(tsc)) {
  const outDir = ['--outDir', `${building}/types`];
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', ...outDir], { cwd: root, stdio: 'inherit' });
}

rmSync(`${root}/dist`, { recursive: true, force: true });
renameSync(`${root}/${building}`, `${root}/dist`);

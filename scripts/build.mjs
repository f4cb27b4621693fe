// Bundles src into dist: one file for the command, one for the library, so that a start reads few files
// (DESIGN: first answer well under 300 ms). The SQLite driver stays outside, for its native addon.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const outside = new RegExp(`^(node:|(${Object.keys(dependencies).join('|')})(/|$))`);

rmSync(`${root}/dist`, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: outside,
});
await bundle.write({ dir: 'dist', format: 'esm', sourcemap: true, chunkFileNames: 'chunk-[hash].js' });
await bundle.close();
chmodSync(`${root}/dist/cli.js`, 0o755);

// Declarations need the compiler, which a production-only install does not have.
const tsc = `${root}/node_modules/typescript/bin/tsc`;
if (existsSync(tsc)) {
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
}

// npm run simulate -- [--seeds N] [--seed S]: bundles and runs main.ts, because Node 20 cannot run TypeScript.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tanzanite-simulation-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const file = join(folder, 'main.mjs');
const rolldown = import.meta.resolve('rolldown');
await build({
  cwd: root,
  input: 'test/simulation/main.ts',
  platform: 'node',
  external: [rolldown],
  plugins: [{ name: 'bundler', resolveId: (id) => (id === 'rolldown' ? { id: rolldown, external: true } : undefined) }],
  output: { file, codeSplitting: false },
  logLevel: 'silent',
});
const { runSimulations } = await import(pathToFileURL(file).href);
process.exitCode = await runSimulations({ root, folder, args: process.argv.slice(2) });

// Measures how long a test run waits for the library: how long a test file waits until an emulator has started, and how
// long each test waits for its own account or for a restored snapshot. Every start is measured in a new process.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { projectFolder } from './servers.mjs';
import { quartiles } from './statistics.mjs';

const program = fileURLToPath(new URL('library-times.mjs', import.meta.url));
const library = pathToFileURL(join(projectFolder, 'dist/index.js')).href;

// Quartiles in milliseconds.
export function measureLibrary({ starts }) {
  const runs = Array.from({ length: starts }, measureOnce);
  return {
    start: quartiles(runs.map(({ startMs }) => startMs)),
    account: quartiles(runs.flatMap(({ accountMs }) => accountMs)),
    restore: quartiles(runs.flatMap(({ restoreMs }) => restoreMs)),
  };
}

function measureOnce() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, library], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the library failed: ${stderr.slice(0, 500)}`);
  return JSON.parse(stdout);
}

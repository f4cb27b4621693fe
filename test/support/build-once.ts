import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the command before any suite that spawns it, if the sources are newer than the last build. */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/build-once.mjs'], { cwd: root, stdio: 'inherit' });
}

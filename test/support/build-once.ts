import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the command before any suite that spawns it, if the sources are newer than the last build. */
export function setup(): void {
  const built = join(root, 'dist/cli.js');
  if (existsSync(built) && statSync(built).mtimeMs > newestSourceMs()) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}

function newestSourceMs(): number {
  const files = ['src', 'scripts', 'openapi'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return Math.max(...[...files, 'package.json', 'package-lock.json'].map((file) => statSync(join(root, file)).mtimeMs));
}

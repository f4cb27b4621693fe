// Runs the tests of a package for another language. The emulator is the command that is built here.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isInstalled, type Tool } from '../support/run-checks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface PackageRun {
  /** A claim about what the run shows. */
  readonly title: string;
  /** The package's folder in the repository. */
  readonly folder: string;
  readonly words: readonly [string, ...string[]];
  readonly env?: NodeJS.ProcessEnv;
}

/** The first run may have to download the tools that the package's tests need. */
const timeoutMs = 600_000;

export function describePackage(title: string, tool: Tool, runs: readonly PackageRun[]): void {
  const isHere = isInstalled(tool);
  if (!isHere) console.warn(`${title}: skipped, ${tool[0]} is not installed`);
  describe.skipIf(!isHere)(title, () => {
    for (const { title: claim, folder, words, env = {} } of runs) {
      it(
        claim,
        () => {
          const [command, ...args] = words;
          const { status, stdout, stderr, error } = spawnSync(command, args, {
            cwd: join(root, folder),
            env: { ...process.env, TANZANITE: `${process.execPath} ${join(root, 'dist/cli.js')}`, ...env },
            encoding: 'utf8',
            maxBuffer: 64 * 1024 * 1024,
          });
          expect(status, `${error ?? ''}${stdout}${stderr}`).toBe(0);
        },
        timeoutMs,
      );
    }
  });
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { AzuriteService } from './azurite-flags.ts';
import { UnusableOption } from './exit-codes.ts';

/**
 * The programs of the package azurite: of the one that is installed for the working folder, else beside Tanzanite, else globally.
 * Throws UnusableOption where there is none.
 */
export function findAzurite(): Readonly<Record<AzuriteService, string>> {
  const manifest =
    resolveFrom(join(process.cwd(), 'package.json')) ?? resolveFrom(import.meta.url) ?? resolveFrom(globalFolder());
  if (manifest === undefined) {
    throw new UnusableOption(
      'the package azurite, which serves blobs and queues, is installed neither here nor globally. Run: npm install azurite',
    );
  }
  const { bin }: { bin: Readonly<Record<string, string>> } = JSON.parse(readFileSync(manifest, 'utf8'));
  const programOf = (name: string): string => resolve(dirname(manifest), bin[name] ?? '');
  return { blob: programOf('azurite-blob'), queue: programOf('azurite-queue') };
}

/** The manifest of azurite as a module in this place finds it. */
function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve('azurite/package.json');
  } catch {
    return undefined;
  }
}

/** A file that would be in the folder above npm's global packages; a path that holds none where there is no npm. */
function globalFolder(): string {
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8', shell: process.platform === 'win32' });
  return join(stdout?.trim() || process.cwd(), '..', 'package.json');
}

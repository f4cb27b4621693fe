import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { AzuriteService } from './azurite-flags.ts';
import type { Environment } from './command-context.ts';

type Programs = Readonly<Record<AzuriteService, string>>;

/**
 * Returns the programs of the package azurite, or undefined if the package is not installed. Searches the working
 * folder, the folder next to Tanzanite, and npm's global packages, in this order. If the package is in none of them,
 * searches the PATH for the command azurite.
 */
export function findAzurite(environment: Environment): Programs | undefined {
  return (
    findAzuriteAt(join(process.cwd(), 'package.json')) ??
    findAzuriteAt(import.meta.url) ??
    findAzuriteAt(globalFolder()) ??
    findOnPath(environment)
  );
}

/** The programs of the package azurite that a module at this path would load. */
export function findAzuriteAt(place: string): Programs | undefined {
  const manifest = resolveFrom(place);
  return manifest === undefined ? undefined : readPrograms(manifest);
}

/** Undefined if the manifest is damaged or does not name the programs: the package then counts as not installed. */
function readPrograms(manifest: string): Programs | undefined {
  const [blob, queue] = ['azurite-blob', 'azurite-queue'].map((name) => programOf(manifest, name));
  return blob === undefined || queue === undefined ? undefined : { blob, queue };
}

function programOf(manifest: string, name: string): string | undefined {
  try {
    const program: unknown = JSON.parse(readFileSync(manifest, 'utf8')).bin[name];
    return typeof program === 'string' ? resolve(dirname(manifest), program) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the package tanzanite-azurite is installed for the working folder or next to Tanzanite. The commands of this
 * package have the same names as Azurite's commands, so the two packages must not be in one folder.
 */
export const hasAzuriteNames = (): boolean =>
  [join(process.cwd(), 'package.json'), import.meta.url].some(
    (place) => resolveFrom(place, 'tanzanite-azurite') !== undefined,
  );

/** The manifest of the package that a module at this path would load. */
function resolveFrom(place: string, name = 'azurite'): string | undefined {
  try {
    return createRequire(place).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

/** A path from which a module finds npm's global packages. Without npm, a path at which nothing is found. */
function globalFolder(): string {
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8', shell: process.platform === 'win32' });
  return join(stdout?.trim() || process.cwd(), '..', 'package.json');
}

/**
 * Looks for a link `azurite` in the folders of the PATH, and follows the link to the package. Limit: on Windows npm
 * writes scripts, not links.
 */
function findOnPath({ PATH = '' }: Environment): Programs | undefined {
  for (const folder of PATH.split(delimiter).filter(isAbsolute)) {
    const manifest = manifestAbove(join(folder, 'azurite'));
    const programs = manifest === undefined ? undefined : readPrograms(manifest);
    if (programs !== undefined) return programs;
  }
  return undefined;
}

/**
 * Returns the manifest of the package azurite if the command belongs to that package. Returns undefined if the command
 * belongs to another package: Tanzanite has commands called azurite too.
 */
function manifestAbove(command: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(command)); folder !== dirname(folder); folder = dirname(folder)) {
      const manifest = join(folder, 'package.json');
      if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'azurite') return manifest;
    }
  } catch {
    // No such command, or no such package.
  }
  return undefined;
}

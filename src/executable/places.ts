// Chooses the folder for the unpacked package. If the package was installed next to the executable, the installed
// folder is used. Otherwise, the user's cache folder is used. If the cache folder cannot be used, a private folder
// below the folder for temporary files is used.

import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../cli/user-folders.ts';
import { DamagedPack, type Pack } from './pack.ts';
import { isInstalledIn, unpackInto } from './unpack.ts';

/** The folder of the package, and the place that holds it. */
export interface Unpacked {
  readonly folder: string;
  readonly place: string;
}

/**
 * Finds unpacked files of the package next to the executable. A container image and a distribution's package contain
 * the unpacked files (scripts/executable.mjs --unpacked).
 */
export function findInstalled(pack: Pack, executable: string): string | undefined {
  const folder = join(dirname(executable), 'tanzanite-unpacked');
  return isInstalledIn(folder, pack) ? folder : undefined;
}

/** Throws NoPlace if no folder can be used, and DamagedPack if the executable is damaged. */
export function unpackSomewhere(pack: Pack, environment: NodeJS.ProcessEnv): Unpacked {
  const refusals: string[] = [];
  for (const { place, open } of placesOf(environment)) {
    try {
      const folder = unpackInto(place, pack, open);
      refuseWithoutPrograms(folder, pack);
      return { folder, place: dirname(folder) };
    } catch (error) {
      if (error instanceof DamagedPack) throw error;
      refusals.push(`${place}: ${reasonOf(error)}`);
    }
  }
  throw new NoPlace(refusals);
}

interface Place {
  readonly place: string;
  readonly open?: string;
}

function placesOf(environment: NodeJS.ProcessEnv): readonly Place[] {
  const cache = cacheFolder(environment);
  // The name holds the user's id, because a user without an entry in the password file has no name.
  const temporary = join(tmpdir(), `tanzanite-${process.geteuid?.() ?? 'user'}`, 'executable');
  return [
    ...(cache === undefined ? [] : [{ place: join(cache, 'tanzanite', 'executable') }]),
    { place: temporary, open: withoutLinks(tmpdir()) },
  ];
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Throws if the file system does not allow programs to run (`noexec`), because addons cannot be loaded from such a file
 * system. If an addon cannot be loaded for another reason, this function ignores the failure, because the command
 * reports it later.
 */
function refuseWithoutPrograms(folder: string, { files }: Pack): void {
  const addon = files.find(({ path }) => path.endsWith('.node'));
  if (addon === undefined) return;
  try {
    process.dlopen({ exports: {} }, join(folder, addon.path));
  } catch (error) {
    if (/failed to map segment/.test((error as Error).message))
      throw new Error('no program can be run from it (noexec)');
  }
}

export class NoPlace extends Error {
  constructor(refusals: readonly string[]) {
    const remedy = process.platform === 'win32' ? 'LOCALAPPDATA or TEMP' : 'XDG_CACHE_HOME or TMPDIR';
    super(
      `there is no folder to unpack the program into (${refusals.join('; ')}). Set ${remedy} to a writable folder with 20 MB free.`,
    );
  }
}

function reasonOf(error: unknown): string {
  const { message } = error as Error;
  // Node's messages repeat the call and its paths: `EACCES: permission denied, mkdir '/nowhere'`.
  return /^E[A-Z]+: ([^,]+),/.exec(message)?.[1] ?? message;
}

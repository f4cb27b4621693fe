import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './command-context.ts';

/**
 * Returns the folder for files that programs can make again. Returns undefined for a user without a home folder, which
 * is common in containers.
 */
export function cacheFolder(environment: Environment): string | undefined {
  if (process.platform === 'win32') return windowsFolder(environment);
  if (process.platform === 'darwin') return below(homeFolder(), 'Library', 'Caches');
  return absolute(environment['XDG_CACHE_HOME']) ?? below(homeFolder(), '.cache');
}

/** The folder for files that should outlast a run; undefined for a user without a home folder. */
export function stateFolder(environment: Environment): string | undefined {
  if (process.platform === 'win32') return windowsFolder(environment);
  return absolute(environment['XDG_STATE_HOME']) ?? below(homeFolder(), '.local', 'state');
}

const windowsFolder = ({ LOCALAPPDATA }: Environment): string | undefined =>
  absolute(LOCALAPPDATA) ?? below(homeFolder(), 'AppData', 'Local');

/**
 * If HOME is not set, Node looks up the user in the password file, and throws if the file has no entry for the user.
 * HOME may also be empty.
 */
function homeFolder(): string | undefined {
  try {
    return absolute(homedir());
  } catch {
    return undefined;
  }
}

/**
 * Limit: relative paths are ignored (XDG Base Directory Specification). A relative path would name a different folder
 * in each working folder.
 */
const absolute = (path: string | undefined): string | undefined => (path && isAbsolute(path) ? path : undefined);

const below = (folder: string | undefined, ...names: string[]): string | undefined => folder && join(folder, ...names);

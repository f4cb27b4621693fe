import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './command-context.ts';

/** The folder for files that programs can make again; undefined for a user without a home folder, which is common in containers. */
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

/** Without HOME, Node looks for the user in the password file, and throws if there is no entry. HOME may also be empty. */
function homeFolder(): string | undefined {
  try {
    return absolute(homedir());
  } catch {
    return undefined;
  }
}

/** Limit: a relative path would mean another folder in each working folder (XDG Base Directory Specification: ignore it). */
const absolute = (path: string | undefined): string | undefined => (path && isAbsolute(path) ? path : undefined);

const below = (folder: string | undefined, ...names: string[]): string | undefined => folder && join(folder, ...names);

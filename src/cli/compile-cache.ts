import nodeModule from 'node:module';
import { join } from 'node:path';
import { ensureOwnFolder, withOwnUmask } from './trusted-path.ts';
import { cacheFolder } from './user-folders.ts';

/**
 * Lets Node keep the compiled code of the emulator from one start to the next. The compile cache makes a start a third
 * shorter, and takes half a megabyte in the user's folder for caches. Node before 22.8 has no compile cache.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off, and `NODE_COMPILE_CACHE` names another folder for it (docs:
 * Node.js, module.enableCompileCache). Node runs the code in the folder without a check. Therefore this function does
 * not use a folder to which another user could write. Under sudo, for example, HOME may name the folder of another
 * user. Never throws: if there is no suitable folder, nothing is kept.
 */
export function enableCompileCache(environment: NodeJS.ProcessEnv): void {
  const folder = cacheFolder(environment);
  if (folder === undefined || !isNeeded(environment)) return;
  try {
    withOwnUmask(() => keepCompiledCode(ensureOwnFolder(join(folder, 'tanzanite', 'compiled'))));
  } catch {
    // The folder belongs to another user, or cannot be made.
  }
}

/**
 * Whether this process should turn the compile cache on. False if Node has no compile cache, or if the user has turned
 * the cache off. Also false if the user or the executable has already turned the cache on, in another folder.
 */
function isNeeded({ NODE_DISABLE_COMPILE_CACHE }: NodeJS.ProcessEnv): boolean {
  const folderInUse: (() => string | undefined) | undefined = Reflect.get(nodeModule, 'getCompileCacheDir');
  return !NODE_DISABLE_COMPILE_CACHE && folderInUse !== undefined && folderInUse() === undefined;
}

/** Keeps compiled code in the given folder. Only the first call of a process has an effect. */
export function keepCompiledCode(folder: string): void {
  const enable: ((folder: string) => unknown) | undefined = Reflect.get(nodeModule, 'enableCompileCache');
  enable?.(folder);
}

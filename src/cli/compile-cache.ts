import nodeModule from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './user-folders.ts';

/**
 * Lets Node keep the compiled code of the emulator from one start to the next, which saves a third of the time of a start: half a
 * megabyte in the user's folder for caches. Nothing on Node before 22.8, which has no such cache; `NODE_DISABLE_COMPILE_CACHE=1`
 * turns it off, and `NODE_COMPILE_CACHE` names another folder (docs: Node.js, module.enableCompileCache). Never throws: without a
 * folder, or with one that cannot be written, nothing is kept.
 */
export function enableCompileCache(environment: NodeJS.ProcessEnv): void {
  const folder = cacheFolder(environment);
  if (folder !== undefined) keepCompiledCode(join(folder, 'tanzanite', 'compiled'));
}

/** As above, in the folder that is given. The first call of a process counts. */
export function keepCompiledCode(folder: string): void {
  const enable: ((folder: string) => unknown) | undefined = Reflect.get(nodeModule, 'enableCompileCache');
  enable?.(folder);
}

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

async function startAndStop(env: Readonly<Record<string, string>>): Promise<void> {
  const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence'], { cwd: folder.path, env });
  await server.ready();
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.stderr).toBe('');
}

const hasCache = 'enableCompileCache' in nodeModule;
const isLinux = process.platform === 'linux';

it.runIf(isLinux)('a start keeps compiled code in the folder for caches, where Node can', async () => {
  await startAndStop({ XDG_CACHE_HOME: folder.path });
  expect(existsSync(join(folder.path, 'tanzanite', 'compiled'))).toBe(hasCache);
});

it.runIf(isLinux)('a folder for caches that cannot be written harms nothing', async () => {
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  await startAndStop({ XDG_CACHE_HOME: file });
});

it.runIf(isLinux).each([
  ['the user has no home folder', { HOME: '', XDG_CACHE_HOME: '' }],
  ['XDG_CACHE_HOME is a relative path', { HOME: '', XDG_CACHE_HOME: 'relative' }],
])('a start keeps nothing where %s', async (_, env) => {
  await startAndStop(env);
  expect(readdirSync(folder.path)).toEqual([]);
});

it.runIf(isLinux)('NODE_DISABLE_COMPILE_CACHE keeps the disk untouched', async () => {
  await startAndStop({ XDG_CACHE_HOME: folder.path, NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(existsSync(join(folder.path, 'tanzanite'))).toBe(false);
});

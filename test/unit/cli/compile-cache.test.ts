import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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

it.runIf(isLinux)('a start keeps compiled code in the folder for caches, if Node can do this', async () => {
  await startAndStop({ XDG_CACHE_HOME: folder.path });
  expect(existsSync(join(folder.path, 'tanzanite', 'compiled'))).toBe(hasCache);
});

it.runIf(isLinux)('a folder for caches that cannot be written does no harm', async () => {
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  await startAndStop({ XDG_CACHE_HOME: file });
});

it.runIf(isLinux).each([
  ['the user has no home folder', { HOME: '', XDG_CACHE_HOME: '' }],
  ['XDG_CACHE_HOME is a relative path', { HOME: '', XDG_CACHE_HOME: 'relative' }],
])('a start keeps no compiled code if %s', async (_, env) => {
  await startAndStop(env);
  expect(readdirSync(folder.path)).toEqual([]);
});

it.runIf(isLinux)('NODE_DISABLE_COMPILE_CACHE leaves the disk unchanged', async () => {
  await startAndStop({ XDG_CACHE_HOME: folder.path, NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(existsSync(join(folder.path, 'tanzanite'))).toBe(false);
});

it.runIf(isLinux && hasCache)('only the user can access the folder, whatever the umask', async () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  await startAndStop({ XDG_CACHE_HOME: join(folder.path, 'cache') });
  const made = join(folder.path, 'cache', 'tanzanite', 'compiled');
  expect(statSync(made).mode & 0o777).toBe(0o700);
  expect(readdirSync(made)).toHaveLength(1);
});

const isRoot = process.geteuid?.() === 0;
const other = 65_533;

describe.runIf(isLinux && hasCache)('code that another user could have compiled is not run: the folder', () => {
  /** The folder for caches, and the folder below it that a start would use. */
  function newCache() {
    const cache = join(folder.path, 'cache');
    const compiled = join(cache, 'tanzanite', 'compiled');
    mkdirSync(compiled, { recursive: true, mode: 0o755 });
    return { cache, compiled };
  }

  it.runIf(isRoot).each(['cache', 'cache/tanzanite', 'cache/tanzanite/compiled'])(
    '%s belongs to another user',
    async (path) => {
      const { cache, compiled } = newCache();
      chownSync(join(folder.path, path), other, other);
      await startAndStop({ XDG_CACHE_HOME: cache });
      expect(readdirSync(compiled)).toEqual([]);
    },
  );

  it.runIf(isRoot)('of a home that sudo has kept belongs to another user', async () => {
    const home = join(folder.path, 'home');
    mkdirSync(home);
    chownSync(home, other, other);
    await startAndStop({ HOME: home, XDG_CACHE_HOME: '' });
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['cache', 'can be written to by others', 0o777],
    ['cache/tanzanite', 'can be written to by others', 0o757],
    ['cache/tanzanite/compiled', 'can be written to by others', 0o777],
    ['cache/tanzanite/compiled', 'can be added to by others', 0o1777],
  ])('%s %s', async (path, _, mode) => {
    const { cache, compiled } = newCache();
    chmodSync(join(folder.path, path), mode);
    await startAndStop({ XDG_CACHE_HOME: cache });
    expect(readdirSync(compiled)).toEqual([]);
  });

  it('is a link', async () => {
    const { cache, compiled } = newCache();
    rmdirSync(compiled);
    const target = join(folder.path, 'target');
    mkdirSync(target);
    symlinkSync(target, compiled);
    await startAndStop({ XDG_CACHE_HOME: cache });
    expect(readdirSync(target)).toEqual([]);
  });
});

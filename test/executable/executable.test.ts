// The executable as a user gets it. `npm run executable` makes it; without one, all is skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const name = `tanzanite-${platform}-${process.arch}${platform === 'win' ? '.exe' : ''}`;
const executable = fileURLToPath(new URL(`../../executables/${name}`, import.meta.url));
const isMade = existsSync(executable);
const chmodCommand: string = 'chmod';
if (!isMade) console.warn('test/executable: skipped, npm run executable makes the executable');

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** Nothing of the user's, and no folder of Node's on the path. */
const surroundings = (cache: string) => ({ PATH: '/nowhere', XDG_CACHE_HOME: cache, LOCALAPPDATA: cache });

function run(words: readonly string[], env: NodeJS.ProcessEnv, program = executable) {
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

async function serve(words: readonly string[], env: NodeJS.ProcessEnv, program = executable) {
  const child = spawn(program, words, { env, cwd: newFolder(), stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
      const found = /Table service is successfully listening at (\S+)/.exec(said);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('close', () => reject(new Error(`it ended: ${said}`)));
  });
  return { child, url };
}

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('close', resolve));

const clientOf = (url: string): TableClient =>
  TableClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=${url}/devstoreaccount1`,
    'pets',
    { allowInsecureConnection: true },
  );

describe.skipIf(!isMade)('the executable', () => {
  it('keeps through a kill what it acknowledged, and serves the console', async () => {
    const [env, location] = [surroundings(newFolder()), newFolder()];
    const words = ['start', '--tablePort', '0', '--location', location];
    const first = await serve(words, env);
    await clientOf(first.url).createTable();
    await clientOf(first.url).createEntity({ partitionKey: 'dog', rowKey: '1', name: 'Rex' });
    expect((await fetch(`${first.url}/_emulator/console`)).status).toBe(200);
    first.child.kill('SIGKILL');
    await ended(first.child);
    const second = await serve(words, env);
    expect((await clientOf(second.url).getEntity('dog', '1'))['name']).toBe('Rex');
  });

  it('is started twenty times at once on a machine that has never seen it', { timeout: 300_000 }, async () => {
    const cache = newFolder();
    const starts = Array.from({ length: 20 }, async () => {
      const child = spawn(executable, ['--version'], { env: surroundings(cache), stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
      await ended(child);
      return said;
    });
    expect(new Set(await Promise.all(starts))).toEqual(new Set([`${versionOfPackage()}\n`]));
    const unpacked = readdirSync(join(cache, 'tanzanite/executable')).filter((entry) => entry !== '.in-use');
    expect(unpacked).toHaveLength(1);
  });

  it('never runs a file that was altered', () => {
    const cache = newFolder();
    run(['--version'], surroundings(cache));
    const place = join(cache, 'tanzanite/executable');
    const [folder = ''] = readdirSync(place).filter((entry) => entry !== '.in-use');
    writeFileSync(join(place, folder, 'dist/cli.js'), 'console.log("altered")');
    expect(run(['--version'], surroundings(cache)).stdout).toBe(`${versionOfPackage()}\n`);
  });

  it('says in one line that there is no folder to unpack into', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const env = { ...surroundings(file), TMPDIR: file, TEMP: file, TMP: file };
    const { status, stdout, stderr } = run(['--version'], env);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: there is no folder to unpack the program into .*\n$/);
  });

  it.skipIf(process.platform === 'win32')('is azurite-table, and azurite, by those names', async () => {
    const [folder, env] = [newFolder(), surroundings(newFolder())];
    for (const link of ['azurite', 'azurite-table']) symlinkSync(executable, join(folder, link));
    expect(run(['--version'], env, join(folder, 'azurite')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const flags = ['--silent', '--disableTelemetry', '--disableProductStyleUrl', '--skipApiVersionCheck'];
    const { url } = await serve([...flags, '--tablePort', '0'], env, join(folder, 'azurite-table'));
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  });

  it.skipIf(process.platform === 'win32')("starts Azurite's servers, which are programs of Node's", async () => {
    const folder = newFolder();
    const fake = fileURLToPath(new URL('../support/fake-azurite', import.meta.url));
    symlinkSync(join(fake, 'server.mjs'), join(folder, 'azurite'));
    const env = { ...surroundings(newFolder()), PATH: folder };
    const { child, url } = await serve(['azurite', '--blobPort', '0', '--queuePort', '0', '--tablePort', '0'], env);
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
    child.kill('SIGTERM');
    await ended(child);
  });

  describe.skipIf(process.platform !== 'linux')('as the image has it, installed with what it would unpack', () => {
    /** Beside a copy of the executable; nothing else can be written to. */
    function install() {
      const [folder, cache] = [newFolder(), newFolder()];
      const file = join(folder, 'not-a-folder');
      writeFileSync(file, '');
      run(['--version'], surroundings(cache));
      const place = join(cache, 'tanzanite/executable');
      const [unpacked = ''] = readdirSync(place).filter((entry) => entry !== '.in-use');
      renameSync(join(place, unpacked), join(folder, 'tanzanite-unpacked'));
      cpSync(executable, join(folder, 'tanzanite'));
      mkdirSync(join(folder, 'data'));
      for (const link of ['azurite', 'azurite-blob']) symlinkSync(join(folder, 'tanzanite'), join(folder, link));
      // As root the entry becomes another user, who must be able to read all of it.
      spawnSync(chmodCommand, ['-R', 'a+rX', folder]);
      return { folder, env: { ...surroundings(file), TMPDIR: file, TANZANITE_IMAGE: join(folder, 'data') } };
    }

    it('writes nothing but its data, and serves by the name azurite', async () => {
      const { folder, env } = install();
      const before = readdirSync(folder);
      const { url } = await serve(['--tablePort', '0'], env, join(folder, 'azurite'));
      await clientOf(url.replace('0.0.0.0', '127.0.0.1')).createTable();
      expect(readdirSync(folder)).toEqual(before);
      expect(readdirSync(join(folder, 'data'))).toContain('devstoreaccount1.sqlite');
    });

    it('says what this image does not serve', () => {
      const { folder, env } = install();
      const { status, stderr } = run([], env, join(folder, 'azurite-blob'));
      expect(status).toBe(2);
      expect(stderr).toMatch(/^tanzanite: azurite-blob is in the image .*--target with-azurite\.\n$/);
    });

    it('does not run a file that was altered', () => {
      const { folder, env } = install();
      writeFileSync(join(folder, 'tanzanite-unpacked/dist/image.js'), 'console.log("altered")');
      const { status, stdout, stderr } = run(['--version'], env, join(folder, 'tanzanite'));
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: there is no folder to unpack the program into .*\n$/);
    });
  });

  it('prints the licence of Node and of each package inside', () => {
    const { status, stdout } = run(['licences'], surroundings(newFolder()));
    expect(status).toBe(0);
    for (const title of ['Node.js', 'better-sqlite3', 'fastify ', 'Permission is hereby granted'])
      expect(stdout).toContain(title);
  });
});

describe('the trial of an executable', () => {
  const script = fileURLToPath(new URL('../../scripts/try-executable.mjs', import.meta.url));
  const dist = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
  const attempt = (...words: string[]) => spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });

  /** The built command as a program, whose `start` is given `flags` too. */
  function programWith(flags: string): string {
    const path = join(newFolder(), 'program');
    const command = `'${process.execPath}' '${dist}'`;
    const script = `#!/bin/sh\nif [ "$1" = start ]; then exec ${command} "$@" ${flags}; fi\nexec ${command} "$@"\n`;
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  }

  it.skipIf(!isMade)('finds nothing in the one that is made here', () => {
    const { status, stdout, stderr } = attempt(executable);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+ entities that an SDK wrote are there after a kill$/m);
  });

  it.skipIf(process.platform === 'win32')('fails on one that loses what it acknowledged', () => {
    const { status, stderr } = attempt(programWith('--inMemoryPersistence'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/: \d+ of \d+ acknowledged entities are gone after a kill\n$/);
  });

  it.skipIf(process.platform === 'win32')('fails on one that does not start, with what it says', () => {
    const { status, stderr } = attempt(programWith('--no-such-flag'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/: start ended before it was ready: .*no-such-flag/);
  });

  it.each([
    [[], 'name an executable'],
    [['nowhere'], 'there is no file nowhere'],
  ])('refuses %j in one line', (words, reason) => {
    const { status, stderr } = attempt(...words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: `try-executable: ${reason}\n` });
  });
});

const versionOfPackage = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

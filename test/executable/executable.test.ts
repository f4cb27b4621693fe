// Uses the executable as a user would. If `npm run executable` has not made an executable, all tests are skipped.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BrowserPage, isBrowserInstalled } from '../support/browser.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import {
  clientOf,
  ended,
  executable,
  isMade,
  newFolder,
  run,
  serve,
  surroundings,
  versionOfPackage,
} from './program.ts';

const chmodCommand: string = 'chmod';
if (!isMade) console.warn('test/executable: skipped, npm run executable makes the executable');

/** A copy of the executable in which a text of the same length replaces the last occurrence of another. */
function altered(before: string, after: string): string {
  const program = join(newFolder(), 'tanzanite');
  copyFileSync(executable, program);
  chmodSync(program, 0o755);
  const descriptor = openSync(program, 'r+');
  writeSync(descriptor, after, readFileSync(executable).lastIndexOf(before));
  closeSync(descriptor);
  return program;
}

describe.skipIf(!isMade)('the executable', () => {
  it('keeps acknowledged writes when it is killed, and serves the console', async () => {
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

  it('can be started twenty times at the same time on a new machine', { timeout: 300_000 }, async () => {
    const cache = newFolder();
    const starts = Array.from({ length: 20 }, async () => {
      const child = spawn(executable, ['--version'], { env: surroundings(cache), stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
      await ended(child);
      return said;
    });
    expect(new Set(await Promise.all(starts))).toEqual(new Set([`${versionOfPackage}\n`]));
    const unpacked = readdirSync(join(cache, 'tanzanite/executable')).filter((entry) => entry !== '.in-use');
    expect(unpacked).toHaveLength(1);
  });

  it('never runs a file that was altered', () => {
    const cache = newFolder();
    run(['--version'], surroundings(cache));
    const place = join(cache, 'tanzanite/executable');
    const [folder = ''] = readdirSync(place).filter((entry) => entry !== '.in-use');
    writeFileSync(join(place, folder, 'dist/cli.js'), 'console.log("altered")');
    expect(run(['--version'], surroundings(cache)).stdout).toBe(`${versionOfPackage}\n`);
  });

  it.skipIf(process.platform === 'win32')('leaves a cache that later starts can use, whatever the umask', () => {
    // Root may enter any folder, so this runs as another user.
    const user = process.geteuid?.() === 0 ? ['setpriv', '--reuid=1001', '--regid=1001', '--clear-groups'] : [];
    for (const umask of ['0177', '0777']) {
      const cache = newFolder();
      if (user.length > 0) chownSync(cache, 1001, 1001);
      const script = `umask ${umask}; exec ${user.join(' ')} "$0" --version`;
      const options = {
        env: { ...process.env, XDG_CACHE_HOME: cache, TMPDIR: '/proc' },
        encoding: 'utf8',
        cwd: '/',
      } as const;
      for (const program of [executable, executable])
        expect(spawnSync('sh', ['-c', script, program], options)).toMatchObject({ status: 0, stderr: '' });
      const modes = ['tanzanite', 'tanzanite/executable'].map((path) => statSync(join(cache, path)).mode & 0o777);
      expect(modes).toEqual([0o700, 0o700]);
    }
  });

  it('does not take a variable of another program for a sign that it runs in the image', async () => {
    for (const TANZANITE_IMAGE of ['ghcr.io/owner/tanzanite:1.0.0', join(newFolder(), 'image.tar')]) {
      const env = { ...surroundings(newFolder()), TANZANITE_IMAGE };
      const { url } = await serve(['--tablePort', '0', '--inMemoryPersistence'], env);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
      expect(run(['settings'], env).stdout).not.toContain('the image');
    }
  });

  it('says in one line that there is no folder to unpack into', () => {
    const file = join(newFolder(), process.platform === 'win32' ? 'file' : 'file\n\u001b[31m');
    writeFileSync(file, '');
    const env = { ...surroundings(file), TMPDIR: file, TEMP: file, TMP: file };
    const { status, stdout, stderr } = run(['--version'], env);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: there is no folder to unpack the program into [ -~]*\n$/);
  });

  it.skipIf(process.platform === 'win32')('is azurite-table, and azurite, by those names', async () => {
    const [folder, env] = [newFolder(), surroundings(newFolder())];
    for (const link of ['azurite', 'azurite-table']) symlinkSync(executable, join(folder, link));
    expect(run(['--version'], env, join(folder, 'azurite')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const flags = ['--silent', '--disableTelemetry', '--disableProductStyleUrl', '--skipApiVersionCheck'];
    const { url } = await serve([...flags, '--tablePort', '0'], env, join(folder, 'azurite-table'));
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  });

  it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGKILL'] as const)(
    "starts Azurite's servers, which are Node programs, and leaves none running after %s",
    async (signal) => {
      const folder = newFolder();
      const fake = fileURLToPath(new URL('../support/fake-azurite', import.meta.url));
      symlinkSync(join(fake, 'server.mjs'), join(folder, 'azurite'));
      const env = { ...surroundings(newFolder()), PATH: folder };
      const words = ['azurite', '--blobPort', '0', '--queuePort', '0', '--tablePort', '0'];
      const { child, url, said } = await serve(words, env);
      expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
      child.kill(signal);
      // Standard error is closed when the last server has ended.
      await ended(child);
      expect(said()).toContain('Azurite Table service successfully closed');
      for (const [, origin = ''] of said().matchAll(/is successfully listening at (\S+)/g))
        await expect(fetch(origin)).rejects.toThrow();
    },
  );

  describe.skipIf(process.platform !== 'linux')('as the image has it, installed with what it would unpack', () => {
    /** Installs files next to a copy of the executable. No other folder can be written to. */
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
      // Started as root, the entry changes to another user, who must be able to read all files.
      spawnSync(chmodCommand, ['-R', 'a+rX', folder]);
      return { folder, env: { ...surroundings(file), TMPDIR: file, TANZANITE_IMAGE: join(folder, 'data') } };
    }

    it('writes only its data, and works under the name azurite', async () => {
      const { folder, env } = install();
      const before = readdirSync(folder);
      const { url } = await serve(['--tablePort', '0'], env, join(folder, 'azurite'));
      await clientOf(url.replace('0.0.0.0', '127.0.0.1')).createTable();
      expect(readdirSync(folder)).toEqual(before);
      expect(readdirSync(join(folder, 'data'))).toContain('devstoreaccount1.sqlite');
    });

    it('says which services this image does not have', () => {
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

  it.runIf(hasPostgres)('keeps its data in PostgreSQL', { timeout: 60_000 }, async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const env = surroundings(newFolder());
    const words = ['start', '--tablePort', '0', '--store', database.url];
    const first = await serve(words, env);
    await clientOf(first.url).createTable();
    await clientOf(first.url).createEntity({ partitionKey: 'dog', rowKey: '1', name: 'Rex' });
    const killed = ended(first.child);
    first.child.kill('SIGKILL');
    await killed;
    const second = await serve(words, env);
    expect((await clientOf(second.url).getEntity('dog', '1'))['name']).toBe('Rex');
  });

  it.runIf(isBrowserInstalled())('shows the console', { timeout: 60_000 }, async () => {
    const { url } = await serve(['--tablePort', '0', '--inMemoryPersistence'], surroundings(newFolder()));
    await clientOf(url).createTable();
    const page = await BrowserPage.start();
    onTestFinished(() => page.close());
    await page.open(`${url}/_emulator/console`);
    await expect.poll(() => page.evaluate('document.querySelector("main")?.innerText')).toContain('pets');
    expect(page.errors).toEqual([]);
  });

  it('runs a command with an emulator', () => {
    const words = ['exec', '--', executable, 'table', 'create', 'pets'];
    expect(run(words, surroundings(newFolder()))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('created table pets'),
    });
  });

  it('runs a command under each failure of a recipe', { timeout: 60_000 }, () => {
    const words = ['chaos', '--', executable, 'table', 'list'];
    const { status, stdout } = run(words, surroundings(newFolder()));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^expired-continuation +not met: this failure needs a query of entities that asks for/m);
  });

  it.each([
    ['the list of its files', '"files":[{', '"files";[{'],
    ['a file in it', '"sha256":"', '"sha256":"~'],
  ])('says in one line that %s is damaged', (_, before, after) => {
    const { status, stdout, stderr } = run(['--version'], surroundings(newFolder()), altered(before, after));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: the executable is damaged: .* compare its checksum\.\n$/);
  });

  it('says in one line that a port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const child = spawn(executable, ['--tablePort', String(port), '--inMemoryPersistence'], {
      env: surroundings(newFolder()),
    });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    server.on('connection', (socket) => socket.destroy());
    await ended(child);
    expect(child.exitCode).toBe(2);
    expect(said).toMatch(new RegExp(`^tanzanite: .*${port}.*\\n$`));
  });

  it.skipIf(process.platform === 'win32')(
    'keeps compiled code with its version, also without a cache and a home folder',
    () => {
      const temporary = newFolder();
      const env = { PATH: '/nowhere', HOME: '', TMPDIR: temporary };
      expect(run(['--version'], env).stdout).toBe(`${versionOfPackage}\n`);
      const place = join(temporary, `tanzanite-${process.geteuid?.()}`, 'executable');
      const [name = ''] = readdirSync(place).filter((entry) => entry !== '.in-use');
      expect(readdirSync(join(place, name, '.compiled'))).toHaveLength(1);
    },
  );

  it('prints the licence of Node and of each package inside', () => {
    const { status, stdout } = run(['licences'], surroundings(newFolder()));
    expect(status).toBe(0);
    for (const title of ['Node.js', 'better-sqlite3', 'fastify ', 'Permission is hereby granted'])
      expect(stdout).toContain(title);
  });
});

describe('scripts/try-executable.mjs', () => {
  const script = fileURLToPath(new URL('../../scripts/try-executable.mjs', import.meta.url));
  const dist = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
  const attempt = (...words: string[]) => spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });

  /** A program that runs the built command, and adds `flags` to `start`. */
  function programWith(flags: string): string {
    const path = join(newFolder(), 'program');
    const command = `'${process.execPath}' '${dist}'`;
    const script = `#!/bin/sh\nif [ "$1" = start ]; then exec ${command} "$@" ${flags}; fi\nexec ${command} "$@"\n`;
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  }

  it.skipIf(!isMade)('finds no fault in the executable that was made here', () => {
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

// Runs the executable on a bare machine: a root file system with only the libraries of C and C++, a user without a name
// or a home folder, and no network to other machines. Making such a machine needs root (chroot, unshare). If there is
// no root access or no executable, all tests are skipped.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { connectionStringOf, ended, executable, isMade, type Served, serve, versionOfPackage } from './program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const user = 12_345;

function canBeMade(): boolean {
  const test = spawnSync('unshare', ['--net', 'sh', '-c', 'ip link set lo up && chroot / true']);
  return isMade && process.platform === 'linux' && process.geteuid?.() === 0 && test.status === 0;
}

const isPossible = canBeMade();
if (isMade && !isPossible) console.warn('test/executable: no bare machine can be made here, which takes root');

describe.skipIf(!isPossible)('the executable on a bare machine', () => {
  const folder = temporaryFolder();
  const machine = folder.path;

  beforeAll(() => {
    const libraries = execFileSync('ldd', [executable], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
    for (const [, library = ''] of libraries) {
      mkdirSync(join(machine, dirname(library)), { recursive: true });
      copyFileSync(library, join(machine, library));
    }
    copyFileSync(executable, join(machine, 'tanzanite'));
    chmodSync(machine, 0o755);
    symlinkSync('tanzanite', join(machine, 'azurite'));
    for (const [name, mode] of [
      ['tmp', 0o1777],
      ['work', 0o777],
    ] as const) {
      mkdirSync(join(machine, name));
      chmodSync(join(machine, name), mode);
    }
  });

  afterAll(() => folder.remove());

  /** The command line that starts a program on this machine. */
  const inside = (program: string, at = machine): readonly string[] => [
    ...['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
    ...['chroot', `--userspec=${user}:${user}`, at, program],
  ];

  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

  function runInside(words: readonly string[], { program = '/tanzanite', at = machine } = {}) {
    const { status, stdout, stderr } = spawnSync('unshare', [...inside(program, at), ...words], {
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  const serveInside = (words: readonly string[], { program = '/tanzanite', at = machine } = {}): Promise<Served> =>
    serve([...inside(program, at), ...words], env, 'unshare');

  /**
   * Runs a program with Node in the network namespace of a server. The program can use `client`, a client for the table
   * `pets`.
   */
  async function withClient({ child, url }: Served, program: string): Promise<string> {
    const text = `import { TableClient } from '@azure/data-tables';
      const client = TableClient.fromConnectionString(${JSON.stringify(connectionStringOf(url))}, 'pets', { allowInsecureConnection: true });
      ${program}`;
    const words = ['--net', `--target=${child.pid}`, process.execPath, '--input-type=module', '--eval', text];
    const client = spawn('nsenter', words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    client.stdout.on('data', (part) => (said += part));
    expect(await ended(client)).toBe(0);
    return said;
  }

  /** A read-only copy of the machine's file system. */
  function readOnly(): string {
    const { path, remove } = temporaryFolder();
    execFileSync('mount', ['--bind', machine, path]);
    execFileSync('mount', ['-o', 'remount,bind,ro', path]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', path]);
      remove();
    });
    return path;
  }

  it('can be started twenty times at the same time by a user without a name, and unpacks one folder', {
    timeout: 300_000,
  }, async () => {
    const starts = Array.from({ length: 20 }, async () => {
      const child = spawn('unshare', [...inside('/tanzanite'), '--version'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
      await ended(child);
      return said;
    });
    expect(new Set(await Promise.all(starts))).toEqual(new Set([`${versionOfPackage}\n`]));
    const place = join(machine, `tmp/tanzanite-${user}/executable`);
    expect(readdirSync(place).filter((name) => name !== '.in-use')).toHaveLength(1);
  });

  it('keeps acknowledged writes when it is killed, and serves the console', { timeout: 120_000 }, async () => {
    const words = ['--location', '/work/data', '--tablePort', '0'];
    const first = await serveInside(words);
    const killed = ended(first.child);
    const written = await withClient(
      first,
      `await client.createTable();
       const rows = Array.from({ length: 200 }, (_, at) => String(at));
       await Promise.all(rows.map((rowKey) => client.createEntity({ partitionKey: 'dog', rowKey })));
       const page = await fetch(${JSON.stringify(`${first.url}/_emulator/console`)});
       process.kill(${first.child.pid}, 'SIGKILL');
       console.log(page.status);`,
    );
    expect(written).toBe('200\n');
    await killed;
    const second = await serveInside(words);
    const count = 'let count = 0; for await (const _ of client.listEntities()) count += 1; console.log(count);';
    expect(await withClient(second, count)).toBe('200\n');
  });

  it('works as azurite with servers of blobs and queues, without Node and without devices', async () => {
    cpSync(join(root, 'test/support/fake-azurite'), join(machine, 'work/node_modules/azurite'), { recursive: true });
    mkdirSync(join(machine, 'work/bin'));
    symlinkSync('../node_modules/azurite/server.mjs', join(machine, 'work/bin/azurite'));
    const words = ['--blobPort', '0', '--queuePort', '0', '--tablePort', '0', '--location', '/work/beside'];
    const given = ['--net', 'sh', '-c', `ip link set lo up && exec "$@"`, 'sh', 'chroot', `--userspec=${user}:${user}`];
    const { child, said } = await serve(
      [...given, machine, '/azurite', ...words],
      { ...env, PATH: `${env.PATH}:/work/bin` },
      'unshare',
    );
    const gone = ended(child);
    expect(said().match(/Azurite \w+ service is successfully listening/g)).toHaveLength(3);
    child.kill('SIGTERM');
    await gone;
    expect(child.exitCode).toBe(0);
  });

  it('runs a command with an emulator in memory', () => {
    const { status, stdout, stderr } = runInside(['exec', '--', '/tanzanite', 'table', 'create', 'pets']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    expect(stdout).toContain('created table pets');
  });

  it('prints licences and a script for completion', () => {
    expect(runInside(['licences']).stdout).toContain('Node.js');
    expect(runInside(['completion', 'bash']).stdout).toContain('_tanzanite()');
  });

  it('runs from a read-only disk if it has a folder for temporary files', async () => {
    const at = readOnly();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', join(at, 'tmp')]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', join(at, 'tmp')]));
    const served = await serveInside(['--inMemoryPersistence', '--tablePort', '0'], { at });
    const one = "await client.createTable(); await client.createEntity({ partitionKey: 'a', rowKey: '1' });";
    expect(await withClient(served, `${one} console.log((await client.getEntity('a', '1')).rowKey);`)).toBe('1\n');
  });

  it('says in one line that a read-only disk has no folder for temporary files', () => {
    rmSync(join(machine, `tmp/tanzanite-${user}`), { recursive: true, force: true });
    const { status, stdout, stderr } = runInside(['--version'], { at: readOnly() });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: there is no folder to unpack the program into .*read-only file system.*\n$/);
  });

  it('contains only the executable and the libraries of C and C++', () => {
    const names = readdirSync(machine, { recursive: true, encoding: 'utf8' }).filter((name) => /^lib|^usr/.test(name));
    const files = names
      .filter((name) => /\.so/.test(name))
      .map((name) =>
        name
          .split('/')
          .at(-1)
          ?.replace(/[-.].*/, ''),
      );
    expect([...new Set(files)].sort()).toEqual(['ld', 'libc', 'libdl', 'libgcc_s', 'libm', 'libpthread', 'libstdc++']);
    expect(readFileSync(executable).length).toBeGreaterThan(1e6);
  });
});

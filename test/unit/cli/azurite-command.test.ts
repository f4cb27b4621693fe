import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const fakeAzurite = join(root, 'test/support/fake-azurite');
/** The folder in which `npm --prefix test/bench ci` installs Azurite. */
const realAzurite = join(root, 'test/bench/node_modules/azurite');

const anyPorts = ['--blobPort', '0', '--queuePort', '0', '--tablePort', '0'];

interface Started {
  readonly server: ServerProcess;
  readonly folder: string;
  readonly blob: string;
  readonly queue: string;
  readonly table: string;
}

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return realpathSync(folder.path);
}

/** Makes a folder in which this azurite is installed. */
function folderWith(azurite: string, name = 'azurite'): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'node_modules'));
  if (azurite === fakeAzurite) cpSync(azurite, join(folder, 'node_modules', name), { recursive: true });
  else symlinkSync(azurite, join(folder, 'node_modules', name));
  return folder;
}

interface Surroundings {
  readonly azurite?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The content of the settings file in the working folder. */
  readonly settings?: object;
}

async function start(args: readonly string[] = anyPorts, surroundings: Surroundings = {}): Promise<Started> {
  const { azurite = fakeAzurite, env = {}, settings } = surroundings;
  const folder = folderWith(azurite);
  if (settings !== undefined) writeFileSync(join(folder, 'tanzanite.json'), JSON.stringify(settings));
  const server = new ServerProcess(['azurite', ...args], { cwd: folder, env });
  onTestFinished(async () => void (await server.end('SIGTERM')));
  const table = await server.ready();
  const originOf = (service: string): string =>
    new RegExp(`^Azurite ${service} service is successfully listening at (http://\\S+)$`, 'm').exec(
      server.stdout,
    )?.[1] ?? '';
  return { server, folder, blob: originOf('Blob'), queue: originOf('Queue'), table };
}

const argumentsOf = async (origin: string): Promise<unknown> => (await fetch(origin)).json();
const refusesConnections = (origin: string): Promise<void> => expect(fetch(origin)).rejects.toThrow();

describe('tanzanite azurite', () => {
  it("prints Azurite's three ready lines, the line of tables last, and serves all three services", async () => {
    const { server, blob, queue, table } = await start();
    const ready = [...server.stdout.matchAll(/^Azurite (\w+) service is successfully listening at http:/gm)];
    expect(
      ready
        .map(([, service]) => service)
        .slice(0, 2)
        .sort(),
    ).toEqual(['Blob', 'Queue']);
    expect(ready.at(-1)?.[1]).toBe('Table');
    expect((await fetch(blob)).status).toBe(400);
    expect((await fetch(queue)).status).toBe(400);
    expect((await fetch(`${table}/_emulator/ready`)).status).toBe(200);
  });

  it('passes the flags of blobs and queues on, with the folder of the tables', async () => {
    const { blob, queue, folder } = await start([...anyPorts, '--location', 'kept', '--loose']);
    const shared = ['--location', 'kept', '--loose'];
    expect(await argumentsOf(blob)).toEqual(['--disableTelemetry', '--blobPort', '0', ...shared]);
    expect(await argumentsOf(queue)).toEqual(['--disableTelemetry', '--queuePort', '0', ...shared]);
    expect(readdirSync(join(folder, 'kept'))).toContain('tanzanite.lock');
  });

  it('accepts the other spelling of flags, too', async () => {
    const { blob } = await start(['--blob-port', '0', '--queue-port', '0', '--table-port', '0', '--location', 'kept']);
    expect(await argumentsOf(blob)).toEqual(['--disableTelemetry', '--blobPort', '0', '--location', 'kept']);
  });

  it('passes on the values of variables, unless a flag overrides them', async () => {
    const env = { TANZANITE_LOCATION: 'kept', TANZANITE_LOOSE: 'true', TANZANITE_SILENT: 'true' };
    const { blob, folder } = await start([...anyPorts, '--no-silent'], { env });
    expect(await argumentsOf(blob)).toEqual([
      ...['--disableTelemetry', '--location', 'kept', '--loose', '--blobPort', '0'],
    ]);
    expect(readdirSync(join(folder, 'kept'))).toContain('tanzanite.lock');
  });

  it('lets the value after a switch override a variable', async () => {
    const { blob } = await start([...anyPorts, '--loose', 'false'], { env: { TANZANITE_LOOSE: 'true' } });
    expect(await argumentsOf(blob)).not.toContain('--loose');
  });

  it('passes on the settings file, with --inMemoryPersistence instead of a folder', async () => {
    const settings = { inMemoryPersistence: true, location: 'kept', debug: 'logs/debug.log' };
    const { queue } = await start(anyPorts, { settings });
    expect(await argumentsOf(queue)).toEqual([
      ...['--disableTelemetry', '--inMemoryPersistence', '--debug', 'logs/debug.log', '--queuePort', '0'],
    ]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('stops all three gracefully on %s, with code 0', async (signal) => {
    const { server, blob, queue, table } = await start();
    expect(await server.end(signal)).toEqual({ code: 0, signal: null });
    for (const service of ['Blob', 'Queue', 'Table']) {
      expect(server.stdout).toContain(`Azurite ${service} service successfully closed\n`);
    }
    await Promise.all([blob, queue, table].map(refusesConnections));
  });

  it.each([
    ['blob', 3, 3],
    ['queue', 70, 70],
    ['blob', 0, 1],
  ] as const)(
    'ends all servers when the %s server ends by itself with code %d, with code %d',
    async (service, code, expected) => {
      const { server, table, ...origins } = await start();
      await fetch(`${origins[service]}/exit/${code}`).catch(() => undefined);
      expect(await server.ended()).toEqual({ code: expected, signal: null });
      expect(server.stdout).toContain('Azurite Table service successfully closed\n');
      await refusesConnections(table);
    },
  );

  it('ends all servers with code 2 when the table server cannot start, and says why', async () => {
    const { table } = await start();
    const args = ['azurite', '--blobPort', '0', '--queuePort', '0', '--tablePort', new URL(table).port];
    const { code, stderr } = await runCommand(args, { cwd: folderWith(fakeAzurite) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^tanzanite: port \d+ .* is in use by another Tanzanite/),
    });
  });

  it('refuses a wrong flag of the table server before it starts anything', async () => {
    const { code, stdout, stderr } = await runCommand(['azurite', '--throttle', 'maybe'], {
      cwd: folderWith(fakeAzurite),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--throttle');
  });

  // The packages azurite and tanzanite-azurite contain commands with the same names. These commands would conflict if
  // both packages were installed in one place, so the message suggests another place for azurite.
  it.skipIf(isAzuriteGlobal()).each([
    ['azurite', newFolder],
    ['--global azurite', () => folderWith(fakeAzurite, 'tanzanite-azurite')],
  ])('serves only tables if azurite is not installed, and says what is missing: %s', async (missing, makeFolder) => {
    const server = new ServerProcess(['azurite', '--blobPort', '12000', '--tablePort', '0'], {
      cwd: makeFolder(),
      env: withPath(),
    });
    onTestFinished(async () => void (await server.end('SIGTERM')));
    expect((await fetch(`${await server.ready()}/_emulator/ready`)).status).toBe(200);
    expect(server.stderr).toMatch(
      new RegExp(
        `^tanzanite: nothing serves blobs on port 12000 and queues on port 10001: .* Run: npm install ${missing}$`,
        'm',
      ),
    );
  });

  it.skipIf(process.platform === 'win32' || isAzuriteGlobal())('finds azurite by its command on the path', async () => {
    const [commands, folder] = [newFolder(), folderWith(fakeAzurite)];
    symlinkSync(join(folder, 'node_modules/azurite', 'server.mjs'), join(commands, 'azurite'));
    const server = new ServerProcess(['azurite', ...anyPorts], { cwd: newFolder(), env: withPath(commands) });
    onTestFinished(async () => void (await server.end('SIGTERM')));
    await server.ready();
    expect(server.stdout).toContain('Azurite Blob service is successfully listening at');
  });

  it.skipIf(process.platform === 'win32' || isAzuriteGlobal())(
    'does not take another command of that name for azurite',
    async () => {
      const commands = newFolder();
      writeFileSync(join(commands, 'azurite'), '');
      const server = new ServerProcess(['azurite', ...anyPorts], { cwd: newFolder(), env: withPath(commands) });
      onTestFinished(async () => void (await server.end('SIGTERM')));
      await server.ready();
      expect(server.stderr).toContain('nothing serves blobs');
    },
  );
});

/** The variable PATH with these folders first. */
const withPath = (...folders: readonly string[]): Record<string, string> => ({
  PATH: [...folders, process.env['PATH'] ?? ''].join(delimiter),
});

const hasAzurite = existsSync(realAzurite);
if (!hasAzurite) console.warn('tanzanite azurite with Azurite: skipped, npm --prefix test/bench ci installs it');

describe.skipIf(!hasAzurite)('tanzanite azurite with Azurite itself', () => {
  it('serves blobs, queues and tables from one folder', async () => {
    const { server, folder, blob, queue, table } = await start([...anyPorts, '--location', 'kept', '--silent'], {
      azurite: realAzurite,
    });
    expect((await fetch(blob)).headers.get('server')).toMatch(/^Azurite-Blob/);
    expect((await fetch(queue)).headers.get('server')).toMatch(/^Azurite-Queue/);
    expect((await fetch(`${table}/_emulator/ready`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const kept = ['__azurite_db_blob__.json', '__azurite_db_queue__.json', 'tanzanite.lock'];
    expect(readdirSync(join(folder, 'kept'))).toEqual(expect.arrayContaining(kept));
  });
});

function isAzuriteGlobal(): boolean {
  const prefix = join(process.execPath, '../../lib/node_modules/azurite');
  return existsSync(prefix);
}

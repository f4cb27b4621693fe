import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';
import { tableNamed } from '../../support/entities.ts';
import { contentsOfFolder } from '../../support/folder-contents.ts';
import { storeTimes } from '../../support/manual-time.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bumpVersion, cutToFirstPage, replaceByForeignDatabase, spoilHeader } from '../storage/sqlite/harms.ts';

const account = 'devstoreaccount1';
let folder: { path: string; remove(): void };
let location: string;

/** The working directory contains a location that was in use, under its default name. */
beforeEach(async () => {
  folder = temporaryFolder();
  location = join(folder.path, 'tanzanite-data');
  const store = await openSqliteStore({ location, durability: 'process', ...storeTimes() });
  await store.account(account).createTable(tableNamed('Pets'));
  await store.close();
});
afterEach(() => {
  folder.remove();
});

/**
 * Returns everything below the working directory, except the times of folders. SQLite may create and delete a log in a
 * folder, which changes the time of the folder.
 */
function contents(): Record<string, string> {
  const all = Object.entries(contentsOfFolder(folder.path, { hashed: true }));
  return Object.fromEntries(all.map(([name, text]) => [name, text.startsWith('folder') ? 'folder' : text]));
}

/** Runs a start that must be refused with code 2 and change nothing. Returns its standard error. */
async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const before = contents();
  const { code, stdout, stderr }: CommandResult = await runCommand(args, { cwd: folder.path, env });
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  expect(contents()).toEqual(before);
  return stderr;
}

const oneLine = /^tanzanite: [^\n]+\n$/;

describe('a start is refused with code 2 and its reason', () => {
  it.each([
    ['an unknown flag', ['--nonsense'], 'unknown flag --nonsense: tanzanite start --help lists the flags'],
    [
      'a port that is not a number',
      ['--tablePort', 'abc'],
      '--tablePort must be a whole number from 0 to 65535, not abc.',
    ],
    ['a negative port', ['--table-port', '-1'], '--tablePort must be a whole number from 0 to 65535, not -1.'],
    ['a flag without its value', ['--location'], '--location needs a value, <folder>.'],
    [
      'a collector that is not an address',
      ['--otlp', 'localhost:4318'],
      '--otlp must be an address that begins with http',
    ],
    [
      'a viewer without a trace',
      ['--trace-url', 'http://localhost:16686/'],
      '--trace-url must be an address that begins',
    ],
    ['a viewer that is a script', ['--trace-url', 'javascript:alert(1)//{traceId}'], '--trace-url must be an address'],
    ['an unknown durability', ['--durability', 'much'], '--durability must be one of process, power, none, not much.'],
  ])('for %s, in one line that says what is allowed', async (_, args, reason) => {
    const stderr = await refusal(args);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(reason);
  });

  it.each([
    ['a name alone', 'account1', 'account account1 needs one or two keys'],
    ['a bad name', 'A:a2V5', 'entry 1 begins with no account name'],
    ['a short name', 'ab:a2V5', 'entry 1 begins with no account name: 3 to 63 lower-case letters, digits and hyphens'],
    ['a hyphen at its end', 'ab-:a2V5', 'entry 1 begins with no account name: 3 to 63 lower-case letters, digits and'],
    ['a key that is not base64', 'account1:secret!', 'a key of account account1 is not base64'],
    ['one account twice', 'account1:a2V5;account1:a2V5', 'names an account twice'],
  ])('for AZURITE_ACCOUNTS with %s, in one line without the key', async (_, accounts, reason) => {
    const stderr = await refusal(['--tablePort', '0'], { AZURITE_ACCOUNTS: accounts });
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(`AZURITE_ACCOUNTS ${reason}`);
    expect(stderr).not.toMatch(/a2V5|secret/);
  });

  it.each([
    ['another protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
    ['a header that is none', { OTEL_EXPORTER_OTLP_HEADERS: '=hush' }, 'OTEL_EXPORTER_OTLP_HEADERS: item 1'],
  ])('for --otlp env with %s, in one line without a header', async (_, variables, reason) => {
    const stderr = await refusal(['--inMemoryPersistence', '--tablePort', '0', '--otlp', 'env'], variables);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('hush');
  });

  it.each([
    [
      'an unknown command',
      ['heath'],
      'unknown command heath: did you mean health? tanzanite --help lists the commands',
    ],
    ['one with flags', ['heath', '--url', 'x', '--help'], 'unknown command heath: did you mean health?'],
    ['help for one', ['help', 'foo'], 'unknown command foo: tanzanite --help lists the commands'],
    ['a word after start', ['start', 'foo'], 'start takes flags only, not the word foo'],
    ['a command after flags', ['--inMemoryPersistence', 'health'], 'not the word health; a command comes first'],
  ])('for %s, in one line that names it', async (_, args, reason) => {
    const stderr = await refusal(args);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(reason);
  });

  it('for a host that is not an address of this machine, in one line', async () => {
    const stderr = await refusal(['--tableHost', '192.0.2.1', '--tablePort', '0']);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain('192.0.2.1 is not an address of this machine');
  });

  it.each([
    ['below a regular file', join('plain', 'log'), /: plain is a file, not a folder\.$/m],
    ['a folder', 'tanzanite-data', /it is a folder/],
    ['where no folder can be created', '/proc/absent/log', /ENOENT|EACCES|EPERM/],
  ])('for a log file that is %s, in one line that names the flag', async (_, file, reason) => {
    writeFileSync(join(folder.path, 'plain'), '');
    const stderr = await refusal(['--tablePort', '0', '--debug', file]);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(`--debug ${file} cannot be written: `);
    expect(stderr).toMatch(reason);
  });

  it.each(['start foo', 'start --tablePort x', '--tablePort x'])(
    'but not if help is wanted: %s --help',
    async (line) => {
      const { code, stdout, stderr } = await runCommand([...line.split(' '), '--help'], { cwd: folder.path });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: tanzanite/);
    },
  );
});

describe('a start on a port in use', () => {
  let other: Server;
  let port: string;

  beforeEach(async () => {
    other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    port = String(typeof address === 'object' ? address?.port : '');
  });
  afterEach(() => {
    other.close();
  });

  it('is refused with code 2 and one line, and changes no data', async () => {
    const stderr = await refusal(['--tablePort', port]);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another`);
  });

  it('leaves nothing on disk that was not there before', async () => {
    const flags = ['--location', join('deep', 'data'), '--debug', join('logs', 'debug.log')];
    await refusal(['--tablePort', port, ...flags]);
    expect(existsSync(join(folder.path, 'deep'))).toBe(false);
    expect(existsSync(join(folder.path, 'logs'))).toBe(false);
  });

  it.each([
    ['in memory', ['--inMemoryPersistence'], 'data in memory'],
    ['in a folder', [], `data in ${join('{folder}', 'tanzanite-data')}`],
  ])('that another Tanzanite uses names its address, its process and its data: %s', async (_, flags, place) => {
    const first = new ServerProcess(['--tablePort', '0', ...flags], { cwd: folder.path });
    try {
      const url = await first.ready();
      const stderr = await refusal(['--tablePort', new URL(url).port, '--location', 'other']);
      expect(stderr).toMatch(oneLine);
      const { pid } = (await (await fetch(`${url}/_emulator/health`)).json()) as { pid: number };
      const data = place.replace('{folder}', realpathSync(folder.path));
      expect(stderr).toContain(
        `is in use by another Tanzanite at ${url}, process ${pid}, ${data}. Use that emulator, stop it, or`,
      );
    } finally {
      await first.end('SIGTERM');
    }
  });
});

describe('a start on data that cannot be used is refused with code 2 and one line', () => {
  const file = (): string => join(location, `${account}.sqlite`);

  it.each([
    ['of a newer version', bumpVersion, /newer version .* Update tanzanite/],
    ['of another program', replaceByForeignDatabase, /database of another program/],
    ['with garbage for a header', spoilHeader, /not a database, or its start is damaged/],
    ['cut short', cutToFirstPage, /is shorter than its header says: it is damaged/],
  ])('if it is %s', async (_, harm, reason) => {
    harm(file());
    const stderr = await refusal(['--tablePort', '0']);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(join('tanzanite-data', `${account}.sqlite`));
    expect(stderr).toMatch(reason);
  });

  it.each([
    ['below a regular file', join('plain', 'data')],
    ['a regular file', 'plain'],
  ])('if the location is %s', async (_, place) => {
    writeFileSync(join(folder.path, 'plain'), 'a regular file');
    const stderr = await refusal(['--tablePort', '0', '--location', place]);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain('plain is a file, not a folder. Choose another folder with --location');
  });

  it('if another server uses the location, which is named and not disturbed', async () => {
    const first = new ServerProcess(['--tablePort', '0'], { cwd: folder.path });
    try {
      const url = await first.ready();
      const stderr = await refusal(['--tablePort', '0']);
      expect(stderr).toMatch(oneLine);
      const { pid } = (await (await fetch(`${url}/_emulator/health`)).json()) as { pid: number };
      expect(stderr).toContain(
        `is in use by process ${pid} at ${url}. Use the emulator that already runs on this folder, stop it, or`,
      );
      expect((await fetch(`${url}/${account}/Tables`)).status).toBe(403);
    } finally {
      await first.end('SIGTERM');
    }
    expect(readdirSync(location).sort()).toEqual([`${account}.sqlite`, 'tanzanite.lock', 'tanzanite.reserve']);
  });
});

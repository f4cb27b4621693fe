import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: { path: string; remove(): void };

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const node = process.execPath;

/** Runs a Node program in an empty folder. */
const execProgram = (program: string, flags: readonly string[] = [], env = {}): Promise<CommandResult> =>
  runCommand(['exec', ...flags, '--', node, '-e', program], { cwd: folder.path, env });

/** Runs a Node program that uses the SDK. `service` and `table` are its clients. */
const execWithSdk = (program: string, flags: readonly string[] = []): Promise<CommandResult> => {
  const connect = `(process.env.AZURE_STORAGE_CONNECTION_STRING, `;
  const prepared = `
    import { TableClient } from '@azure/data-tables';
    const table = TableClient.fromConnectionString${connect}'Pets', { allowInsecureConnection: true });
    ${program}`;
  return runCommand(['exec', ...flags, '--', node, '--input-type=module', '-e', prepared], { cwd: root });
};

const noFindings = /^tanzanite: no findings in 0 requests\n$/;

describe('exec', () => {
  it('gives the command an emulator, and prints only the output of the command on standard output', async () => {
    const program = `
      const { TANZANITE_URL: url, ...env } = process.env;
      const names = ['AZURE_STORAGE_CONNECTION_STRING', 'AzureWebJobsStorage', 'Mine', 'Other'];
      fetch(url + '/_emulator/ready').then(({ status }) => {
        process.stdout.write(JSON.stringify({ url, status, strings: names.map((name) => env[name]) }));
      });`;
    const { code, stdout, stderr } = await execProgram(program, ['--env', 'Mine', '--env', 'Other']);
    const { url, status, strings } = JSON.parse(stdout) as { url: string; status: number; strings: string[] };
    expect([code, status, stderr]).toEqual([0, 200, expect.stringMatching(noFindings)]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    const expected = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${developmentKey};TableEndpoint=${url}/devstoreaccount1;`;
    expect(strings).toEqual([expected, expected, expected, expected]);
    await expect(fetch(url)).rejects.toThrow();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('replaces a variable that would lead the command to another account', async () => {
    const program = `process.stdout.write([process.env.AZURE_TABLES_CONNECTION_STRING === process.env.AzureWebJobsStorage].join());`;
    const { stdout } = await execProgram(program, [], { AZURE_TABLES_CONNECTION_STRING: 'AccountName=production' });
    expect(stdout).toBe('true');
  });

  it.each([
    ['0', 'process.exitCode = 0', 0],
    ['another code', 'process.exitCode = 37', 37],
    ['SIGKILL', `process.kill(process.pid, 'SIGKILL')`, 137],
    ['SIGTERM', `process.kill(process.pid, 'SIGTERM')`, 143],
  ])('ends in the same way as the command: %s', async (_case, program, expected) => {
    const { code, stderr } = await execProgram(program);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(noFindings)]);
  });

  it('passes the arguments on unchanged', async () => {
    const words = ['--help', 'a b', '$HOME', '*', '--', '-v', ''];
    const { code, stdout } = await runCommand(
      ['exec', '--', node, '-p', 'JSON.stringify(process.argv.slice(1))', '--', ...words],
      { cwd: folder.path },
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, words]);
  });

  it('ends with 127 for a command that is absent, and with 126 for a file that is not a program', async () => {
    const file = join(folder.path, 'notes.txt');
    writeFileSync(file, 'text', { mode: 0o644 });
    const absent = await runCommand(['exec', '--', 'no-such-command-anywhere'], { cwd: folder.path });
    expect(absent).toEqual({
      code: 127,
      stdout: '',
      stderr: 'tanzanite: no-such-command-anywhere: command not found\n',
    });
    for (const path of [file, folder.path]) {
      const { code, stderr } = await runCommand(['exec', '--', path], { cwd: folder.path });
      expect([code, stderr]).toEqual([126, `tanzanite: ${path} cannot be run: permission denied, or not a program\n`]);
    }
  });

  it('fills the first account with --seed', async () => {
    writeFileSync(join(folder.path, 'Pets.ndjson'), '{"PartitionKey":"a","RowKey":"1","Name":"Rex"}\n');
    const { code, stdout } = await execWithSdk(`console.log((await table.getEntity('a', '1')).Name);`, [
      '--seed',
      folder.path,
    ]);
    expect([code, stdout]).toEqual([0, 'Rex\n']);
  });

  it('adds the fault rules of a file with --faults, and prints the seed of their probabilities', async () => {
    const file = join(folder.path, 'rules.json');
    const rule = { match: { operation: 'InsertEntity' }, fault: { kind: 'error', code: 'EntityTooLarge' } };
    writeFileSync(file, JSON.stringify([rule]));
    const program = `
      await table.createTable();
      await table.createEntity({ partitionKey: 'a', rowKey: '1' }).catch(({ statusCode }) => console.log(statusCode));`;
    const { code, stdout, stderr } = await execWithSdk(program, ['--faults', file, '--fault-seed', '7']);
    expect([code, stdout]).toEqual([0, '400\n']);
    expect(stderr).toMatch(/^tanzanite: fault seed 7, with 1 rule of .*rules\.json\n/);
  });

  it('takes settings from variables and the settings file, except for the address, the data and the log', async () => {
    const file = { tableHost: '192.0.2.1', location: 'data', debug: 'log.txt', silent: false, throttle: 'enforce' };
    writeFileSync(join(folder.path, 'tanzanite.json'), JSON.stringify(file));
    const program = `
      const { TANZANITE_URL: url, AzureWebJobsStorage: text } = process.env;
      fetch(url + '/_emulator/settings').then((response) => response.json()).then(({ settings }) => {
        const valueOf = (wanted) => settings.find(({ name }) => name === wanted).value;
        const values = ['throttle', 'location', 'store', 'tableHost'].map(valueOf);
        process.stdout.write(JSON.stringify([...values, /AccountName=(\\w+)/.exec(text)[1]]));
      });`;
    const env = { AZURITE_ACCOUNTS: 'first1:a2V5;second2:a2V5', TANZANITE_STORE: 'postgres://user@192.0.2.1/none' };
    const { code, stdout } = await execProgram(program, [], env);
    expect([code, JSON.parse(stdout)]).toEqual([0, ['enforce', null, null, '127.0.0.1', 'first1']]);
    expect(readdirSync(folder.path)).toEqual(['tanzanite.json']);
  });
});

it('exec accepts a profile, and prints its settings', async () => {
  const program = `process.stdout.write(typeof process.env.TANZANITE_URL)`;
  const { code, stdout, stderr } = await execProgram(program, ['--profile', 'strict']);
  expect([code, stdout]).toEqual([0, 'string']);
  expect(stderr).toMatch(/^tanzanite: Profile strict: .*throttle enforce.*\n/);
});

describe('exec is refused with code 2, and runs nothing', () => {
  it.each([
    ['without a command', [], 'exec needs a <command>.'],
    ['for a flag that does not exist', ['--sed', 'x', '--'], 'unknown flag --sed'],
    ['for a variable with a value', ['--env', 'A=1', '--'], '--env must be the name of a variable, not A=1.'],
    ['for an empty name', ['--env', '', '--'], '--env must be the name of a variable, not empty.'],
    ['for another severity', ['--fail-on', 'fatal', '--'], '--fail-on'],
    ['for a folder that is absent', ['--seed', 'absent', '--'], 'absent'],
    ['for a file of faults that is absent', ['--faults', 'absent.json', '--'], 'absent.json'],
    ['for a seed that is not a number', ['--fault-seed', 'x', '--'], '--fault-seed must be'],
    ['for a value that does not fit', ['--'], 'TANZANITE_THROTTLE', { TANZANITE_THROTTLE: 'maybe' }],
    [
      'for findings without the advisor',
      ['--fail-on', 'note', '--'],
      '--fail-on note',
      { TANZANITE_NO_ADVISOR: 'true' },
    ],
  ])('%s', async (_case, flags: string[], message, env?: Readonly<Record<string, string>>) => {
    const program = ['--', node, '-e', `require('node:fs').writeFileSync('ran', '')`];
    const words = flags.length === 0 ? [] : [...flags.slice(0, -1), ...program];
    const { code, stdout, stderr } = await runCommand(['exec', ...words], { cwd: folder.path, ...(env && { env }) });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  });
});

describe('the findings after exec', () => {
  const orOfKeys = `
    await table.createTable();
    for await (const _ of table.listEntities({ queryOptions: { filter: "RowKey eq 'a1' or RowKey eq 'b1'" } }));`;

  it('are printed on standard error, and do not change the exit code without --fail-on', async () => {
    const { code, stdout, stderr } = await execWithSdk(orOfKeys);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^tanzanite: 1 finding \(1 warning\) in 2 requests\n\nwarning {2}or-of-keys in Pets: /);
  });

  it.each([
    ['at or above --fail-on', 'warning', 'process.exitCode = 0', 3],
    ['below --fail-on', 'error', 'process.exitCode = 0', 0],
    ['next to a failure of the command', 'note', 'process.exitCode = 5', 5],
  ])('%s', async (_case, severity, ending, expected) => {
    const { code, stderr } = await execWithSdk(`${orOfKeys} ${ending}`, ['--fail-on', severity]);
    expect([code, stderr]).toEqual([expected, expect.stringContaining('or-of-keys in Pets')]);
  });
});

/** Starts a program that writes its process id into a file. */
async function startExec(words: readonly string[]): Promise<{ command: ServerProcess; pid: number }> {
  const command = new ServerProcess(['exec', '--', ...words], { cwd: folder.path });
  const file = join(folder.path, 'pid');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').length > 0, { timeout: 60_000 }).toBe(true);
  return { command, pid: Number(readFileSync(file, 'utf8')) };
}

/**
 * Whether a process is running. A process that has ended stays in the list of processes until its parent reads its exit
 * code. In these tests, the parent is the first process of the system.
 */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

const noteId = `require('node:fs').writeFileSync('pid', String(process.pid));`;
const forever = 'setInterval(() => undefined, 1000);';

describe.skipIf(process.platform === 'win32')('a signal to exec', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is passed on once: %s', async (signal) => {
    const program = `
      let times = 0;
      process.on('${signal}', () => { times++; setTimeout(() => process.exit(40 + times), 200); });
      ${forever} ${noteId}`;
    const { command } = await startExec([node, '-e', program]);
    expect(await command.end(signal)).toEqual({ code: 41, signal: null });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('%s ends a command that does not listen, and exec with %d', async (signal, expected) => {
    const { command, pid } = await startExec([node, '-e', `${forever} ${noteId}`]);
    expect(await command.end(signal)).toEqual({ code: expected, signal: null });
    expect(isRunning(pid)).toBe(false);
  });

  it('reaches the program that a shell runs as the command', async () => {
    const program = `process.on('SIGINT', () => process.exit(6)); ${forever} ${noteId}`;
    const { command, pid } = await startExec(['bash', '-c', `"$0" -e "$1"; exit $?`, node, program]);
    expect(await command.end('SIGINT')).toEqual({ code: 6, signal: null });
    expect(isRunning(pid)).toBe(false);
  });

  it('kills a command that ignores it after ten seconds, with the processes that the command started', async () => {
    const deaf = `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined); ${forever}`;
    const program = `
      const { spawn } = require('node:child_process');
      ${deaf}
      const below = spawn(process.execPath, ['-e', ${JSON.stringify(`${deaf} console.log('deaf');`)}]);
      below.stdout.once('data', () => require('node:fs').writeFileSync('pid', String(below.pid)));`;
    const { command, pid } = await startExec([node, '-e', program]);
    expect(await command.end('SIGTERM')).toEqual({ code: 137, signal: null });
    expect(isRunning(pid)).toBe(false);
  }, 60_000);
});

describe.skipIf(process.platform === 'win32')('when the command has ended', () => {
  it('processes that it left in the background are ended', async () => {
    const { command, pid } = await startExec([
      'sh',
      '-c',
      `"$0" -e "$1" & until [ -s pid ]; do sleep 0.05; done; exit 9`,
      node,
      `${forever} ${noteId}`,
    ]);
    expect(await command.ended()).toEqual({ code: 9, signal: null });
    expect(isRunning(pid)).toBe(false);
  });
});

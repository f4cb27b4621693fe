import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { JsonClient } from '../../support/json-client.mjs';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const flags = ['start', '--tablePort', '0', '--inMemoryPersistence', '--until-stdin-ends'];
const quiet = [...flags, '--silent', '--log-format', 'json'];
const jsonReadyLine = /"url":"(http:[^"]+)"/;

let folder: { path: string; remove(): void };
const running: ServerProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end('SIGKILL');
  folder.remove();
});

function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): ServerProcess {
  const server = new ServerProcess(words, { cwd: folder.path, env, stdin: 'pipe' });
  running.push(server);
  return server;
}

/** A program that starts the command, prints the command's process id and first line, and then hangs. */
const parent = `
  const command = require('node:child_process').spawn(process.execPath, ${JSON.stringify([
    fileURLToPath(new URL('../../../dist/cli.js', import.meta.url)),
    ...quiet,
  ])}, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  command.stdout.once('data', (line) => console.log(command.pid + ' ' + line));
  setInterval(() => undefined, 1000);`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('start --until-stdin-ends', () => {
  it('prints a ready line of JSON with address and version, and stops gracefully when its input is closed', async () => {
    const server = run(quiet);
    const url = await server.ready(jsonReadyLine);
    const [line = ''] = server.stdout.split('\n');
    const { port } = new URL(url);
    const { version } = manifest;
    expect(JSON.parse(line)).toMatchObject({ url, port: Number(port), location: null, version });
    const client = new JsonClient(url);
    await client.createTable('Pets');
    server.endInput();
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await client.close();
    expect(server.stdout).toMatch(/"msg":"Azurite Table service successfully closed"\}\n$/);
  });

  it('stops when the program that started it is killed', async () => {
    const program = spawn(process.execPath, ['-e', parent], { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
    const pid = Number.parseInt(line, 10);
    expect(isRunning(pid)).toBe(true);
    program.kill('SIGKILL');
    await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
  });

  it('first becomes ready, and then stops, if the input has ended before', async () => {
    const server = run(quiet);
    server.endInput();
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    expect(server.stdout).toMatch(jsonReadyLine);
  });

  it('ignores address and data settings in variables and the settings file, and uses all other settings', async () => {
    const file = { tableHost: '192.0.2.1', location: 'data', debug: 'log.txt', cert: 'none.pem', throttle: 'enforce' };
    writeFileSync(`${folder.path}/tanzanite.json`, JSON.stringify(file));
    const env = {
      TANZANITE_STORE: 'postgres://user@192.0.2.1/none',
      TANZANITE_TABLE_PORT: '1',
      TANZANITE_LOOSE: 'true',
    };
    const server = run(quiet, env);
    const url = await server.ready(jsonReadyLine);
    expect(server.stderr).toBe('');
    const response = await fetch(`${url}/_emulator/settings`);
    const { settings } = (await response.json()) as { settings: { name: string; value: unknown }[] };
    const settingOf = (wanted: string): unknown => settings.find(({ name }) => name === wanted)?.value;
    expect(['throttle', 'loose', 'location', 'store', 'tableHost'].map(settingOf)).toEqual([
      'enforce',
      true,
      null,
      null,
      '127.0.0.1',
    ]);
    expect(readdirSync(folder.path)).toEqual(['tanzanite.json']);
  });

  it('ends by SIGTERM as it does without the flag', async () => {
    const server = run(flags);
    await server.ready();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('cannot be set in the settings file', async () => {
    writeFileSync(`${folder.path}/tanzanite.json`, JSON.stringify({ untilStdinEnds: true }));
    const server = run(['start', '--tablePort', '0', '--inMemoryPersistence']);
    expect(await server.ended()).toEqual({ code: 2, signal: null });
    expect(server.stderr).toContain('untilStdinEnds');
  });
});

it('azurite --until-stdin-ends ends all its servers when its input is closed', async () => {
  const server = run(['azurite', ...flags.slice(1)], { PATH: folder.path, npm_config_prefix: folder.path });
  await server.ready();
  server.endInput();
  await server.ended();
  expect(server.stdout).toMatch(/successfully closed\n$/);
});

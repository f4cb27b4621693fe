// Commands on a terminal. The command `script` provides the terminal.

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const terminal: string = 'script';
const hasTerminal = process.platform === 'linux' && spawnSync(terminal, ['--version']).status === 0;
const command = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

function temporary(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** The lines that a start prints on a terminal, up to `until`. */
async function linesOnTerminal(flags: string, until: string, own: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const line = `exec "${process.execPath}" "${command}" --tablePort 0 ${flags}`;
  // As if a shell had started the command, although npm may run the tests.
  const env = { ...process.env, npm_command: undefined, ...own };
  const cwd = temporary();
  const child = spawn(terminal, ['-qec', line, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  await expect.poll(() => text, { timeout: 60_000, interval: 20 }).toContain(until);
  return text.trimEnd().split('\r\n');
}

describe.skipIf(!hasTerminal)('a start on a terminal (needs the command script)', () => {
  it('prints useful addresses and commands after its ready line, in lines of at most 80 columns', async () => {
    const [ready = '', ...lines] = await linesOnTerminal('--inMemoryPersistence', 'Ctrl-C stops');
    const url = /^Azurite Table service is successfully listening at (\S+)$/.exec(ready)?.[1];
    expect(lines).toEqual([
      `  Tanzanite ${manifest.version}, data in memory`,
      `  Console:            ${url}/_emulator/console`,
      `  Documentation:      ${url}/_emulator/docs`,
      `  Connection string:  tanzanite connection-string --url ${url}`,
      '  Ctrl-C stops',
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('names addresses that a browser can open if it listens on all interfaces', async () => {
    const lines = await linesOnTerminal('--inMemoryPersistence --tableHost 0.0.0.0', 'Ctrl-C stops');
    const own = lines[0]?.replace(/^.* http:\/\/0\.0\.0\.0:/, 'http://127.0.0.1:');
    expect(lines.slice(2, 5)).toEqual([
      `  Console:            ${own}/_emulator/console`,
      `  Documentation:      ${own}/_emulator/docs`,
      `  Connection string:  tanzanite connection-string --url ${own}`,
    ]);
  });

  it('names the command in the form for npx if npm started it', async () => {
    const lines = await linesOnTerminal('--inMemoryPersistence', 'Ctrl-C stops', { npm_command: 'exec' });
    expect(lines[4]).toMatch(/^ {2}Connection string: {2}npx --no tanzanite connection-string --url http:.{1,50}$/);
  });

  it.each(['--silent', '--log-format json'])('prints only the ready line with %s', async (flags) => {
    const notice = 'holds data of Azurite and is not read';
    const location = temporary();
    writeFileSync(join(location, '__azurite_db_table__.json'), '{}');
    const lines = await linesOnTerminal(`${flags} --location "${location}"`, notice);
    expect(lines[0]).toContain('successfully listening at');
    expect(lines.slice(1)).toEqual([expect.stringContaining(notice)]);
  });
});

it('a start on a folder with data of Azurite says that this data is not read', async () => {
  const location = temporary();
  writeFileSync(join(location, '__azurite_db_table__.json'), '{}');
  const { server } = await startBuiltCommand(['--tablePort', '0', '--location', location]);
  onTestFinished(async () => void (await server.end('SIGKILL')));
  const file = join(location, '__azurite_db_table__.json');
  const line = `tanzanite: ${file} holds data of Azurite and is not read. To import the data: tanzanite import azurite ${file}\n`;
  await expect.poll(() => server.stderr, { timeout: 60_000 }).toBe(line);
  expect(server.stdout).toMatch(/^[^\n]+\n$/);
});

describe.skipIf(!hasTerminal)('top on a terminal (needs the command script)', () => {
  it('waits while the emulator restarts, continues, and ends with q', async () => {
    const flags = ['--inMemoryPersistence', '--tablePort'];
    const first = await startBuiltCommand([...flags, '0']);
    const line = `exec "${process.execPath}" "${command}" top --interval 0.1 --url ${first.origin}`;
    const child = spawn(terminal, ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
    const shows = (part: string) => expect.poll(() => text, { timeout: 60_000, interval: 20 }).toContain(part);
    await shows(' requests/s, ');
    await first.server.end('SIGTERM');
    await shows('waiting for the emulator');
    text = '';
    const second = await startBuiltCommand([...flags, new URL(first.origin).port]);
    onTestFinished(async () => void (await second.server.end('SIGKILL')));
    await shows(' requests/s, ');
    child.stdin.write('q');
    expect(await ended).toBe(0);
  });
});

// Commands with a reader that has ended, as in `| head -1`, or with output on a full disk.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startService } from '../../support/service.ts';

const command = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const { origin } = await startService();
const windows = process.platform === 'win32';

interface Ending {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs a command in a shell script. If `isClosed`, standard output is closed before the command starts. */
async function run(script: string, words: readonly string[], isClosed: boolean): Promise<Ending> {
  const child = spawn('sh', ['-c', script, process.execPath, command, ...words], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  if (isClosed) {
    const closed = new Promise((resolve) => child.stdout.once('close', resolve));
    child.stdout.destroy();
    await closed;
  } else {
    child.stdout.resume();
  }
  child.stdin.end('go\n');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stderr };
}

const commands: readonly (readonly string[])[] = [
  ['--help'],
  ['--version'],
  ['entity', 'query', '--help'],
  ['settings', '--json'],
  ['completion', 'bash'],
  ['connection-string'],
  ['explain', "PartitionKey eq 'dog'"],
  ['explain', '--json', "PartitionKey eq 'dog'"],
  ['health', '--url', origin],
  ['wait', '--url', origin],
  ['reset', '--url', origin],
  ['top', '--once', '--url', origin],
  ['top', '--json', '--url', origin],
  ['table', 'create', 'pets', '--url', origin],
  ['table', 'list', '--url', origin],
  ['entity', 'put', 'pets', 'dog', 'rex', '--url', origin],
  ['entity', 'query', 'pets', '--url', origin],
];

describe.skipIf(windows)('A command with closed standard output', () => {
  it.each(commands.map((words) => [words.join(' ').replace(/ --url .*/, ''), words] as const))(
    'ends without a word: %s',
    async (_, words) => {
      expect(await run('read _; exec "$0" "$@"', words, true)).toEqual({ code: 0, stderr: '' });
    },
  );
});

describe.skipIf(!existsSync('/dev/full'))('A command with standard output on a full disk', () => {
  it.each([[['settings', '--json']], [['health', '--url', origin]]])('says so in one line: %s', async (words) => {
    const { code, stderr } = await run('read _; exec "$0" "$@" >/dev/full', words, false);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^tanzanite: standard output cannot be written: ENOSPC[^\n]*\n$/),
    ]);
  });
});

// Tests a write that fails because the file must not grow, for example because a quota is exhausted. In this test, a
// limit on the file sizes of the process has the same effect.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient, type TableClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const command = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const shell: string = 'sh';

async function originOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout as Readable) {
    text += String(chunk);
    const origin = /listening at (http:\/\/\S+)/.exec(text)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error(`no ready line in ${text}`);
}

const put = async (client: TableClient, row: number): Promise<number> => {
  const body = JSON.stringify({ Text: 'x'.repeat(30_000) });
  return (await client.send({ method: 'PUT', path: `/pets(PartitionKey='p',RowKey='${row}')`, body })).status;
};

describe.skipIf(process.platform === 'win32')('A write that the operating system refuses', () => {
  it('is answered 500, and does not count as damage: the emulator stays ready and answers reads', async () => {
    const folder = temporaryFolder();
    const limited = 'ulimit -S -f 2000 && exec "$0" "$@"';
    const flags = ['--tablePort', '0', '--location', join(folder.path, 'data'), '--silent'];
    const child = spawn(shell, ['-c', limited, process.execPath, command, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const origin = await originOf(child);
    const client = openClient(origin);
    onTestFinished(async () => {
      await client.close();
      child.kill('SIGKILL');
      folder.remove();
    });
    expect((await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"pets"}' })).status).toBe(201);
    let rows = 0;
    // The first refused write empties the write-ahead log, so there is room for more writes. Later, the database file
    // itself reaches the limit.
    for (let refusals = 0; rows < 200 && refusals < 2; ) {
      if ((await put(client, rows)) === 204) [rows, refusals] = [rows + 1, 0];
      else refusals += 1;
    }
    expect(rows).toBeGreaterThan(0);
    expect(await put(client, rows)).toBe(500);
    expect((await fetch(`${origin}/_emulator/ready`)).status).toBe(200);
    for (const row of [0, rows - 1]) {
      const path = `/pets(PartitionKey='p',RowKey='${row}')`;
      expect((await client.send({ method: 'GET', path })).status).toBe(200);
    }
  });
});

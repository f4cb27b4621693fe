// The command in a process of its own, since V8's flag belongs to the process. Its data is in memory: no other thread starts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServerProcess } from '../../crash/server-process.mjs';
import { openClient, type TableClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const megabyte = 1_048_576;
/** There a process that is ended runs nothing more. */
const isWindows = process.platform === 'win32';

let folder: ReturnType<typeof temporaryFolder>;
let server: ServerProcess;
let client: TableClient;

beforeEach(async () => {
  folder = temporaryFolder();
  const recorder = join(folder.path, 'recorder.cjs');
  writeFileSync(
    recorder,
    `const { getHeapSpaceStatistics } = require('node:v8');
const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(join(folder.path, 'young'))}, String(young())));
`,
  );
  server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--silent'], {
    cwd: folder.path,
    env: { NODE_OPTIONS: `--require ${JSON.stringify(recorder)}` },
  });
  client = openClient(await server.ready());
  await client.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: 'Pets' }) });
});
afterEach(async () => {
  await client.close();
  server.kill('SIGKILL');
  folder.remove();
});

/** Inserts so many entities of a size, four at a time. */
async function insertEntities(count: number, chars: number): Promise<void> {
  const text = 'x'.repeat(chars);
  let sent = 0;
  const insertAll = async (): Promise<void> => {
    while (sent < count) {
      const body = JSON.stringify({ PartitionKey: 'cats', RowKey: String(sent++), text });
      const answer = await client.send({
        method: 'POST',
        path: '/Pets',
        headers: { Prefer: 'return-no-content' },
        body,
      });
      expect(answer.status).toBe(204);
    }
  };
  await Promise.all(Array.from({ length: 4 }, insertAll));
}

async function youngBytesAtEnd(): Promise<number> {
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  return Number(readFileSync(join(folder.path, 'young'), 'utf8'));
}

it.skipIf(isWindows)('stays at 8 MiB however many small requests come', async () => {
  await insertEntities(8_000, 1_000);
  expect(await youngBytesAtEnd()).toBeLessThanOrEqual(8 * megabyte);
});

it.skipIf(isWindows)('grows for large ones', async () => {
  await insertEntities(20, 30_000);
  for (let page = 0; page < 1_500; page++)
    expect((await client.send({ method: 'GET', path: '/Pets()' })).status).toBe(200);
  expect(await youngBytesAtEnd()).toBeGreaterThan(8 * megabyte);
});

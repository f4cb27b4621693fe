// Acknowledged writes survive any end of the process, and many large entities do not end the process.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JsonClient } from '../../support/json-client.mjs';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: { path: string; remove(): void };
const running: ServerProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end('SIGKILL');
  folder.remove();
});

async function start(): Promise<{ server: ServerProcess; client: JsonClient }> {
  const server = new ServerProcess(['--tablePort', '0', '--silent', '--location', folder.path]);
  running.push(server);
  return { server, client: new JsonClient(await server.ready()) };
}

describe('A table created and an entity inserted', () => {
  it.each([['SIGKILL'], ['SIGTERM'], ['SIGINT']] as const)('survive %s immediately afterwards', async (signal) => {
    for (const table of ['first', 'second', 'third']) {
      const { server, client } = await start();
      const created = await client.send({ method: 'POST', path: 'Tables', body: { TableName: table } });
      const entity = { PartitionKey: 'p', RowKey: 'r', n: 1, text: 'kept' };
      const inserted = await client.send({ method: 'POST', path: table, body: entity });
      server.kill(signal);
      expect([created.status, inserted.status]).toEqual([204, 204]);
      await client.close();
      await server.ended();

      const again = await start();
      expect(await again.client.readAll(table)).toMatchObject([entity]);
      await again.client.close();
      await again.server.end('SIGKILL');
    }
  });
});

describe('Twenty entities of 0.9 MB', () => {
  // 0.9 MB at two bytes per character, as the service counts. In an answer, `\u00e9` is six bytes and `x` is one.
  const members = (char: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`s${index}`, char.repeat(3000)]));

  it.each([
    ['of ASCII', 'x'],
    ['of what an answer escapes', '\u00e9'],
  ])('%s are stored, and read in pages of at most 4 MiB', { timeout: 120_000 }, async (_, char) => {
    const { server, client } = await start();
    await client.createTable('large');
    const rowKeys = Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`);
    for (const RowKey of rowKeys) {
      const { status } = await client.send({
        method: 'POST',
        path: 'large',
        body: { PartitionKey: 'p', RowKey, ...members(char) },
      });
      expect(status).toBe(204);
    }

    const first = await client.send({ method: 'GET', path: 'large()' });
    expect(first.headers['x-ms-continuation-nextpartitionkey']).toBeDefined();
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(4 * 1_048_576);
    expect((JSON.parse(first.text) as { value: unknown[] }).value.length).toBeGreaterThan(0);

    const all = await client.readAll('large');
    expect(all.map(({ RowKey }) => RowKey)).toEqual(rowKeys);
    expect(all.filter((entity) => JSON.stringify(pick(entity)) !== JSON.stringify(members(char)))).toEqual([]);
    for (const rowKey of rowKeys) {
      const path = `large(PartitionKey='p',RowKey='${rowKey}')`;
      expect((await client.send({ method: 'GET', path })).status).toBe(200);
    }
    await client.close();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  function pick(entity: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(entity).filter(([name]) => /^s\d/.test(name)));
  }
});

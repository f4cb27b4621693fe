import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { ask, codeOf } from '../support/control-plane.ts';
import { findPostgres, PostgresServer } from '../support/postgres-server.mjs';
import { entityPath } from '../support/service.ts';
import { openClient } from '../support/table-client.ts';

const server = findPostgres() === undefined ? undefined : await PostgresServer.create();
afterAll(() => server?.remove());

describe.runIf(server)('While its database cannot be used, a node', async () => {
  const database = server as PostgresServer;
  const emulator = await startEmulator({ store: database.url() });
  const client = openClient(emulator.url);
  afterAll(async () => {
    await client.close();
    await emulator.close();
  });
  await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Pets"}' });
  const body = (row: string): string => JSON.stringify({ PartitionKey: 'p', RowKey: row });
  const write = async (row: string): Promise<number> =>
    (await client.send({ method: 'POST', path: '/Pets', body: body(row) })).status;
  const read = async (row: string): Promise<number> =>
    (await client.send({ method: 'GET', path: entityPath('Pets', 'p', row) })).status;
  const probe = async (path: string): Promise<number> =>
    (await ask(emulator.url, { method: 'GET', path: `/_emulator/${path}` })).status;
  await write('before');

  it('refuses requests with ServerBusy and is not ready, then recovers by itself', async () => {
    expect([await read('before'), await probe('ready')]).toEqual([200, 200]);
    await database.kill();
    // A write would get 500 as long as the node has not noticed the lost connection: the write may have happened.
    await expect.poll(() => probe('ready')).toBe(503);
    const refused = await client.send({ method: 'POST', path: '/Pets', body: body('during') });
    expect([refused.status, refused.body]).toEqual([503, expect.stringContaining('ServerBusy')]);
    expect([await read('before'), await probe('ready')]).toEqual([503, 503]);
    const answer = await ask(emulator.url, { method: 'GET', path: '/_emulator/ready' });
    expect(codeOf(answer)).toBe('StoreFailed');
    await database.start();
    await expect.poll(() => probe('ready')).toBe(200);
    expect([await read('before'), await read('during'), await write('after')]).toEqual([200, 404, 201]);
  });

  it('answers while the database hangs, then recovers by itself', async () => {
    database.freeze();
    const answers = await Promise.all([read('before'), read('after'), probe('ready')]).finally(() => database.resume());
    expect(answers).toEqual([503, 503, 503]);
    await expect.poll(() => read('before')).toBe(200);
  });

  it('does not start, and says why', async () => {
    await database.kill();
    await expect(startEmulator({ store: database.url() })).rejects.toThrow(/cannot be used: \w+ ECONN(REFUSED|RESET)/);
    await database.start();
    await (await startEmulator({ store: database.url() })).close();
  });
});

// The secondary is a hot standby. Requests to it do not see data that it has not replayed yet.

import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { findPostgres, PostgresServer } from '../support/postgres-server.mjs';
import { entityPath } from '../support/service.ts';
import { openClient } from '../support/table-client.ts';

const primary = findPostgres() === undefined ? undefined : await PostgresServer.create();
const standby = await primary?.createStandby('secondary');
afterAll(async () => {
  await standby?.remove();
  await primary?.remove();
});

describe.runIf(primary)('Requests to the secondary, with a hot standby', async () => {
  const [first, second] = [primary, standby] as [PostgresServer, PostgresServer];
  const emulator = await startEmulator({ store: first.url(), storeSecondary: second.url() });
  const client = openClient(emulator.url);
  const secondary = client.with({ prefix: '/devstoreaccount1-secondary' });
  afterAll(async () => {
    await client.close();
    await emulator.close();
  });
  const write = async (row: string): Promise<number> => {
    const body = JSON.stringify({ PartitionKey: 'p', RowKey: row });
    return (await client.send({ method: 'POST', path: '/Pets', body })).status;
  };
  const read = async (row: string): Promise<number> =>
    (await secondary.send({ method: 'GET', path: entityPath('Pets', 'p', row) })).status;
  const stats = async (): Promise<{ status: string | undefined; lastSync: string }> => {
    const { body } = await secondary.send({ method: 'GET', path: '/?restype=service&comp=stats' });
    const lastSync = /<LastSyncTime>(.*)<\/LastSyncTime>/.exec(body)?.[1] ?? '';
    return { status: /<Status>(.*)<\/Status>/.exec(body)?.[1], lastSync };
  };
  const onStandby = async (text: string): Promise<void> => {
    const connection = new pg.Client({ connectionString: second.url() });
    await connection.connect();
    await connection.query(text);
    await connection.end();
  };
  await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Pets"}' });

  it('see what the standby has replayed; LastSyncTime is now once it has replayed everything', async () => {
    expect(await write('a')).toBe(201);
    const writtenMs = Date.now();
    await expect.poll(() => read('a')).toBe(200);
    await expect.poll(async () => Date.parse((await stats()).lastSync)).toBeGreaterThanOrEqual(writtenMs - 1_000);
    expect((await stats()).status).toBe('live');
  });

  it('do not see data that the standby has received but not replayed; LastSyncTime stays', async () => {
    await onStandby('SELECT pg_wal_replay_pause()');
    expect(await write('b')).toBe(201);
    const behindMs = async (): Promise<number> => Date.now() - Date.parse((await stats()).lastSync);
    await expect.poll(behindMs, { timeout: 60_000 }).toBeGreaterThan(2_500);
    expect([await read('a'), await read('b')]).toEqual([200, 404]);
    const query = await secondary.send({ method: 'GET', path: '/Pets()' });
    expect(JSON.parse(query.body).value).toHaveLength(1);
    await onStandby('SELECT pg_wal_replay_resume()');
    await expect.poll(() => read('b')).toBe(200);
  });

  it('get 503 while the standby is away; its status is unavailable, and the primary still answers', async () => {
    await second.kill();
    expect(await read('a')).toBe(503);
    expect(await stats()).toEqual({ status: 'unavailable', lastSync: '' });
    expect(await write('c')).toBe(201);
    await second.start();
    await expect.poll(() => read('c'), { timeout: 60_000 }).toBe(200);
  });
});

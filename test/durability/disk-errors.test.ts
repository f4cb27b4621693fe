// Tests a disk that fails. Each test causes one kind of failure: a read fails, a sync fails, or a database has no
// space. full-disk.test.ts tests writes that fail.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { ask, messageOf } from '../support/control-plane.ts';
import { canFailDisks, type DiskFaults, prepareDiskFaults } from '../support/disk-faults/disk-faults.ts';
import { findPostgres, PostgresServer } from '../support/postgres-server.mjs';
import { startBuiltCommand } from '../support/start-built-command.ts';
import { openClient } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isPossible = canFailDisks();
if (!isPossible) console.warn('disks that fail: skipped, they need Linux and a C compiler');

let folder: { path: string; remove(): void };
let faults: DiskFaults;
beforeEach(() => {
  if (!isPossible) return;
  folder = temporaryFolder();
  faults = prepareDiskFaults(folder.path);
});
afterEach(() => folder?.remove());

/** Requests to an account. Each returns the status of its response. */
function requestsTo(origin: string, account = 'devstoreaccount1') {
  const client = openClient(origin).with({ prefix: `/${account}`, account });
  onTestFinished(() => client.close());
  const send = async (method: string, path: string, members?: object): Promise<number> =>
    (await client.send({ method, path, body: members && JSON.stringify(members) })).status;
  return {
    createTable: (name: string) => send('POST', '/Tables', { TableName: name }),
    insert: (row: string, text = '') => send('POST', '/Pets', { PartitionKey: 'p', RowKey: row, Text: text }),
    get: (row: string) => send('GET', `/Pets(PartitionKey='p',RowKey='${row}')`),
  };
}

describe.skipIf(!isPossible)('A disk that fails', () => {
  const start = async (...flags: string[]) => {
    const args = ['--tablePort', '0', '--accounts', 'any', '--location', join(folder.path, 'data'), ...flags];
    const { server, origin } = await startBuiltCommand(args, { env: faults.env });
    onTestFinished(async () => {
      server.kill('SIGKILL');
      await server.ended();
    });
    return { server, origin };
  };

  it('in reads refuses requests that need the data with 500, names the account, and serves other accounts', async () => {
    const before = await start();
    for (const account of ['first', 'second']) {
      const { createTable, insert } = requestsTo(before.origin, account);
      expect(await createTable('Pets')).toBe(201);
      for (let row = 0; row < 60; row++) expect(await insert(`r${row}`, 'x'.repeat(30_000))).toBe(201);
    }
    await before.server.end('SIGTERM');
    const { origin } = await start();
    const [first, second] = [requestsTo(origin, 'first'), requestsTo(origin, 'second')];
    expect([await first.get('r0'), await second.get('r0')]).toEqual([200, 200]);
    faults.begin({ calls: ['read'], error: 'EIO', path: join(folder.path, 'data', 'first') });
    expect([await first.get('r59'), await second.get('r59')]).toEqual([500, 200]);
    faults.end();
    const ready = await ask(origin, { method: 'GET', path: '/_emulator/ready' });
    expect([ready.status, messageOf(ready)]).toEqual([503, expect.stringContaining('Data of first cannot be read')]);
    expect([await first.get('r59'), await second.insert('new')]).toEqual([200, 201]);
  });

  it('in syncs refuses the write with 500, does not carry it out, and keeps what was acknowledged', async () => {
    const { server, origin } = await start('--durability', 'power');
    const before = requestsTo(origin);
    expect([await before.createTable('Pets'), await before.insert('acknowledged')]).toEqual([201, 201]);
    faults.begin({ calls: ['sync'], error: 'EIO', path: join(folder.path, 'data') });
    expect([await before.insert('refused'), await before.get('acknowledged')]).toEqual([500, 200]);
    expect(faults.hits.join('\n')).toContain('sync ');
    faults.end();
    expect([await before.get('refused'), await before.insert('after')]).toEqual([404, 201]);
    server.kill('SIGKILL');
    await server.ended();
    const after = requestsTo((await start('--durability', 'power')).origin);
    const statuses = [await after.get('acknowledged'), await after.get('refused'), await after.get('after')];
    expect(statuses).toEqual([200, 404, 200]);
  });
});

describe.skipIf(!isPossible || findPostgres() === undefined)('A database whose disk is full', () => {
  it('refuses writes that need space with 503, answers reads, and accepts writes again when there is space', async () => {
    // PostgreSQL runs as another user, who needs the folder too.
    chmodSync(folder.path, 0o777);
    const database = await PostgresServer.create({ environment: faults.env });
    onTestFinished(() => database.remove());
    await using emulator = await startEmulator({ store: database.url() });
    const { createTable, insert, get } = requestsTo(emulator.url);
    expect([await createTable('Pets'), await insert('first')]).toEqual([201, 201]);
    faults.begin({ calls: ['write', 'truncate'], error: 'ENOSPC', path: '/base/' });
    const statuses = new Set<number>();
    for (let row = 0; row < 20; row++) statuses.add(await insert(`r${row}`, 'é'.repeat(30_000)));
    expect(statuses).toContain(503);
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(await get('first')).toBe(200);
    faults.end();
    expect([await insert('after', 'é'.repeat(30_000)), await get('after')]).toEqual([201, 200]);
  });
});

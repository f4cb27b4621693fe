// Tests a standby that does not answer. The primary carries out a write, and then waits for this standby. If the wait
// is cancelled, the primary reports success with a warning. A standby that later replaces the primary would not have
// the write.

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { findPostgres, PostgresServer } from '../support/postgres-server.mjs';
import { openClient } from '../support/table-client.ts';

const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

it.skipIf(findPostgres() === undefined)('a write that the standby did not confirm is not acknowledged', async () => {
  const database = await PostgresServer.create({});
  onTestFinished(() => database.remove());
  await using emulator = await startEmulator({ store: database.url() });
  const client = openClient(emulator.url).with({ prefix: '/devstoreaccount1', account: 'devstoreaccount1' });
  const admin = new pg.Client({ connectionString: database.url() });
  await admin.connect();
  onTestFinished(async () => {
    await admin.end();
    client.close();
  });
  const create = async (path: string, members: object): Promise<number> =>
    (await client.send({ method: 'POST', path, body: JSON.stringify(members) })).status;
  const insert = (row: string) => create('/Pets', { PartitionKey: 'p', RowKey: row });
  expect([await create('/Tables', { TableName: 'Pets' }), await insert('before')]).toEqual([201, 201]);

  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = 'absent'`);
  await admin.query('SELECT pg_reload_conf()');
  /**
   * Inserts entities until an insert waits for the standby. This can take several inserts, because PostgreSQL applies
   * the configuration some time after the reload.
   */
  const insertThatWaits = async (row: string): Promise<{ status: Promise<number> }> => {
    for (let attempt = 0; ; attempt++) {
      let isAnswered = false;
      const status = insert(`${row}-${attempt}`).finally(() => (isAnswered = true));
      while (!isAnswered) if ((await admin.query(waiting)).rows.length > 0) return { status };
      expect(await status).toBe(201);
    }
  };
  for (const end of ['pg_cancel_backend', 'pg_terminate_backend']) {
    const { status } = await insertThatWaits(end);
    await admin.query(`SELECT ${end}(pid) FROM (${waiting}) AS waiting`);
    expect(await status, end).toBe(500);
  }

  await admin.query('ALTER SYSTEM RESET synchronous_standby_names');
  await admin.query('SELECT pg_reload_conf()');
  expect(await insert('after')).toBe(201);
});

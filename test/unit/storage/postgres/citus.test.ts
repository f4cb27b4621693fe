// How Citus executes the statements for entities, and what the death of a worker causes.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../../src/storage/postgres/migrate.ts';
import { openPostgresStore } from '../../../../src/storage/postgres/postgres-store.ts';
import { preparePostgresStatements, putRows } from '../../../../src/storage/postgres/statements.ts';
import type { AccountStore, Store } from '../../../../src/storage/store.ts';
import { StoreUnavailable } from '../../../../src/storage/store-unavailable.ts';
import { CitusCluster, createCitusDatabase, hasCitus } from '../../../support/citus.mjs';
import { insertion, keyOf, tableNamed } from '../../../support/entities.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';

const statements = preparePostgresStatements({ schema: '"tanzanite"', isDistributed: true });
const key = "'\\x7031'::bytea";

/** Statements that concern one partition. */
const routed = {
  getEntityOf: [statements.getEntityOf, `1, ${key}, ${key}`],
  lockTimestamp: [statements.lockTimestamp, `${key}, 5, 1`],
  readForWriteOf: [statements.readForWriteOf, `1, ${key}, ARRAY[${key}, '\\x7032']`],
  putRow: [statements.putRow, `1, ${key}, ${key}, 1, 'x'`],
  'putRow for three': [putRows(statements.putRow, 3), `1, ${key}, ${key}, 1, 'x', '\\x32', 2, 'y', '\\x33', 3, 'z'`],
  deleteEntities: [statements.deleteEntities, `1, ${key}, ARRAY[${key}, '\\x7032']`],
  scanPartitionFrom: [statements.scanPartitionFrom, `${key}, '\\x00', 1001, 4000000, 1`],
  scanPartitionBetween: [statements.scanPartitionBetween, `${key}, '\\x00', '\\x35', 1001, 4000000, 1`],
} as const;

if (!hasCitus()) console.warn('skipped: the PostgreSQL of this machine has no Citus');

describe.runIf(hasCitus())('Over Citus', () => {
  let cluster: CitusCluster;
  let client: pg.Client;
  let store: Store;
  let account: AccountStore;
  beforeAll(async () => {
    cluster = await CitusCluster.create();
    const url = await createCitusDatabase(cluster.url(), 'tables');
    await migratePostgres({ url });
    await migratePostgres({ url, distributed: true });
    store = await openPostgresStore({ store: url, durability: 'process', ...storeTimes(new ManualTime()) });
    account = store.account('devstoreaccount1');
    await account.createTable(tableNamed('Pets'));
    for (let partition = 0; partition < 20; partition++) {
      await account.apply('Pets', [insertion(keyOf(`p${partition}`, 'r')), insertion(keyOf(`p${partition}`, 's'))]);
    }
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await store?.close();
    await cluster?.remove();
  });

  async function planOf(text: string, values: string): Promise<string> {
    await client.query(`PREPARE planned AS ${text}`);
    const { rows } = await client.query(`EXPLAIN EXECUTE planned (${values})`);
    await client.query('DEALLOCATE planned');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it.each(Object.keys(routed) as (keyof typeof routed)[])('%s is routed to one shard', async (name) => {
    const [{ text }, values] = routed[name];
    const plan = await planOf(text, values);
    expect(plan).toMatch(/Task Count: 1$/m);
    expect(plan).not.toMatch(/Subplan|pull to coordinator/);
  });

  it('a transaction changes only one worker, so it is committed in one phase', async () => {
    await client.query('SET citus.log_remote_commands = on; SET client_min_messages = log');
    const sent: string[] = [];
    client.on('notice', ({ message = '' }) => sent.push(message));
    await client.query('BEGIN');
    for (const name of ['lockTimestamp', 'readForWriteOf', 'putRow for three', 'deleteEntities'] as const) {
      const [{ text }, values] = routed[name];
      await client.query(`PREPARE planned AS ${text}`);
      await client.query(`EXECUTE planned (${values})`);
      await client.query('DEALLOCATE planned');
    }
    await client.query('COMMIT');
    await client.query('RESET client_min_messages; RESET citus.log_remote_commands');
    expect(sent.filter((message) => message.includes('BEGIN TRANSACTION'))).toHaveLength(1);
    expect(sent.filter((message) => message === 'issuing COMMIT')).toHaveLength(1);
    expect(sent.join()).not.toContain('PREPARE TRANSACTION');
  });

  it('a page across partitions is merged by the coordinator, and each shard returns at most a page', async () => {
    const plan = await planOf(statements.scanFrom.text, `${key}, ${key}, 7, 4000000, 1`);
    expect(plan).toMatch(/Task Count: [2-9]/);
    expect(plan).toMatch(/-> {2}Task\n.*Node:[^\n]*\n *-> {2}Limit/);
    const page = await account.scan({ table: 'Pets', range: {}, limit: 1000, bytesMax: 4_000_000, timeMsMax: 5_000 });
    expect(page).toMatchObject({ kind: 'page' });
  });

  it('while a worker is away, the other still answers; when it is back, it has its data', async () => {
    const [worker] = cluster.workers;
    await worker?.kill();
    const keys = Array.from({ length: 20 }, (_, at) => keyOf(`p${at}`, 'r'));
    const outcomes = await Promise.all(
      keys.map((entity) => account.get('Pets', entity).catch((error: unknown) => error)),
    );
    const found = outcomes.filter((outcome) => (outcome as { kind?: string }).kind === 'found');
    const unreachable = outcomes.filter((outcome) => outcome instanceof StoreUnavailable);
    expect(found.length).toBeGreaterThan(0);
    expect(unreachable.length).toBeGreaterThan(0);
    expect(found.length + unreachable.length).toBe(keys.length);
    expect(await account.createTable(tableNamed('Toys'))).toMatchObject({ kind: 'created' });
    await worker?.start();
    for (const entity of keys) expect(await account.get('Pets', entity)).toMatchObject({ kind: 'found' });
  });
});

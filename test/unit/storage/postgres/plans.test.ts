// For each statement, the engine relies on one plan, and this plan follows the primary key. These tests check the plans
// that PostgreSQL chooses.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparePostgresStatements } from '../../../../src/storage/postgres/statements.ts';
import { tableNamed } from '../../../support/entities.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { createNodes, type Nodes } from './nodes.ts';

const key = "'\\x7031'::bytea";
const page = "1001, 4000000, 'devstoreaccount1', 'pets'";
const values = {
  getEntity: `'devstoreaccount1', 'pets', ${key}, ${key}`,
  getEntities: `'{a,b}', '{c,d}', ARRAY[${key}, ${key}], ARRAY[${key}, ${key}]`,
  scanFrom: `${key}, ${key}, ${page}`,
  scanBetween: `${key}, ${key}, '\\x7033', ${key}, ${page}`,
  scanPartitionFrom: `${key}, '\\x00', ${page}`,
  scanPartitionBetween: `${key}, '\\x00', '\\x35', ${page}`,
  readForWrite: `'devstoreaccount1', 'pets', ${key}, ARRAY[${key}, ${key}]`,
  deleteEntities: `1, ${key}, ARRAY[${key}]`,
  reclaim: '1, 1000',
} as const;

describe.runIf(hasPostgres)('The plan of', () => {
  let nodes: Nodes;
  let client: pg.Client;
  const statements = preparePostgresStatements({ schema: '"tanzanite"', isDistributed: false });
  beforeAll(async () => {
    nodes = await createNodes();
    const { account } = await nodes.open();
    await account.createTable(tableNamed('Pets'));
    await nodes.query(`INSERT INTO tanzanite.entities
      SELECT t.id, convert_to('p' || g / 1000, 'UTF8'), convert_to(g::text, 'UTF8'), g, repeat('x', 300)
      FROM tanzanite.tables AS t, generate_series(1, 20000) AS g`);
    client = new pg.Client({ connectionString: nodes.url });
    await client.connect();
    await client.query(
      'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off',
    );
  });
  afterAll(async () => {
    await client.end();
    await nodes.close();
  });

  it.each(Object.keys(values) as (keyof typeof values)[])(
    '%s searches the index of the entities and sorts nothing, analyzed or not',
    async (name) => {
      await client.query(`PREPARE ${name} AS ${statements[name].text}`);
      for (const before of ['SELECT 1', 'ANALYZE tanzanite.entities']) {
        await client.query(before);
        const { rows } = await client.query(`EXPLAIN EXECUTE ${name} (${values[name]})`);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/entities_pkey/);
        expect(plan).toMatch(/Index Cond: \(+(table_id|\(?ROW)/);
        expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap|Hash Join|Merge Join/);
      }
    },
  );
});

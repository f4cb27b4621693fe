import pg from 'pg';
import { expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../support/postgres.ts';

it.runIf(hasPostgres)('a test has its own database', async () => {
  const [one, other] = await Promise.all([createDatabase(), createDatabase()]);
  const client = new pg.Client({ connectionString: one.url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('SELECT current_database() AS name');
  expect(`/${rows[0].name}`).toBe(new URL(one.url).pathname);
  expect(one.url).not.toBe(other.url);
  await client.end();
  await Promise.all([one.drop(), other.drop()]);
  await expect(new pg.Client({ connectionString: one.url }).connect()).rejects.toThrow('does not exist');
});

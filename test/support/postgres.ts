// Databases for tests. All test files of a run share one PostgreSQL server, which share-postgres.ts starts. If
// TANZANITE_TEST_POSTGRES contains a URL, the tests use the server at this URL instead. The user in the URL must be
// able to create databases. With TANZANITE_TEST_CITUS=1, the server is the coordinator of a Citus cluster.

import pg from 'pg';
import { inject } from 'vitest';
import { migratePostgres } from '../../src/storage/postgres/migrate.ts';
import { createCitusDatabase, dropCitusDatabase } from './citus.mjs';

export interface PostgresDatabase {
  /** `postgres://user:password@127.0.0.1:49152/name` */
  readonly url: string;
  /** Ends the connections to the database and drops it. */
  drop(): Promise<void>;
}

const given = process.env['TANZANITE_TEST_POSTGRES'];

/** Whether there is a PostgreSQL. Use it as `describe.runIf(hasPostgres)`. */
export const hasPostgres = given !== undefined || inject('postgresStarter') !== 'none';

if (!hasPostgres) console.warn('skipped: there is no PostgreSQL on this machine (initdb and postgres in PATH)');

/** Whether the server is a Citus. */
export const isCitus = process.env['TANZANITE_TEST_CITUS'] === '1';

/** Creates a new, empty database. */
export async function createDatabase(): Promise<PostgresDatabase> {
  const server = await serverUrl();
  const name = `tanzanite_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
  if (isCitus) {
    const url = await createCitusDatabase(server, name);
    return { url, drop: () => dropCitusDatabase(server, name) };
  }
  await queryDatabase(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => queryDatabase(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** The database that a process uses for all schemas: creating a schema takes less time than creating a database. */
let shared: Promise<PostgresDatabase> | undefined;
let schemas = 0;

/** Creates a new schema. With Citus, its entities are distributed over the workers. */
export async function createSchema(): Promise<PostgresDatabase> {
  shared ??= createDatabase();
  const { url } = await shared;
  const name = `t${++schemas}`;
  const schema = `${url}?schema=${name}`;
  await distributeOverCitus(schema);
  return { url: schema, drop: () => queryDatabase(url, `DROP SCHEMA IF EXISTS ${name} CASCADE`) };
}

/** Drops the schemas that `createSchema` created. */
export async function dropSchemas(): Promise<void> {
  const database = shared;
  shared = undefined;
  await (await database)?.drop();
}

/**
 * With Citus, distributes the entities of a schema over the workers. Must be called before the first use of the schema.
 * Without Citus, does nothing.
 */
export async function distributeOverCitus(url: string): Promise<void> {
  if (isCitus) await migratePostgres({ url, distributed: true });
}

async function serverUrl(): Promise<string> {
  if (given !== undefined) return given;
  const answer = await fetch(inject('postgresStarter'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

export async function queryDatabase(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

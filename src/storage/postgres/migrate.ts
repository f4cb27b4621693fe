// Migrates the schema of a database to the version that this program uses. The first node migrates the schema, and the
// other nodes wait. This module also reports the current version of the schema.

import type pg from 'pg';
import { StoreUnavailable } from '../store-unavailable.ts';
import { createClient } from './database.ts';
import { type DatabaseConfig, explainOpening, readDatabaseUrl } from './database-config.ts';
import { distribution, postgresMigrations, postgresSchemaVersion, product } from './schema.ts';

export interface MigrateOptions {
  /** The same address as for `--store`. */
  readonly url: string;
  /** Distributes the entities over the workers of Citus, by PartitionKey. */
  readonly distributed?: boolean;
}

export interface Migrated {
  /** The version before; 0 if there was no schema. */
  readonly from: number;
  readonly to: number;
}

export interface CheckedDatabase {
  /** The schema's version; 0 if there is none. */
  readonly version: number;
  readonly isDistributed: boolean;
  readonly accounts: number;
}

/** If the database cannot be used, changes nothing and rejects with StoreUnavailable. */
export async function migratePostgres({ url, distributed = false }: MigrateOptions): Promise<Migrated> {
  return withClient(readDatabaseUrl(url), async (client, connection) => {
    const migrated = await migrate(client, connection);
    if (distributed) await distribute(client, connection);
    return migrated;
  });
}

/** Changes nothing. Rejects with StoreUnavailable if the database cannot be used. */
export async function checkPostgres({ url }: Pick<MigrateOptions, 'url'>): Promise<CheckedDatabase> {
  return withClient(readDatabaseUrl(url), async (client, connection) => {
    const { version, isDistributed } = await readVersion(client, connection);
    if (version === 0) return { version, isDistributed, accounts: 0 };
    const { rows } = await client.query(`SELECT count(*)::integer AS accounts FROM ${connection.schema}.accounts`);
    return { version, isDistributed, accounts: rows[0].accounts };
  });
}

async function withClient<T>(
  connection: DatabaseConfig,
  work: (client: pg.Client, connection: DatabaseConfig) => Promise<T>,
): Promise<T> {
  const client = createClient(connection);
  try {
    await client.connect();
    return await work(client, connection);
  } catch (error) {
    throw explainOpening(error, connection);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** An arbitrary number for the lock. The lock applies to this database, and is held until the transaction ends. */
const migrationLock = 0x547a5462;

async function migrate(client: pg.Client, connection: DatabaseConfig): Promise<Migrated> {
  const before = await readVersion(client, connection);
  if (before.version === postgresSchemaVersion) return { from: postgresSchemaVersion, to: postgresSchemaVersion };
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  // Another node may have been first.
  const { version } = await readVersion(client, connection);
  if (version === 0) await createSchema(client, connection);
  for (const migration of postgresMigrations.slice(version)) {
    await client.query(migration(connection.schema));
  }
  await client.query(`UPDATE ${connection.schema}.meta SET version = $1`, [postgresSchemaVersion]);
  await client.query('COMMIT');
  return { from: version, to: postgresSchemaVersion };
}

/** A schema that an administrator has created for a user with few rights is used as it is. */
async function createSchema(client: pg.Client, { schema, schemaName }: DatabaseConfig): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', [schemaName]);
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${schema}`);
}

async function readVersion(
  client: pg.Client,
  { schema, schemaName, title }: DatabaseConfig,
): Promise<{ readonly version: number; readonly isDistributed: boolean }> {
  const { rows: tables } = await client.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
    [schemaName],
  );
  if (tables.length === 0) return { version: 0, isDistributed: false };
  const foreign = new StoreUnavailable(
    'foreign',
    `The schema ${schemaName} of the database ${title} is not Tanzanite's. Choose another with ?schema=NAME. Nothing was changed.`,
  );
  if (!tables.some(({ name }) => name === 'meta')) throw foreign;
  const { rows } = await client.query(`SELECT * FROM ${schema}.meta`);
  const [meta] = rows;
  if (meta?.product !== product) throw foreign;
  if (meta.version > postgresSchemaVersion) {
    const text = `The schema ${schemaName} of the database ${title} has version ${meta.version}, but this tanzanite knows up to version ${postgresSchemaVersion}.`;
    throw new StoreUnavailable(
      'newer',
      `${text} Update tanzanite, or choose another schema with ?schema=NAME. Nothing was changed.`,
    );
  }
  return { version: meta.version, isDistributed: meta.is_distributed };
}

/** Distributes the tables. Existing entities are copied. No node may be running. */
async function distribute(client: pg.Client, connection: DatabaseConfig): Promise<void> {
  const { schema, schemaName, title } = connection;
  const { isDistributed } = await readVersion(client, connection);
  if (isDistributed) return;
  const { rows } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  if (rows.length === 0) {
    const text = `The database ${title} has no Citus. Run CREATE EXTENSION citus, or migrate without --distributed.`;
    throw new StoreUnavailable('refused', text);
  }
  await client.query(`BEGIN; ${distribution(schema, schemaName)} COMMIT`);
}

/** Brings the schema to this version before a store opens, and says whether the entities are distributed. */
export async function prepareSchema(connection: DatabaseConfig): Promise<Pick<CheckedDatabase, 'isDistributed'>> {
  return withClient(connection, async (client) => {
    await migrate(client, connection);
    return readVersion(client, connection);
  });
}

import { join } from 'node:path';
import { migratePostgres } from '../../../../src/storage/postgres/migrate.ts';
import { openPostgresStore } from '../../../../src/storage/postgres/postgres-store.ts';
import { distribution } from '../../../../src/storage/postgres/schema.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, OpenStore, Store } from '../../../../src/storage/store.ts';
import { openDelayedReference } from '../../../support/delayed-store.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';
import {
  createDatabase,
  distributeOverCitus,
  type PostgresDatabase,
  queryDatabase,
} from '../../../support/postgres.ts';
import { openReferenceStore } from '../../../support/reference-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** An open, empty store, which a test of the contract gets. */
export interface Given {
  readonly time: ManualTime;
  readonly store: Store;
  /** The account to which most tests write. */
  readonly account: AccountStore;
  /** Closes the store, and opens it again over the same data. */
  reopen(): Promise<AccountStore>;
  dispose(): Promise<void>;
}

export interface StoreKind {
  open(): Promise<Given>;
  /** Whether the data remains when the store is closed. */
  readonly persists: boolean;
  /** Whether calls take effect in the order in which they are made. The contract does not require this. */
  readonly keepsOrder: boolean;
}

const distributed = (schema: string): string => `
  CREATE FUNCTION create_distributed_table(text, text, colocate_with text DEFAULT '') RETURNS void AS '' LANGUAGE SQL;
  ${distribution(schema, schema)}
`;

export const sqliteOnDisk: StoreKind = { open: openOnDisk, persists: true, keepsOrder: true };
export const postgres: StoreKind = { open: () => openInPostgres(), persists: true, keepsOrder: false };
/** Uses the statements and the schema for a distributed database over a database that is not distributed. */
export const postgresAsDistributed: StoreKind = {
  open: () => openInPostgres(distributed),
  persists: true,
  keepsOrder: false,
};
export const sqliteInMemory: StoreKind = inMemory(openSqliteStore, { keepsOrder: true });
export const reference: StoreKind = inMemory(openReferenceStore, { keepsOrder: true });
export const delayedReference: StoreKind = inMemory(openDelayedReference, { keepsOrder: false });

const accountName = 'devstoreaccount1';

async function openOnDisk(): Promise<Given> {
  const time = new ManualTime();
  const folder = temporaryFolder();
  const open = (): Promise<Store> =>
    openSqliteStore({ location: join(folder.path, 'data'), durability: 'process', ...storeTimes(time) });
  return givenStore({ time, open, remove: () => folder.remove() });
}

interface Opening {
  readonly time: ManualTime;
  readonly open: () => Promise<Store>;
  readonly remove?: () => void;
}

/** A store over data that remains while it is closed. */
async function givenStore({ time, open, remove }: Opening): Promise<Given> {
  let store = await open();
  return {
    time,
    store,
    account: store.account(accountName),
    async reopen() {
      await store.close();
      store = await open();
      return store.account(accountName);
    },
    async dispose() {
      await store.close();
      remove?.();
    },
  };
}

/** One database for all stores, because creating a database takes longer than creating a schema. */
let database: Promise<PostgresDatabase> | undefined;
let schemas = 0;

export async function dropPostgres(): Promise<void> {
  await (await database)?.drop();
  database = undefined;
}

/**
 * Schemas that earlier tests no longer use, by kind. A later test empties such a schema and uses it again, because
 * emptying a schema takes a fraction of the time of creating one.
 */
const left = new Map<string, string[]>();

async function openInPostgres(prepare?: (schema: string) => string): Promise<Given> {
  const time = new ManualTime();
  database ??= createDatabase();
  const { url: server } = await database;
  const kind = prepare?.name ?? '';
  const used = left.get(kind)?.pop();
  const schema = used ?? `s${++schemas}`;
  const url = `${server}?schema=${schema}`;
  if (used !== undefined) await queryDatabase(server, emptying(used));
  else if (prepare) {
    await migratePostgres({ url });
    await queryDatabase(server, `SET search_path = ${schema}; ${prepare(schema)}`);
  } else await distributeOverCitus(url);
  const open = (): Promise<Store> => openPostgresStore({ store: url, durability: 'process', ...storeTimes(time) });
  const given = await givenStore({ time, open });
  return {
    ...given,
    async dispose() {
      await given.dispose();
      left.set(kind, [...(left.get(kind) ?? []), schema]);
    },
  };
}

/**
 * Returns SQL that brings a schema back to the state that it had directly after its migration. The SQL keeps the row of
 * `meta`, and resets the rows of `moments`. It does not reset ids, so no test sees a table of an earlier test.
 */
const emptying = (schema: string): string => `
  DO $$
    DECLARE name text; filled boolean;
    BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'meta' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I)', name) INTO filled;
        IF name = 'moments' THEN UPDATE ${schema}.moments SET last_ticks = 0 WHERE last_ticks <> 0;
        ELSIF filled THEN EXECUTE format('TRUNCATE ${schema}.%I CASCADE', name);
        END IF;
      END LOOP;
    END
  $$`;

function inMemory(openStore: OpenStore, { keepsOrder }: Pick<StoreKind, 'keepsOrder'>): StoreKind {
  const open = async (): Promise<Given> => {
    const time = new ManualTime();
    const store = await openStore({ durability: 'none', ...storeTimes(time) });
    const reopen = () => Promise.reject(new Error('this store keeps nothing'));
    return { time, store, account: store.account(accountName), reopen, dispose: () => store.close() };
  };
  return { open, persists: false, keepsOrder };
}

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

/** What a test of the contract is given: an open, empty store. */
export interface Given {
  readonly time: ManualTime;
  readonly store: Store;
  /** The account most tests write to. */
  readonly account: AccountStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<AccountStore>;
  dispose(): Promise<void>;
}

export interface StoreKind {
  open(): Promise<Given>;
  /** Whether data outlives the store. */
  readonly persists: boolean;
  /** Whether calls take effect in the order in which they are made, which the contract does not require. */
  readonly keepsOrder: boolean;
}

export const sqliteOnDisk: StoreKind = { open: openOnDisk, persists: true, keepsOrder: true };
export const postgres: StoreKind = { open: () => openInPostgres(), persists: true, keepsOrder: false };
/** The statements and the schema of a database that is distributed, over one that is not. */
export const postgresAsDistributed: StoreKind = {
  open: () =>
    openInPostgres(
      (schema) => `
        CREATE FUNCTION create_distributed_table(text, text, colocate_with text DEFAULT '') RETURNS void AS '' LANGUAGE SQL;
        ${distribution(schema, schema)}
      `,
    ),
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

/** A store that keeps its data while it is closed. */
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

/** One database for all, which takes longer to create than a schema. */
let database: Promise<PostgresDatabase> | undefined;
let schemas = 0;

export async function dropPostgres(): Promise<void> {
  await (await database)?.drop();
  database = undefined;
}

async function openInPostgres(prepare?: (schema: string) => string): Promise<Given> {
  const time = new ManualTime();
  database ??= createDatabase();
  const schema = `s${++schemas}`;
  const url = `${(await database).url}?schema=${schema}`;
  if (prepare) {
    await migratePostgres({ url });
    await queryDatabase((await database).url, `SET search_path = ${schema}; ${prepare(schema)}`);
  } else await distributeOverCitus(url);
  const open = (): Promise<Store> => openPostgresStore({ store: url, durability: 'process', ...storeTimes(time) });
  return givenStore({ time, open });
}

function inMemory(openStore: OpenStore, { keepsOrder }: Pick<StoreKind, 'keepsOrder'>): StoreKind {
  const open = async (): Promise<Given> => {
    const time = new ManualTime();
    const store = await openStore({ durability: 'none', ...storeTimes(time) });
    const reopen = () => Promise.reject(new Error('this store keeps nothing'));
    return { time, store, account: store.account(accountName), reopen, dispose: () => store.close() };
  };
  return { open, persists: false, keepsOrder };
}

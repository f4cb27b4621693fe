// Several stores over one schema, as several nodes have them.

import pg from 'pg';
import { openPostgresStore } from '../../../../src/storage/postgres/postgres-store.ts';
import type { AccountStore, Store, StoreOptions } from '../../../../src/storage/store.ts';
import { ManualTime, storeTimes } from '../../../support/manual-time.ts';
import { createDatabase, distributeOverCitus } from '../../../support/postgres.ts';

export interface Node {
  readonly store: Store;
  readonly account: AccountStore;
  readonly time: ManualTime;
}

export interface Nodes {
  readonly url: string;
  open(options?: Partial<StoreOptions>): Promise<Node>;
  /** Runs a statement outside the stores. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function createNodes(): Promise<Nodes> {
  const { url, drop } = await createDatabase();
  await distributeOverCitus(url);
  const stores: Store[] = [];
  return {
    url,
    async open(options = {}) {
      const time = new ManualTime();
      const store = await openPostgresStore({ store: url, durability: 'process', ...storeTimes(time), ...options });
      stores.push(store);
      return { store, account: store.account('devstoreaccount1'), time };
    },
    async query(text) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    },
  };
}

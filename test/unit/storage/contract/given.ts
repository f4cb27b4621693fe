import { join } from 'node:path';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, Store } from '../../../../src/storage/store.ts';
import { ManualClock } from '../manual-clock.ts';
import { ReferenceStore } from '../reference-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** What a test of the contract is given: an open, empty store. */
export interface Given {
  readonly clock: ManualClock;
  readonly store: Store;
  /** The account most tests write to. */
  readonly account: AccountStore;
  /** Closes the store and opens it again on what it left. */
  reopen(): Promise<AccountStore>;
  dispose(): Promise<void>;
}

export interface StoreKind {
  open(): Given;
  /** Whether what was written outlives the store. */
  readonly persists: boolean;
}

export const sqliteOnDisk: StoreKind = { open: openOnDisk, persists: true };
export const sqliteInMemory: StoreKind = { open: openInMemory, persists: false };
export const reference: StoreKind = { open: openReference, persists: false };

const accountName = 'devstoreaccount1';

function openOnDisk(): Given {
  const clock = new ManualClock();
  const folder = temporaryFolder();
  const open = (): Store => openSqliteStore({ location: join(folder.path, 'data'), durability: 'process', clock });
  let store = open();
  return {
    clock,
    store,
    account: store.account(accountName),
    async reopen() {
      await store.close();
      store = open();
      return store.account(accountName);
    },
    async dispose() {
      await store.close();
      folder.remove();
    },
  };
}

function openInMemory(): Given {
  const clock = new ManualClock();
  return givenWithoutDisk(openSqliteStore({ durability: 'none', clock }), clock);
}

function openReference(): Given {
  const clock = new ManualClock();
  return givenWithoutDisk(new ReferenceStore(clock), clock);
}

function givenWithoutDisk(store: Store, clock: ManualClock): Given {
  const reopen = () => Promise.reject(new Error('nothing outlives this store'));
  return { clock, store, account: store.account(accountName), reopen, dispose: () => store.close() };
}

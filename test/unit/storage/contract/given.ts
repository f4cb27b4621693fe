import { join } from 'node:path';
import { openSqliteStore } from '../../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, OpenStore, Store } from '../../../../src/storage/store.ts';
import { openDelayedReference } from '../../../support/delayed-store.ts';
import { ManualClock, storeTimes } from '../../../support/manual-clock.ts';
import { openReferenceStore } from '../../../support/reference-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

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
  open(): Promise<Given>;
  /** Whether what was written outlives the store. */
  readonly persists: boolean;
  /** Whether calls take effect in the order in which they are made; the contract does not ask for it. */
  readonly keepsOrder: boolean;
}

export const sqliteOnDisk: StoreKind = { open: openOnDisk, persists: true, keepsOrder: true };
export const sqliteInMemory: StoreKind = inMemory(openSqliteStore, { keepsOrder: true });
export const reference: StoreKind = inMemory(openReferenceStore, { keepsOrder: true });
export const delayedReference: StoreKind = inMemory(openDelayedReference, { keepsOrder: false });

const accountName = 'devstoreaccount1';

async function openOnDisk(): Promise<Given> {
  const clock = new ManualClock();
  const folder = temporaryFolder();
  const open = (): Promise<Store> =>
    openSqliteStore({ location: join(folder.path, 'data'), durability: 'process', ...storeTimes(clock) });
  let store = await open();
  return {
    clock,
    store,
    account: store.account(accountName),
    async reopen() {
      await store.close();
      store = await open();
      return store.account(accountName);
    },
    async dispose() {
      await store.close();
      folder.remove();
    },
  };
}

function inMemory(openStore: OpenStore, { keepsOrder }: Pick<StoreKind, 'keepsOrder'>): StoreKind {
  const open = async (): Promise<Given> => {
    const clock = new ManualClock();
    const store = await openStore({ durability: 'none', ...storeTimes(clock) });
    const reopen = () => Promise.reject(new Error('nothing outlives this store'));
    return { clock, store, account: store.account(accountName), reopen, dispose: () => store.close() };
  };
  return { open, persists: false, keepsOrder };
}

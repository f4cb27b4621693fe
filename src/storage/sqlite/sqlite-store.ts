// The SQLite engine. It stores data in memory, or in a folder with one database file for each account. It fulfils the
// contract of store.ts for the one process that owns the location. Other processes may read the files, but must not
// lock them for long.

import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { AccountStore, ChangeListener, Store, StoreCondition } from '../store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { SqliteAccountHandle } from './account-handle.ts';
import { type LocationLock, lockLocation } from './file/location-lock.ts';
import { requireDriver } from './file/require-driver.ts';
import { OpenAccounts, type SqliteStoreOptions } from './open-accounts.ts';

/** Locks the location and opens it. If it cannot be used, changes nothing and rejects with StoreUnavailable. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  requireDriver();
  if (options.location === undefined) return new SqliteStore(options, undefined);
  // The driver trims file names: a leading space would name another folder.
  const location = resolve(options.location);
  return new SqliteStore({ ...options, location }, lockLocation(location));
}

const fileEnding = '.sqlite';
const accountName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

class SqliteStore implements Store {
  /** Always true, because there is no other process. */
  readonly hearsChanges = true;
  readonly #location: string | undefined;
  readonly #lock: LocationLock | undefined;
  readonly #accounts: OpenAccounts;
  readonly #listeners: ChangeListener[] = [];

  constructor(options: SqliteStoreOptions, lock: LocationLock | undefined) {
    this.#location = options.location;
    this.#lock = lock;
    this.#accounts = new OpenAccounts({
      ...options,
      fileOf: (name) => this.#fileOf(name),
      onServiceProperties: (account) => {
        for (const listener of this.#listeners) listener(account, 'serviceProperties');
      },
    });
  }

  account(name: string): AccountStore {
    return new SqliteAccountHandle(this.#accounts, name);
  }

  async exists(name: string): Promise<boolean> {
    return this.#accounts.has(name) || (accountName.test(name) && this.#accounts.exists(name));
  }

  async names(): Promise<readonly string[]> {
    return [...new Set([...this.#accounts.names(), ...this.#storedNames()])].sort();
  }

  async openExisting(names: Iterable<string>): Promise<void> {
    for (const name of names) if (await this.exists(name)) this.#openUnlessFull(name);
  }

  async check(): Promise<StoreCondition> {
    this.#lock?.check();
    const { damaged, isFull } = this.#accounts;
    return { damaged, isFull };
  }

  publishAddress(url: string): void {
    this.#lock?.publishAddress(url);
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    try {
      await this.#accounts.close();
    } finally {
      this.#lock?.release();
    }
  }

  /** If a disk has no room even for the index of a WAL, the first operation that finds room opens the account. */
  #openUnlessFull(name: string): void {
    try {
      this.#accounts.use(name);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.reason !== 'full') throw error;
    }
  }

  #storedNames(): string[] {
    if (this.#location === undefined) return [];
    try {
      const files = readdirSync(this.#location).filter((file) => file.endsWith(fileEnding));
      return files.map((file) => basename(file, fileEnding)).filter((name) => accountName.test(name));
    } catch (cause) {
      throw new StoreUnavailable('unwritable', `${this.#location} cannot be read.`, { cause });
    }
  }

  /** Undefined for memory. Throws an Error for an invalid account name, which could be a path to another folder. */
  #fileOf(account: string): string | undefined {
    if (!accountName.test(account)) throw new Error(`${JSON.stringify(account)} is not an account name`);
    return this.#location === undefined ? undefined : join(this.#location, account + fileEnding);
  }
}

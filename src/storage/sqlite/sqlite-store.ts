// The SQLite engine: a folder with one database file for each account, or memory. Its promises are store.ts's.

import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../model/clock.ts';
import type { Durability } from '../durability.ts';
import type { AccountStore, Store } from '../store.ts';
import { openAccountFile, unusable } from './account-file.ts';
import { ColumnCache } from './column-cache.ts';
import { type LocationLock, lockLocation } from './location-lock.ts';
import { requireDriver } from './require-driver.ts';
import { SqliteAccountStore } from './sqlite-account-store.ts';

export interface SqliteStoreOptions {
  /** Folder of the account files; without one, everything is in memory and gone at close. */
  readonly location?: string;
  readonly durability: Durability;
  readonly clock: Clock;
  /** How long the name of a deleted table is not free; default 0. */
  readonly tableDeleteDelayMs?: number;
}

/** Takes the location and opens it. Throws StoreUnavailable, having changed nothing, when it cannot be used. */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  requireDriver();
  const lock = options.location === undefined ? undefined : lockLocation(options.location);
  return new SqliteStore(options, lock);
}

const fileEnding = '.sqlite';
const accountName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

export class SqliteStore implements Store {
  readonly #accounts = new Map<string, SqliteAccountStore>();
  readonly #cache = new ColumnCache();
  readonly #options: SqliteStoreOptions;
  readonly #lock: LocationLock | undefined;

  constructor(options: SqliteStoreOptions, lock: LocationLock | undefined) {
    this.#options = options;
    this.#lock = lock;
  }

  account(name: string): AccountStore {
    const opened = this.#accounts.get(name);
    if (opened) return opened;
    const store = this.#open(this.#fileOf(name));
    this.#accounts.set(name, store);
    return store;
  }

  find(name: string): AccountStore | undefined {
    // Whoever asks may not be known yet: only what can be an account is looked for.
    const file = accountName.test(name) ? this.#fileOf(name) : undefined;
    const isThere = this.#accounts.has(name) || (file !== undefined && existsSync(file));
    return isThere ? this.account(name) : undefined;
  }

  check(): void {
    this.#lock?.check();
  }

  names(): readonly string[] {
    const { location } = this.#options;
    const files = location === undefined ? [] : readdirSync(location).filter((file) => file.endsWith(fileEnding));
    const stored = files.map((file) => basename(file, fileEnding)).filter((name) => accountName.test(name));
    return [...new Set([...this.#accounts.keys(), ...stored])].sort();
  }

  #open(file: string | undefined): SqliteAccountStore {
    const database = openAccountFile(file, this.#options.durability);
    try {
      return new SqliteAccountStore(database, { ...this.#options, cache: this.#cache });
    } catch (error) {
      database.close();
      throw unusable(file ?? 'memory', error);
    }
  }

  /** Opens the accounts that are there already, so that damage shows at the start and not at the first request. */
  openExisting(names: Iterable<string>): void {
    for (const name of names) {
      const file = this.#fileOf(name);
      if (file !== undefined && existsSync(file)) this.account(name);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
    this.#accounts.clear();
    this.#lock?.release();
  }

  #fileOf(account: string): string | undefined {
    const { location } = this.#options;
    return location === undefined ? undefined : join(location, account + fileEnding);
  }
}

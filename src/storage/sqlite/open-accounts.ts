import { existsSync, rmSync } from 'node:fs';
import type { StoreOptions } from '../store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { TableLoad } from '../table-load.ts';
import { SqliteAccountStore } from './account/sqlite-account-store.ts';
import { explainFailure, openAccountFile } from './file/account-file.ts';
import { type CheckpointRunner, CheckpointThread } from './file/checkpoint-thread.ts';
import { DiskReserve } from './file/disk-reserve.ts';
import { ColumnCache } from './scan/column-cache.ts';

/**
 * The maximum number of open accounts. Each open account uses up to six file descriptors. The maximum is exceeded only
 * while more than `openAccountsMax` accounts have work in progress.
 */
const openAccountsMax = 64;
/** Size of the page caches of all open accounts together (ADR 0008). */
const pageCacheBytesMax = 16 * 1_048_576;
/** An account is closed when this many operations in a row were on other accounts. */
const idleOperationsMax = 16_384;
/** Number of operations between checks for idle accounts. */
const idleCheckEvery = 256;

/** The files of one account. SQLite removes the last two itself when it can. */
const fileEndings = ['', '-wal', '-shm'];

export interface SqliteStoreOptions extends StoreOptions {
  /** Default: a thread, which the store starts. */
  readonly checkpointThread?: CheckpointRunner;
}

export interface OpenAccountsOptions extends SqliteStoreOptions {
  /** The file of an account; undefined for memory. */
  readonly fileOf: (name: string) => string | undefined;
  readonly onServiceProperties: (account: string) => void;
}

interface OpenAccount {
  readonly store: SqliteAccountStore;
  /** The number of the last operation that used the account. */
  usedAt: number;
  /** Whether only unfinished loads have used it since it was created. */
  isOfLoads: boolean;
  /** Loads in progress. */
  loads: number;
}

/**
 * Opens accounts on demand and closes idle ones, so that the use of file descriptors and memory stays limited for any
 * number of accounts. Accounts in memory stay open, because closing an account would lose its data.
 */
export class OpenAccounts {
  readonly #options: OpenAccountsOptions;
  readonly #open = new Map<string, OpenAccount>();
  readonly #cache = new ColumnCache();
  readonly #checkpointThread: CheckpointRunner;
  readonly #damaged = new Set<string>();
  /** Undefined for memory. */
  readonly #disk: DiskReserve | undefined;
  #operations = 0;
  #isClosed = false;

  constructor(options: OpenAccountsOptions) {
    this.#options = options;
    this.#checkpointThread = options.checkpointThread ?? new CheckpointThread();
    const freeSpace = (): void => {
      for (const { store } of this.#open.values()) store.freeSpace();
    };
    this.#disk = options.location === undefined ? undefined : new DiskReserve(options.location, freeSpace);
  }

  /**
   * Returns the account for one operation, and opens it if necessary. Throws StoreUnavailable if the account's data
   * cannot be used.
   */
  use(name: string): SqliteAccountStore {
    const account = this.#find(name);
    account.isOfLoads = false;
    return account.store;
  }

  has(name: string): boolean {
    return this.#open.has(name);
  }

  /** Whether the account was ever used. */
  exists(name: string): boolean {
    const file = this.#options.fileOf(name);
    return this.has(name) || (file !== undefined && existsSync(file));
  }

  /** If only loads have used an account since its creation, it is removed when the last of them is abandoned. */
  async beginLoad(name: string): Promise<TableLoad> {
    const isNew = !this.exists(name);
    const account = this.#find(name);
    if (isNew) account.isOfLoads = true;
    account.loads += 1;
    const load = await account.store.beginLoad();
    let isOver = false;
    let finishing: Promise<unknown> = Promise.resolve();
    const end = (): void => {
      if (!isOver) account.loads -= 1;
      isOver = true;
    };
    const finish: TableLoad['finish'] = async (params) => {
      const outcome = await load.finish(params);
      if (outcome.kind !== 'finished') return outcome;
      account.isOfLoads = false;
      end();
      return outcome;
    };
    return {
      addTable: (params) => load.addTable(params),
      addEntities: (table, entities) => load.addEntities(table, entities),
      finish(params) {
        const finished = finish(params);
        finishing = finished.catch(() => undefined);
        return finished;
      },
      abandon: async () => {
        await load.abandon();
        await finishing;
        end();
        await account.store.drained();
        this.#removeUnused(name, account);
      },
    };
  }

  /** Checks and deletes in one turn, so that no operation can begin in between. */
  #removeUnused(name: string, account: OpenAccount): void {
    const { store, isOfLoads, loads } = account;
    if (!isOfLoads || loads > 0 || this.#open.get(name) !== account) return;
    this.#open.delete(name);
    store.closeIdle();
    const file = this.#options.fileOf(name);
    if (file === undefined) return;
    try {
      for (const ending of fileEndings) rmSync(file + ending, { force: true });
    } catch {
      // The load is abandoned nevertheless: a file that cannot be removed is an account without tables.
    }
  }

  names(): Iterable<string> {
    return this.#open.keys();
  }

  /** Names of the accounts whose data could not be read since they were opened. */
  get damaged(): readonly string[] {
    return [...this.#damaged].sort();
  }

  /** Whether writes to an account fail for lack of space. Checks whether there is room again. */
  get isFull(): boolean {
    if (!this.#disk?.isShort) return false;
    const open = [...this.#open.values()];
    return open.length === 0 || open.some(({ store }) => !store.keepsFreePages);
  }

  /** Completes the operations in progress. `use` throws from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closings = await Promise.allSettled([...this.#open.values()].map(({ store }) => store.close()));
    this.#open.clear();
    await this.#checkpointThread.close();
    this.#disk?.close();
    for (const closing of closings) if (closing.status === 'rejected') throw closing.reason;
  }

  #find(name: string): OpenAccount {
    const account = this.#open.get(name) ?? this.#add(name);
    account.usedAt = ++this.#operations;
    if (this.#operations % idleCheckEvery === 0) this.#closeIdle(this.#operations - idleOperationsMax);
    return account;
  }

  #add(name: string): OpenAccount {
    if (this.#isClosed) throw new Error('the store is closed');
    // Closes up to two accounts for each account that is opened. So the number of open accounts falls again after a
    // burst, and no single operation has to close many accounts.
    for (let closings = 0; closings < 2 && this.#open.size >= openAccountsMax; closings++) {
      this.#closeIdle(Number.POSITIVE_INFINITY);
    }
    const account = { store: this.#openAccount(name), usedAt: 0, isOfLoads: false, loads: 0 };
    this.#damaged.delete(name);
    this.#open.set(name, account);
    this.#sharePageCache();
    return account;
  }

  /** Opens an account. On a full disk, tries a second time with the space of the reserve. */
  #openAccount(name: string): SqliteAccountStore {
    try {
      return this.#openFile(name);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.reason !== 'full') throw error;
      this.#disk?.lend(Number.POSITIVE_INFINITY);
      try {
        return this.#openFile(name);
      } finally {
        this.#disk?.takeBack();
      }
    }
  }

  #openFile(name: string): SqliteAccountStore {
    const { fileOf, durability, onServiceProperties } = this.#options;
    const file = fileOf(name);
    const explain = (error: unknown): unknown => this.#recordFailure(name, explainFailure(file ?? name, error));
    try {
      const database = openAccountFile(file, durability);
      this.#disk?.prepare();
      try {
        return new SqliteAccountStore(database, {
          ...this.#options,
          cache: this.#cache,
          ...(file !== undefined && { checkpointThread: this.#checkpointThread }),
          ...(this.#disk && { disk: this.#disk }),
          explain,
          onServiceProperties: () => onServiceProperties(name),
        });
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      throw explain(error);
    }
  }

  #recordFailure(name: string, error: unknown): unknown {
    if (!(error instanceof StoreUnavailable)) return error;
    const { reason, message, cause } = error;
    if (reason === 'damaged') this.#damaged.add(name);
    if (reason === 'full') this.#disk?.markFull();
    // A file that cannot be opened at all, because of its permissions or type, says nothing about space.
    if (reason !== 'unwritable' || cause === undefined || !this.#disk?.isUsedUp()) return error;
    this.#disk.markFull();
    return new StoreUnavailable('full', message, { cause: error });
  }

  /**
   * Closes one account: the least recently used account that has no work in progress. If this account was used since
   * `usedBefore`, closes none.
   */
  #closeIdle(usedBefore: number): void {
    if (this.#options.location === undefined) return;
    // A damaged account stays open: `damaged` must still name it.
    const idle = [...this.#open].filter(
      ([name, { store, usedAt }]) => usedAt < usedBefore && store.isIdle && !this.#damaged.has(name),
    );
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (!oldest) return;
    const [name, { store }] = oldest;
    this.#open.delete(name);
    store.closeIdle();
    this.#sharePageCache();
  }

  #sharePageCache(): void {
    if (this.#options.location === undefined) return;
    for (const { store } of this.#open.values()) store.pageCacheBytes = pageCacheBytesMax / this.#open.size;
  }
}

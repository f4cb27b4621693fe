import { AccountHandle } from '../account-handle.ts';
import type { AccountStore } from '../store.ts';
import type { TableLoad } from '../table-load.ts';
import type { OpenAccounts } from './open-accounts.ts';

/** Represents an account that may be open or closed. Each operation opens it if necessary. */
export class SqliteAccountHandle extends AccountHandle {
  readonly #accounts: OpenAccounts;
  readonly #name: string;

  constructor(accounts: OpenAccounts, name: string) {
    super();
    this.#accounts = accounts;
    this.#name = name;
  }

  beginLoad(): Promise<TableLoad> {
    return this.#accounts.beginLoad(this.#name);
  }

  /** Not async: a promise around a promise would cost each read two more turns of the microtask queue. */
  protected run<T>(work: (account: AccountStore) => Promise<T>): Promise<T> {
    try {
      return work(this.#accounts.use(this.#name));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

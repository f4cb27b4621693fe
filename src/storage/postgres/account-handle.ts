import { AccountHandle } from '../account-handle.ts';
import type { AccountStore } from '../store.ts';
import type { TableLoad } from '../table-load.ts';
import type { Operations } from './operations.ts';

export interface AccountHandleOptions {
  readonly operations: Operations;
  readonly account: AccountStore;
  /** Records in the database that the account is used; undefined if that is already recorded. */
  readonly use: () => Promise<void> | undefined;
}

/** The first operation on an account marks it as used. Closing the store waits for all operations. */
export class PostgresAccountHandle extends AccountHandle {
  readonly #options: AccountHandleOptions;

  constructor(options: AccountHandleOptions) {
    super();
    this.#options = options;
  }

  /** The account is marked as used only if the load is finished. */
  beginLoad(): Promise<TableLoad> {
    const { operations, account } = this.#options;
    return operations.run(async () => {
      const load = await account.beginLoad();
      return {
        addTable: (params) => operations.run(() => load.addTable(params)),
        addEntities: (...entities) => operations.run(() => load.addEntities(...entities)),
        finish: (params) => operations.run(() => load.finish(params)),
        abandon: () => operations.run(() => load.abandon()),
      };
    });
  }

  protected run<T>(work: (account: AccountStore) => Promise<T>): Promise<T> {
    const { operations, account, use } = this.#options;
    return operations.run(() => {
      const using = use();
      return using ? using.then(() => work(account)) : work(account);
    });
  }
}

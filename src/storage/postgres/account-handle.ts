import type { EntityKey } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { SnapshotRecord } from '../../model/snapshot.ts';
import type { TableName } from '../../model/table-name.ts';
import type {
  AccountStore,
  AccountView,
  ApplyOutcome,
  FindTableOutcome,
  GetOutcome,
  ListTables,
  RestoreSnapshotOutcome,
  SaveSnapshotOutcome,
  ScanOutcome,
  ScanRequest,
  TableAbsence,
  TableLoad,
  TablePage,
  TableRecord,
} from '../store.ts';
import type { Operations } from './operations.ts';

export interface AccountHandleOptions {
  readonly operations: Operations;
  readonly account: AccountStore;
  /** Makes sure that the database knows the account as used; undefined if it does. */
  readonly use: () => Promise<void> | undefined;
}

/** What callers get for an account: its first operation makes it a used one, and closing the store waits for each. */
export class AccountHandle implements AccountStore {
  readonly #options: AccountHandleOptions;

  constructor(options: AccountHandleOptions) {
    this.#options = options;
  }

  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }> {
    return this.#run((account) => account.createTable(name));
  }

  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }> {
    return this.#run((account) => account.deleteTable(name));
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.#run((account) => account.findTable(name));
  }

  listTables(request: ListTables): Promise<TablePage> {
    return this.#run((account) => account.listTables(request));
  }

  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }> {
    return this.#run((account) => account.getTableAcl(table));
  }

  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }> {
    return this.#run((account) => account.setTableAcl(table, acl));
  }

  getServiceProperties(): Promise<string | undefined> {
    return this.#run((account) => account.getServiceProperties());
  }

  updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    return this.#run((account) => account.updateServiceProperties(change));
  }

  get(table: string, key: EntityKey): Promise<GetOutcome> {
    return this.#run((account) => account.get(table, key));
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    return this.#run((account) => account.apply(table, mutations));
  }

  scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    return this.#run((account) => account.scan(table, request));
  }

  clear(): Promise<void> {
    return this.#run((account) => account.clear());
  }

  clearTable(table: string): Promise<{ kind: 'cleared' } | { kind: TableAbsence }> {
    return this.#run((account) => account.clearTable(table));
  }

  /** The account becomes a used one only if the load is finished. */
  beginLoad(): Promise<TableLoad> {
    const { operations, account } = this.#options;
    return operations.run(async () => {
      const load = await account.beginLoad();
      return {
        addTable: (...table) => operations.run(() => load.addTable(...table)),
        addEntities: (...entities) => operations.run(() => load.addEntities(...entities)),
        finish: (options) => operations.run(() => load.finish(options)),
        abandon: () => operations.run(() => load.abandon()),
      };
    });
  }

  openView(): Promise<AccountView> {
    return this.#run((account) => account.openView());
  }

  saveSnapshot(name: string, table?: string): Promise<SaveSnapshotOutcome> {
    return this.#run((account) => account.saveSnapshot(name, table));
  }

  restoreSnapshot(name: string, table?: string): Promise<RestoreSnapshotOutcome> {
    return this.#run((account) => account.restoreSnapshot(name, table));
  }

  listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.#run((account) => account.listSnapshots());
  }

  deleteSnapshot(name: string): Promise<{ kind: 'deleted' | 'snapshotMissing' }> {
    return this.#run((account) => account.deleteSnapshot(name));
  }

  #run<T>(work: (account: AccountStore) => Promise<T>): Promise<T> {
    const { operations, account, use } = this.#options;
    return operations.run(() => {
      const using = use();
      return using ? using.then(() => work(account)) : work(account);
    });
  }
}

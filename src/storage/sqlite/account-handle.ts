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
import type { OpenAccounts } from './open-accounts.ts';

/** Stands for an account that may be open or closed: each operation opens it if it is not. */
export class AccountHandle implements AccountStore {
  readonly #accounts: OpenAccounts;
  readonly #name: string;

  constructor(accounts: OpenAccounts, name: string) {
    this.#accounts = accounts;
    this.#name = name;
  }

  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }> {
    return this.#use((account) => account.createTable(name));
  }

  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }> {
    return this.#use((account) => account.deleteTable(name));
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.#use((account) => account.findTable(name));
  }

  listTables(request: ListTables): Promise<TablePage> {
    return this.#use((account) => account.listTables(request));
  }

  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }> {
    return this.#use((account) => account.getTableAcl(table));
  }

  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }> {
    return this.#use((account) => account.setTableAcl(table, acl));
  }

  getServiceProperties(): Promise<string | undefined> {
    return this.#use((account) => account.getServiceProperties());
  }

  updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    return this.#use((account) => account.updateServiceProperties(change));
  }

  get(table: string, key: EntityKey): Promise<GetOutcome> {
    return this.#use((account) => account.get(table, key));
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    return this.#use((account) => account.apply(table, mutations));
  }

  scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    return this.#use((account) => account.scan(table, request));
  }

  clear(): Promise<void> {
    return this.#use((account) => account.clear());
  }

  clearTable(table: string): Promise<{ kind: 'cleared' } | { kind: TableAbsence }> {
    return this.#use((account) => account.clearTable(table));
  }

  beginLoad(): Promise<TableLoad> {
    return this.#accounts.beginLoad(this.#name);
  }

  openView(): Promise<AccountView> {
    return this.#use((account) => account.openView());
  }

  saveSnapshot(name: string, table?: string): Promise<SaveSnapshotOutcome> {
    return this.#use((account) => account.saveSnapshot(name, table));
  }

  restoreSnapshot(name: string, table?: string): Promise<RestoreSnapshotOutcome> {
    return this.#use((account) => account.restoreSnapshot(name, table));
  }

  listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.#use((account) => account.listSnapshots());
  }

  deleteSnapshot(name: string): Promise<{ kind: 'deleted' | 'snapshotMissing' }> {
    return this.#use((account) => account.deleteSnapshot(name));
  }

  /** Not async: a promise around a promise would cost each read two more turns of the microtask queue. */
  #use<T>(work: (account: AccountStore) => Promise<T>): Promise<T> {
    try {
      return work(this.#accounts.use(this.#name));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

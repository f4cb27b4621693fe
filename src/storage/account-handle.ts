import type { EntityKey } from '../model/entity.ts';
import type { Mutation } from '../model/mutation.ts';
import type { SnapshotRecord } from '../model/snapshot.ts';
import type { TableName } from '../model/table-name.ts';
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
} from './store.ts';

/** What callers get for an account. It stands for one that need not be open, or exist: an engine says what each operation does first. */
export abstract class AccountHandle implements AccountStore {
  /** Runs an operation on the account. Never throws. */
  protected abstract run<T>(work: (account: AccountStore) => Promise<T>): Promise<T>;

  abstract beginLoad(): Promise<TableLoad>;

  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }> {
    return this.run((account) => account.createTable(name));
  }

  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }> {
    return this.run((account) => account.deleteTable(name));
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.run((account) => account.findTable(name));
  }

  listTables(request: ListTables): Promise<TablePage> {
    return this.run((account) => account.listTables(request));
  }

  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }> {
    return this.run((account) => account.getTableAcl(table));
  }

  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }> {
    return this.run((account) => account.setTableAcl(table, acl));
  }

  getServiceProperties(): Promise<string | undefined> {
    return this.run((account) => account.getServiceProperties());
  }

  updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    return this.run((account) => account.updateServiceProperties(change));
  }

  get(table: string, key: EntityKey): Promise<GetOutcome> {
    return this.run((account) => account.get(table, key));
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    return this.run((account) => account.apply(table, mutations));
  }

  scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    return this.run((account) => account.scan(table, request));
  }

  clear(): Promise<void> {
    return this.run((account) => account.clear());
  }

  clearTable(table: string): Promise<{ kind: 'cleared' } | { kind: TableAbsence }> {
    return this.run((account) => account.clearTable(table));
  }

  openView(): Promise<AccountView> {
    return this.run((account) => account.openView());
  }

  saveSnapshot(name: string, table?: string): Promise<SaveSnapshotOutcome> {
    return this.run((account) => account.saveSnapshot(name, table));
  }

  restoreSnapshot(name: string, table?: string): Promise<RestoreSnapshotOutcome> {
    return this.run((account) => account.restoreSnapshot(name, table));
  }

  listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.run((account) => account.listSnapshots());
  }

  deleteSnapshot(name: string): Promise<{ kind: 'deleted' | 'snapshotMissing' }> {
    return this.run((account) => account.deleteSnapshot(name));
  }
}

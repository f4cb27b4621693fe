import type { EntityKey } from '../model/entity.ts';
import type { Mutation } from '../model/mutation.ts';
import type { SnapshotRecord } from '../model/snapshot.ts';
import type { TableName } from '../model/table-name.ts';
import type {
  AccountStore,
  AccountView,
  ApplyOutcome,
  ClearTableOutcome,
  CreateTableOutcome,
  DeleteSnapshotOutcome,
  DeleteTableOutcome,
  FindTableOutcome,
  GetOutcome,
  GetTableAclOutcome,
  ListTablesParams,
  RestoreSnapshotOutcome,
  RestoreSnapshotParams,
  SaveSnapshotOutcome,
  SaveSnapshotParams,
  ScanOutcome,
  ScanParams,
  SetTableAclOutcome,
  SetTableAclParams,
  TablePage,
} from './store.ts';
import type { TableLoad } from './table-load.ts';

/**
 * An account as callers get it. The account need not be open yet, and need not exist. Each engine decides in `run` what
 * has to happen before an operation.
 */
export abstract class AccountHandle implements AccountStore {
  /** Runs an operation on the account. Never throws. */
  protected abstract run<T>(work: (account: AccountStore) => Promise<T>): Promise<T>;

  abstract beginLoad(): Promise<TableLoad>;

  createTable(name: TableName): Promise<CreateTableOutcome> {
    return this.run((account) => account.createTable(name));
  }

  deleteTable(name: string): Promise<DeleteTableOutcome> {
    return this.run((account) => account.deleteTable(name));
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.run((account) => account.findTable(name));
  }

  listTables(params: ListTablesParams): Promise<TablePage> {
    return this.run((account) => account.listTables(params));
  }

  getTableAcl(table: string): Promise<GetTableAclOutcome> {
    return this.run((account) => account.getTableAcl(table));
  }

  setTableAcl(params: SetTableAclParams): Promise<SetTableAclOutcome> {
    return this.run((account) => account.setTableAcl(params));
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

  scan(params: ScanParams): Promise<ScanOutcome> {
    return this.run((account) => account.scan(params));
  }

  clear(): Promise<void> {
    return this.run((account) => account.clear());
  }

  clearTable(table: string): Promise<ClearTableOutcome> {
    return this.run((account) => account.clearTable(table));
  }

  openView(): Promise<AccountView> {
    return this.run((account) => account.openView());
  }

  saveSnapshot(params: SaveSnapshotParams): Promise<SaveSnapshotOutcome> {
    return this.run((account) => account.saveSnapshot(params));
  }

  restoreSnapshot(params: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome> {
    return this.run((account) => account.restoreSnapshot(params));
  }

  listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.run((account) => account.listSnapshots());
  }

  deleteSnapshot(name: string): Promise<DeleteSnapshotOutcome> {
    return this.run((account) => account.deleteSnapshot(name));
  }
}

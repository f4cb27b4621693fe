import type { Database } from 'better-sqlite3';
import type { EntityKey } from '../../../model/entity.ts';
import type { Mutation } from '../../../model/mutation.ts';
import type { SnapshotRecord } from '../../../model/snapshot.ts';
import type { TableName } from '../../../model/table-name.ts';
import { createMomentTextFormat } from '../../../model/ticks.ts';
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
  StoreOptions,
  TableAbsence,
  TablePage,
} from '../../store.ts';
import type { TableLoad } from '../../table-load.ts';
import type { CheckpointThread } from '../file/checkpoint-thread.ts';
import { Checkpoints, type CheckpointsOptions } from '../file/checkpoints.ts';
import type { DiskSpace } from '../file/disk-reserve.ts';
import { GroupCommit } from '../file/group-commit.ts';
import { encodeKeyPart } from '../file/key-order.ts';
import { readStateText } from '../file/row-text.ts';
import { prepareStatements, type Statements } from '../file/statements.ts';
import { ParticipantList } from '../participant-list.ts';
import { ColumnCache } from '../scan/column-cache.ts';
import { Scan } from '../scan/scan.ts';
import { ScanQueue } from '../scan/scan-queue.ts';
import { TableRows } from '../scan/table-rows.ts';
import { AccountViews } from './account-views.ts';
import { CommittedReads, type Reading } from './committed-reads.ts';
import { DeletedTables } from './deleted-tables.ts';
import { EntityWrites } from './entity-writes.ts';
import { RowReclaim } from './row-reclaim.ts';
import { Snapshots } from './snapshots.ts';
import { StoredServiceProperties } from './stored-service-properties.ts';
import { TableChanges } from './table-changes.ts';
import { TableCopies } from './table-copies.ts';
import { TableDirectory } from './table-directory.ts';
import { TableLoads } from './table-load.ts';
import { TimestampAllocator } from './timestamp-allocator.ts';
import { WrittenTables } from './written-tables.ts';

type StoreOptionsOfAccount = 'modelTime' | 'machineTime' | 'schedule' | 'tableDeleteDelayMs';

export interface AccountStoreOptions extends Pick<StoreOptions, StoreOptionsOfAccount> {
  /** Shared with other accounts; default: a separate one. */
  readonly cache?: ColumnCache;
  /** Runs the checkpoints of a file; default: SQLite runs them itself, within commits. */
  readonly checkpointThread?: Pick<CheckpointThread, 'prepare' | 'checkpoint'>;
  /** The disk of the file; default: a disk that cannot become full. */
  readonly disk?: DiskSpace;
  /** Runs after each commit that may have changed the service settings, before the promises of its writes resolve. */
  readonly onServiceProperties?: () => void;
  /** Converts an error of SQLite for callers; default: unchanged. */
  readonly explain?: (error: unknown) => unknown;
}

/** One account in one open SQLite database. Reads see committed state (committed-reads.ts). */
export class SqliteAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #options: AccountStoreOptions;
  readonly #statements: Statements;
  readonly #directory: TableDirectory;
  readonly #writer: GroupCommit;
  readonly #writes: EntityWrites;
  readonly #deleted: DeletedTables;
  readonly #reads: CommittedReads;
  readonly #rows: TableRows;
  readonly #tables: TableChanges;
  readonly #scans: ScanQueue;
  readonly #loads: TableLoads;
  readonly #snapshots: Snapshots;
  readonly #copies: TableCopies;
  readonly #views: AccountViews;
  readonly #written: WrittenTables;
  readonly #serviceProperties: StoredServiceProperties;
  readonly #formatMoment = createMomentTextFormat();
  readonly #timestamps: TimestampAllocator;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #reclaim: RowReclaim;
  readonly #participants: ParticipantList;

  constructor(database: Database, options: AccountStoreOptions) {
    const { machineTime, modelTime, cache = new ColumnCache(), tableDeleteDelayMs = 0, checkpointThread } = options;
    const { schedule } = options;
    this.#database = database;
    this.#options = options;
    this.#deleted = new DeletedTables({ modelTime, delayMs: tableDeleteDelayMs });
    this.#statements = prepareStatements(database);
    this.#directory = new TableDirectory(this.#statements);
    this.#rows = new TableRows(() => this.#reads.share().statements);
    this.#timestamps = new TimestampAllocator(this.#statements, modelTime);
    this.#serviceProperties = new StoredServiceProperties(this.#statements, options.onServiceProperties);
    this.#writer = this.#createWriter();
    const reading = { statements: this.#statements, directory: this.#directory };
    this.#reads = new CommittedReads(this.#writer, reading, schedule);
    this.#checkpoints = checkpointThread && this.#createCheckpoints(checkpointThread);
    this.#scans = new ScanQueue({ machineTime, schedule, whenReadable: () => this.#reads.whenReadable() });
    this.#written = new WrittenTables(cache, this.#scans);
    this.#reclaim = new RowReclaim({
      statements: this.#statements,
      write: (work) => this.#write(work, { grows: false }),
      isOpen: () => database.open,
      keptIds: () => [...this.#loads.tableIds, ...this.#views.tableIds],
      rowsWritten: () => this.#written.count,
      isPaused: () => !this.#copies.isIdle,
      disk: options.disk,
      schedule,
    });
    this.#tables = new TableChanges({
      statements: this.#statements,
      directory: this.#directory,
      deleted: this.#deleted,
      written: this.#written,
      timestamps: this.#timestamps,
      serviceProperties: this.#serviceProperties,
      reclaim: this.#reclaim,
    });
    this.#loads = new TableLoads({
      statements: this.#statements,
      writer: this.#writer,
      timestamps: this.#timestamps,
      tables: this.#tables,
      reclaim: this.#reclaim,
    });
    this.#snapshots = new Snapshots({
      statements: this.#statements,
      timestamps: this.#timestamps,
      tables: this.#tables,
    });
    this.#copies = new TableCopies({
      statements: this.#statements,
      machineTime,
      write: (work, growth) => this.#write(work, growth),
      reclaim: this.#reclaim,
      tables: this.#tables,
      checkpoints: this.#checkpoints,
    });
    this.#views = new AccountViews({
      statements: this.#statements,
      rows: this.#rows,
      cache,
      machineTime,
      read: (work) => this.#read(work),
      reclaim: this.#reclaim,
    });
    this.#writes = this.#createWrites();
    this.#participants = new ParticipantList([
      ...[this.#reads, this.#timestamps, this.#directory, this.#deleted, this.#loads, this.#written],
      ...[this.#serviceProperties, this.#scans, this.#views, this.#copies, this.#reclaim, this.#writer],
      ...(this.#checkpoints ? [this.#checkpoints] : []),
    ]);
    this.#reclaim.start();
  }

  /** Whether the account can be closed without interrupting work or losing state. */
  get isIdle(): boolean {
    return this.#participants.isIdle;
  }

  /** Whether rows can be stored on a full disk, in free pages of the file that will not be returned. */
  get keepsFreePages(): boolean {
    return this.#checkpoints?.keepsFreePages === true;
  }

  /** Must be called when the disk is full: returns free space of the file to the disk immediately. */
  freeSpace(): void {
    this.#reclaim.start();
    this.#checkpoints?.hurry();
  }

  /** The most memory that SQLite uses for pages of the file, rounded down to KiB. It fills as pages are used. */
  get pageCacheBytes(): number {
    return -1024 * (this.#database.pragma('cache_size', { simple: true }) as number);
  }

  set pageCacheBytes(bytes: number) {
    this.#database.pragma(`cache_size = -${Math.floor(bytes / 1024)}`);
  }

  createTable(name: TableName): Promise<CreateTableOutcome> {
    return this.#write(() => this.#tables.create(name));
  }

  deleteTable(name: string): Promise<DeleteTableOutcome> {
    return this.#write(() => this.#tables.delete(name), { grows: false });
  }

  clearTable(name: string): Promise<ClearTableOutcome> {
    return this.#write(() => this.#tables.clear(name), { grows: false });
  }

  async clear(): Promise<void> {
    await this.#write(() => this.#tables.deleteAll(), { grows: false });
  }

  async beginLoad(): Promise<TableLoad> {
    return this.#loads.begin();
  }

  saveSnapshot({ name, table }: SaveSnapshotParams): Promise<SaveSnapshotOutcome> {
    return this.#write(() => {
      const found = table === undefined ? undefined : this.#directory.find(table);
      if (table !== undefined && !found) return { kind: this.#deleted.absenceOf(table) };
      return this.#snapshots.save(name, found?.id);
    });
  }

  restoreSnapshot(params: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome> {
    return this.#write(() => this.#snapshots.restore(params), { grows: false });
  }

  listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.#read(({ statements }) => this.#snapshots.list(statements));
  }

  deleteSnapshot(name: string): Promise<DeleteSnapshotOutcome> {
    return this.#write(() => this.#snapshots.delete(name), { grows: false });
  }

  async openView(): Promise<AccountView> {
    await this.#writer.whenClosed();
    return this.#read(() => this.#views.open());
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.#read(({ directory }) => {
      const table = directory.find(name);
      return table ? { kind: 'found', table: table.record } : { kind: this.#deleted.absenceOf(name) };
    });
  }

  listTables({ from = '', limit }: ListTablesParams): Promise<TablePage> {
    return this.#read(({ directory }) => directory.list(from, limit));
  }

  getTableAcl(table: string): Promise<GetTableAclOutcome> {
    return this.#read(({ statements, directory }) => {
      const found = directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      return { kind: 'found', acl: (statements.getTableAcl.get(found.id) as string | null) ?? undefined };
    });
  }

  setTableAcl({ table, acl }: SetTableAclParams): Promise<SetTableAclOutcome> {
    return this.#write(() => {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      this.#statements.setTableAcl.run(acl, found.id);
      return { kind: 'set' };
    });
  }

  getServiceProperties(): Promise<string | undefined> {
    return this.#read(({ statements }) => this.#serviceProperties.get(statements));
  }

  async updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    const outcome = await this.#write(() => this.#serviceProperties.update(change));
    if (outcome.kind === 'threw') throw outcome.error;
  }

  get(table: string, { partitionKey, rowKey }: EntityKey): Promise<GetOutcome> {
    return this.#read(({ statements, directory }) => {
      const found = directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      const text = statements.getEntity.get(found.id, encodeKeyPart(partitionKey), encodeKeyPart(rowKey));
      if (text === undefined) return { kind: 'missing' };
      const { seconds, fraction, properties } = readStateText(text as string);
      const timestamp = this.#formatMoment(seconds, fraction);
      return { kind: 'found', entity: { partitionKey, rowKey, timestamp, properties } };
    });
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    return this.#writes.apply(table, mutations);
  }

  async scan(params: ScanParams): Promise<ScanOutcome> {
    const { table, filter } = params;
    const wait = this.#reads.whenReadable();
    if (wait) await wait;
    try {
      const found = this.#reads.reading.directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      const scan = new Scan(params, {
        tableId: found.id,
        rows: this.#rows,
        blocks: this.#written.blocksOf(found.id),
        machineTime: this.#options.machineTime,
      });
      // Without a filter every row belongs to the page, and its size is bounded, so it is read in one turn.
      if (!filter) {
        this.#scans.makeWay();
        return scan.readWhole();
      }
      return await this.#scans.run(scan, () => this.#absenceOf(table, found.id));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Completes the writes that have begun, then releases the file. */
  async close(): Promise<void> {
    await this.drained();
    this.closeIdle();
  }

  /** Completes the writes that have begun. */
  drained(): Promise<void> {
    return this.#participants.settled();
  }

  /**
   * Closes the account's file immediately. Must not be called while a write is in progress. Reclaiming of rows
   * continues when the account is opened again.
   */
  closeIdle(): void {
    this.#participants.close();
    this.#database.close();
  }

  #createCheckpoints(thread: CheckpointsOptions['thread']): Checkpoints {
    const { machineTime, disk, schedule } = this.#options;
    const parts = { statements: this.#statements, writer: this.#writer, machineTime, disk, schedule };
    return new Checkpoints({ ...parts, thread, endReads: () => this.#reads.end() });
  }

  #createWrites(): EntityWrites {
    return new EntityWrites({
      statements: this.#statements,
      directory: this.#directory,
      deleted: this.#deleted,
      views: this.#views,
      copies: this.#copies,
      timestamps: this.#timestamps,
      written: this.#written,
      writer: this.#writer,
    });
  }

  #createWriter(): GroupCommit {
    const { machineTime, schedule } = this.#options;
    return new GroupCommit({
      statements: this.#statements,
      machineTime,
      ...(schedule && { schedule }),
      refuse: (job) => this.#checkpoints?.refuse(job),
      beforeBegin: () => this.#reads.end(),
      beforeCommit: () => this.#participants.beforeCommit(),
      afterCommit: () => this.#participants.committed(),
      onRollback: (error) => {
        const explained = this.#explain(error);
        this.#participants.rolledBack();
        return explained;
      },
    });
  }

  /** Runs a read on committed state, in one transaction with the other reads of the turn. */
  async #read<T>(work: (reading: Reading) => T): Promise<T> {
    this.#scans.makeWay();
    const wait = this.#reads.whenReadable();
    if (wait) await wait;
    try {
      return work(this.#reads.share());
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** `grows` is false for writes that free space, now or later. They still work when the disk is full. */
  #write<T extends { kind: string }>(work: () => T, { grows } = { grows: true }): Promise<T> {
    return this.#writer.write(() => ({ keep: true, result: work() }), { needsSavepoint: false, grows });
  }

  #explain(error: unknown): unknown {
    return this.#options.explain ? this.#options.explain(error) : error;
  }

  #absenceOf(table: string, tableId: number): TableAbsence | undefined {
    return this.#reads.reading.directory.find(table)?.id === tableId ? undefined : this.#deleted.absenceOf(table);
  }
}

import type { Database } from 'better-sqlite3';
import type { EntityKey } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import { type TableName, tableLookup } from '../../model/table-name.ts';
import { createMomentFormat, createTicksFormat, type Ticks, ticksFromMs } from '../../model/ticks.ts';
import type {
  AccountStore,
  AppliedEntity,
  ApplyOutcome,
  FindTableOutcome,
  GetOutcome,
  ListTables,
  ScanOutcome,
  ScanRequest,
  StoreOptions,
  TableAbsence,
  TableLoad,
  TablePage,
  TableRecord,
} from '../store.ts';
import { attempt } from './attempt.ts';
import { ColumnCache, TableBlocks } from './column-cache.ts';
import { DeletedTables } from './deleted-tables.ts';
import { GroupCommit } from './group-commit.ts';
import { encodeKeyPart } from './key-order.ts';
import { type Moment, MutationWriter } from './mutation-writer.ts';
import { RowReclaim } from './row-reclaim.ts';
import { readStateText } from './row-text.ts';
import { Scan } from './scan.ts';
import { ScanQueue } from './scan-queue.ts';
import { SharedRead } from './shared-read.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { TableDirectory } from './table-directory.ts';
import { TableLoads } from './table-load.ts';
import { TableRows } from './table-rows.ts';

export interface AccountStoreOptions extends Pick<StoreOptions, 'modelTime' | 'machineTime' | 'tableDeleteDelayMs'> {
  /** Shared with other accounts; default: a separate one. */
  readonly cache?: ColumnCache;
  /** Runs after each commit that may have changed the settings of the service, before its jobs are answered. */
  readonly onServiceProperties?: () => void;
  /** Converts an error of SQLite for callers; default: unchanged. */
  readonly explain?: (error: unknown) => unknown;
}

/** What a group of writes has touched: an entity, or a table that was deleted, cleared or replaced by a loaded one. */
interface Written {
  readonly tableId: number;
  readonly what: EntityKey | 'deleted' | 'cleared' | 'replaced';
}

/** One account over one open SQLite database. Reads run at once on the writer's connection, between its groups. */
export class SqliteAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #options: AccountStoreOptions;
  readonly #statements: Statements;
  readonly #directory: TableDirectory;
  readonly #writer: GroupCommit;
  readonly #mutations: MutationWriter;
  readonly #deleted: DeletedTables;
  readonly #reads: SharedRead;
  readonly #rows: TableRows;
  readonly #cache: ColumnCache;
  readonly #scans: ScanQueue;
  readonly #reclaim: RowReclaim;
  /** By table id. */
  readonly #blocks = new Map<number, TableBlocks>();
  readonly #loads: TableLoads;
  /** What the current group of writes has touched. */
  readonly #written: Written[] = [];
  #hasWrittenProperties = false;
  readonly #formatMoment = createMomentFormat();
  readonly #formatTicks = createTicksFormat();
  #lastTicks: Ticks;
  #storedTicks: Ticks;

  constructor(database: Database, options: AccountStoreOptions) {
    const { machineTime, modelTime, cache = new ColumnCache(), tableDeleteDelayMs = 0 } = options;
    this.#database = database;
    this.#options = options;
    this.#cache = cache;
    this.#deleted = new DeletedTables({ modelTime, delayMs: tableDeleteDelayMs });
    this.#statements = prepareStatements(database);
    this.#directory = new TableDirectory(this.#statements);
    this.#mutations = new MutationWriter(this.#statements, this.#formatMoment);
    this.#reads = new SharedRead(this.#statements);
    this.#rows = new TableRows(this.#statements, () => this.#reads.share());
    this.#lastTicks = this.#storedTicks = this.#statements.lastTicks.get() as Ticks;
    this.#writer = new GroupCommit({
      statements: this.#statements,
      machineTime,
      beforeBegin: () => this.#reads.end(),
      beforeCommit: () => this.#storeTicks(),
      afterCommit: () => this.#announceWrites(),
      onRollback: (error) => {
        this.#forget();
        return this.#explain(error);
      },
    });
    this.#scans = new ScanQueue({ machineTime, whenReadable: () => this.#writer.whenClosed() });
    this.#loads = new TableLoads({
      statements: this.#statements,
      write: (work, writeOptions) => this.#writer.write(work, writeOptions),
      nextTicks: () => this.#nextMoment().ticks,
      passTicks: (ticks) => {
        if (ticks > this.#lastTicks) this.#lastTicks = ticks;
      },
      isBeingDeleted: (name) => this.#deleted.has(name) && !this.#directory.find(name),
      removeTable: (name) => this.#removeTable(name),
      removeAll: () => this.#removeAll(),
      onEnd: () => this.#reclaim.start(),
    });
    this.#reclaim = new RowReclaim({
      statements: this.#statements,
      write: (work) => this.#write(work),
      isOpen: () => database.open,
      loading: this.#loads.tableIds,
    });
    this.#reclaim.start();
  }

  /** Whether closing would interrupt or forget nothing. */
  get isIdle(): boolean {
    const isWorking = !this.#writer.isIdle || !this.#scans.isEmpty || !this.#reclaim.isIdle || !this.#loads.isEmpty;
    return !isWorking && this.#deleted.isEmpty;
  }

  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }> {
    return this.#write(() => {
      // If the transaction of a deletion failed, the table still exists.
      if (this.#deleted.has(name) && !this.#directory.find(name)) return { kind: 'tableBeingDeleted' };
      const { ticks, timestamp } = this.#nextMoment();
      const { changes } = this.#statements.insertTable.run(name, tableLookup(name), ticks);
      if (changes === 0) return { kind: 'exists' };
      return { kind: 'created', table: { name, createdAt: timestamp } };
    });
  }

  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }> {
    return this.#write(() => {
      const table = this.#directory.find(name);
      if (!table) return { kind: 'missing' };
      this.#directory.forget();
      this.#statements.deleteTable.run(table.id);
      this.#statements.markDropped.run(table.id);
      this.#deleted.add(name);
      this.#written.push({ tableId: table.id, what: 'deleted' });
      this.#reclaim.start();
      return { kind: 'deleted' };
    });
  }

  clearTable(name: string): Promise<{ kind: 'cleared' } | { kind: TableAbsence }> {
    return this.#write(() => {
      const table = this.#directory.find(name);
      if (!table) return { kind: this.#deleted.absenceOf(name) };
      this.#directory.forget();
      this.#statements.renewTable.run(table.id);
      this.#statements.markDropped.run(table.id);
      this.#written.push({ tableId: table.id, what: 'cleared' });
      this.#reclaim.start();
      return { kind: 'cleared' };
    });
  }

  async clear(): Promise<void> {
    await this.#write(() => {
      this.#removeAll();
      this.#reclaim.start();
      return { kind: 'cleared' };
    });
  }

  async beginLoad(): Promise<TableLoad> {
    return this.#loads.begin();
  }

  findTable(name: string): Promise<FindTableOutcome> {
    return this.#read(() => {
      const table = this.#directory.find(name);
      return table ? { kind: 'found', table: table.record } : { kind: this.#deleted.absenceOf(name) };
    });
  }

  listTables({ from = '', limit }: ListTables): Promise<TablePage> {
    return this.#read(() => this.#directory.list(from, limit));
  }

  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }> {
    return this.#read(() => {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      return { kind: 'found', acl: (this.#statements.getTableAcl.get(found.id) as string | null) ?? undefined };
    });
  }

  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }> {
    return this.#write(() => {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      this.#statements.setTableAcl.run(acl, found.id);
      return { kind: 'set' };
    });
  }

  getServiceProperties(): Promise<string | undefined> {
    return this.#read(() => this.#serviceProperties());
  }

  async updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    const outcome = await this.#write(() => {
      // An error that `change` throws must not fail the group.
      const changed = attempt(() => change(this.#serviceProperties()));
      if (changed.kind === 'returned') {
        this.#statements.setServiceProperties.run(changed.value);
        this.#hasWrittenProperties = true;
      }
      return changed;
    });
    if (outcome.kind === 'threw') throw outcome.error;
  }

  get(table: string, { partitionKey, rowKey }: EntityKey): Promise<GetOutcome> {
    return this.#read(() => {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      const text = this.#statements.getEntity.get(found.id, encodeKeyPart(partitionKey), encodeKeyPart(rowKey));
      if (text === undefined) return { kind: 'missing' };
      const { seconds, fraction, properties } = readStateText(text as string);
      const timestamp = this.#formatMoment(seconds, fraction);
      return { kind: 'found', entity: { partitionKey, rowKey, timestamp, properties } };
    });
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const entities: AppliedEntity[] = [];
    return this.#writer.write(
      (isTimeOver) => {
        const result = this.#applyMore(table, mutations, { entities, isTimeOver });
        return result && { keep: result.kind === 'applied', result };
      },
      { needsSavepoint: mutations.length > 1 },
    );
  }

  async scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    const wait = this.#writer.whenClosed();
    if (wait) await wait;
    try {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      const scan = new Scan(request, {
        tableId: found.id,
        rows: this.#rows,
        blocks: this.#blocksOf(found.id),
        machineTime: this.#options.machineTime,
      });
      // Without a filter every row belongs to the page, which is bounded: it is read in one turn.
      const page = request.filter ? undefined : scan.advance(Number.POSITIVE_INFINITY);
      return page ?? (await this.#scans.run(scan, () => this.#absenceOf(table, found.id)));
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
    return this.#writer.drained();
  }

  /** Releases the file at once; only for a store that has no write in progress. Reclaiming goes on when it is opened again. */
  closeIdle(): void {
    this.#scans.close();
    for (const blocks of this.#blocks.values()) blocks.clear();
    this.#reclaim.stop();
    this.#reads.end();
    this.#database.close();
  }

  /** How much of the file SQLite may keep in memory; set to whole KiB. */
  get pageCacheBytes(): number {
    return -1024 * (this.#database.pragma('cache_size', { simple: true }) as number);
  }

  set pageCacheBytes(bytes: number) {
    this.#database.pragma(`cache_size = -${Math.floor(bytes / 1024)}`);
  }

  /** Continues after the mutations whose results are in `entities`; undefined if the time is over before the last one. */
  #applyMore(
    name: string,
    mutations: readonly Mutation[],
    { entities, isTimeOver }: { readonly entities: AppliedEntity[]; readonly isTimeOver: () => boolean },
  ): ApplyOutcome | undefined {
    const table = this.#directory.find(name);
    if (!table) return { kind: this.#deleted.absenceOf(name) };
    for (let at = entities.length; at < mutations.length; at++) {
      const mutation = mutations[at] as Mutation;
      const outcome = this.#mutations.apply(table.id, mutation, this.#nextMoment());
      if ('kind' in outcome) return { ...outcome, failedAt: at };
      entities.push(outcome);
      this.#written.push({ tableId: table.id, what: mutation });
      if (at + 1 < mutations.length && isTimeOver()) return undefined;
    }
    return { kind: 'applied', entities };
  }

  /** Runs a read on committed state, in one transaction with the other reads of the turn. */
  async #read<T>(work: () => T): Promise<T> {
    const wait = this.#writer.whenClosed();
    if (wait) await wait;
    try {
      this.#reads.share();
      return work();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #write<T extends { kind: string }>(work: () => T): Promise<T> {
    return this.#writer.write(() => ({ keep: true, result: work() }), { needsSavepoint: false });
  }

  #explain(error: unknown): unknown {
    return this.#options.explain ? this.#options.explain(error) : error;
  }

  #removeAll(): void {
    this.#directory.forget();
    this.#statements.markAllDropped.run();
    this.#statements.deleteTables.run();
    this.#statements.setServiceProperties.run(null);
    this.#hasWrittenProperties = true;
    this.#deleted.freeAll();
    for (const tableId of this.#blocks.keys()) this.#written.push({ tableId, what: 'deleted' });
  }

  /** Makes room for a loaded table. */
  #removeTable(name: string): void {
    const table = this.#directory.find(name);
    this.#directory.forget();
    if (!table) return;
    this.#statements.deleteTable.run(table.id);
    this.#statements.markDropped.run(table.id);
    this.#written.push({ tableId: table.id, what: 'replaced' });
  }

  #serviceProperties(): string | undefined {
    return (this.#statements.getServiceProperties.get() as string | null) ?? undefined;
  }

  #nextMoment(): Moment {
    const now = ticksFromMs(this.#options.modelTime.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return { ticks: this.#lastTicks, timestamp: this.#formatTicks(this.#lastTicks) };
  }

  #storeTicks(): void {
    if (this.#lastTicks === this.#storedTicks) return;
    this.#statements.setLastTicks.run(this.#lastTicks);
    this.#storedTicks = this.#lastTicks;
  }

  #blocksOf(tableId: number): TableBlocks {
    const known = this.#blocks.get(tableId);
    if (known) return known;
    const blocks = new TableBlocks(this.#cache);
    this.#blocks.set(tableId, blocks);
    return blocks;
  }

  #absenceOf(table: string, tableId: number): TableAbsence | undefined {
    return this.#directory.find(table)?.id === tableId ? undefined : this.#deleted.absenceOf(table);
  }

  /** Invalidates cached blocks, and notifies scans and listeners, after a commit. */
  #announceWrites(): void {
    for (const { tableId, what } of this.#written.splice(0)) {
      if (typeof what === 'object') {
        this.#blocks.get(tableId)?.invalidate(what);
        this.#scans.noteChange(tableId, what);
      } else {
        this.#blocks.get(tableId)?.clear();
        this.#blocks.delete(tableId);
        if (what === 'cleared') this.#scans.noteCleared(tableId);
        if (what === 'replaced') this.#scans.noteReplaced(tableId);
      }
    }
    this.#deleted.keep();
    if (this.#hasWrittenProperties) this.#options.onServiceProperties?.();
    this.#hasWrittenProperties = false;
  }

  #forget(): void {
    this.#written.length = 0;
    this.#hasWrittenProperties = false;
    this.#directory.forget();
    this.#deleted.undo();
    this.#storedTicks = -1n;
  }
}

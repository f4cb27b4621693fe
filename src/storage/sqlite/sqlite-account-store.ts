import type { Database } from 'better-sqlite3';
import type { Clock } from '../../model/clock.ts';
import type { EntityKey } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import { type TableName, tableLookup } from '../../model/table-name.ts';
import { createMomentFormat, createTicksFormat, type Ticks, ticksFromMs } from '../../model/ticks.ts';
import type {
  AccountStore,
  AppliedEntity,
  ApplyOutcome,
  GetOutcome,
  ListTables,
  ScanOutcome,
  ScanRequest,
  TableAbsence,
  TablePage,
  TableRecord,
} from '../store.ts';
import { applyMutation, type Moment } from './apply-mutation.ts';
import { Collisions } from './collisions.ts';
import { ColumnCache, TableBlocks } from './column-cache.ts';
import { DeletedTables } from './deleted-tables.ts';
import { GroupCommit } from './group-commit.ts';
import { encodeKeyPart } from './key-order.ts';
import { RowReclaim } from './row-reclaim.ts';
import { Scan } from './scan.ts';
import { ScanQueue } from './scan-queue.ts';
import { SharedRead } from './shared-read.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { TableDirectory } from './table-directory.ts';
import { TableRows } from './table-rows.ts';

/** A row of `getEntity`. */
type StoredState = [seconds: number, fraction: number, properties: string];

export interface AccountStoreOptions {
  readonly clock: Clock;
  /** Shared with other accounts; default: one of its own. */
  readonly cache?: ColumnCache;
  /** How long the name of a deleted table is not free; default 0. */
  readonly tableDeleteDelayMs?: number;
}

/** One account over one SQLite database. Reads run at once on the writer's connection, between its groups. */
export class SqliteAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #directory: TableDirectory;
  readonly #writer: GroupCommit;
  readonly #clock: Clock;
  readonly #deleted: DeletedTables;
  readonly #reads: SharedRead;
  readonly #rows: TableRows;
  readonly #cache: ColumnCache;
  readonly #nowMs: () => number;
  readonly #scans: ScanQueue;
  /** By table id. */
  readonly #blocks = new Map<number, TableBlocks>();
  /** What the current group of writes has touched. */
  readonly #written: { readonly tableId: number; readonly what: EntityKey | 'deleted' | 'cleared' }[] = [];
  readonly #collisions = new Collisions();
  readonly #formatMoment = createMomentFormat();
  readonly #formatTicks = createTicksFormat();
  #lastTicks: Ticks;
  #storedTicks: Ticks;
  readonly #reclaim: RowReclaim;

  constructor(database: Database, { clock, cache = new ColumnCache(), tableDeleteDelayMs = 0 }: AccountStoreOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#cache = cache;
    this.#deleted = new DeletedTables({ clock, delayMs: tableDeleteDelayMs });
    this.#statements = prepareStatements(database);
    this.#directory = new TableDirectory(this.#statements);
    this.#reads = new SharedRead(this.#statements);
    this.#rows = new TableRows(this.#statements, () => this.#reads.share());
    this.#nowMs = () => performance.now();
    this.#scans = new ScanQueue(this.#nowMs);
    this.#lastTicks = this.#storedTicks = this.#statements.lastTicks.get() as Ticks;
    this.#writer = new GroupCommit({
      database,
      statements: this.#statements,
      beforeBegin: () => this.#reads.end(),
      beforeCommit: () => this.#storeTicks(),
      afterCommit: () => this.#announceWrites(),
      onRollback: () => this.#forget(),
    });
    this.#reclaim = new RowReclaim({
      statements: this.#statements,
      write: (work) => this.#write(work),
      isOpen: () => database.open,
    });
    this.#reclaim.start();
  }

  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }> {
    return this.#write(() => {
      // A deletion that was lost with its transaction left the table where it was.
      if (this.#deleted.has(name) && !this.#directory.find(name)) return { kind: 'tableBeingDeleted' };
      const ticks = this.#nextTicks();
      const { changes } = this.#statements.insertTable.run(name, tableLookup(name), ticks);
      if (changes === 0) return { kind: 'exists' };
      return { kind: 'created', table: { name, createdTicks: String(ticks) } };
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
      this.#directory.forget();
      this.#statements.markAllDropped.run();
      this.#statements.deleteTables.run();
      this.#statements.setServiceProperties.run(null);
      this.#deleted.freeAll();
      for (const tableId of this.#blocks.keys()) this.#written.push({ tableId, what: 'deleted' });
      this.#reclaim.start();
      return { kind: 'cleared' };
    });
  }

  async findTable(name: string): Promise<TableRecord | undefined> {
    const row = this.#directory.find(name);
    return row && { name: row.name, createdTicks: row.createdTicks };
  }

  async listTables({ from = '', limit }: ListTables): Promise<TablePage> {
    const rows = this.#statements.listTables.all(from, limit + 1) as TableRecord[];
    const next = rows[limit];
    return next ? { tables: rows.slice(0, limit), next } : { tables: rows };
  }

  async getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }> {
    const found = this.#directory.find(table);
    if (!found) return { kind: this.#deleted.absenceOf(table) };
    return { kind: 'found', acl: (this.#statements.getTableAcl.get(found.id) as string | null) ?? undefined };
  }

  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }> {
    return this.#write(() => {
      const found = this.#directory.find(table);
      if (!found) return { kind: this.#deleted.absenceOf(table) };
      this.#statements.setTableAcl.run(acl, found.id);
      return { kind: 'set' };
    });
  }

  async getServiceProperties(): Promise<string | undefined> {
    return (this.#statements.getServiceProperties.get() as string | null) ?? undefined;
  }

  async setServiceProperties(properties: string): Promise<void> {
    await this.#write(() => {
      this.#statements.setServiceProperties.run(properties);
      return { kind: 'set' };
    });
  }

  async get(table: string, { partitionKey, rowKey }: EntityKey): Promise<GetOutcome> {
    const found = this.#directory.find(table);
    if (!found) return { kind: this.#deleted.absenceOf(table) };
    this.#reads.share();
    const row = this.#statements.getEntity.get(found.id, encodeKeyPart(partitionKey), encodeKeyPart(rowKey));
    if (!row) return { kind: 'missing' };
    const [seconds, fraction, properties] = row as StoredState;
    const timestamp = this.#formatMoment(seconds, fraction);
    return { kind: 'found', entity: { partitionKey, rowKey, timestamp, properties } };
  }

  get collisions(): number {
    return this.#collisions.count;
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const isTransaction = mutations.length > 1;
    const applied = this.#writer.write(
      () => {
        const result = this.#applyAll(table, mutations);
        return { keep: result.kind === 'applied', result };
      },
      { needsSavepoint: isTransaction },
    );
    return isTransaction ? this.#collisions.watch(table, mutations, applied) : applied;
  }

  async scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    const found = this.#directory.find(table);
    if (!found) return { kind: this.#deleted.absenceOf(table) };
    const scan = new Scan(request, {
      tableId: found.id,
      rows: this.#rows,
      blocks: this.#blocksOf(found.id),
      nowMs: this.#nowMs,
    });
    // Without a filter the index bounds a page: it is read in one go.
    const page = request.filter ? undefined : scan.advance(Number.POSITIVE_INFINITY);
    return page ?? this.#scans.run(scan, () => this.#absenceOf(table, found.id));
  }

  async close(): Promise<void> {
    await this.#writer.drained();
    this.#scans.close();
    for (const blocks of this.#blocks.values()) blocks.clear();
    this.#reclaim.stop();
    this.#reads.end();
    this.#database.close();
  }

  #applyAll(name: string, mutations: readonly Mutation[]): ApplyOutcome {
    const table = this.#directory.find(name);
    if (!table) return { kind: this.#deleted.absenceOf(name) };
    const entities: AppliedEntity[] = [];
    for (const mutation of mutations) {
      const outcome = applyMutation(this.#statements, table.id, mutation, this.#nextMoment());
      if (typeof outcome === 'string') return { kind: outcome, failedAt: entities.length };
      entities.push(outcome);
      this.#written.push({ tableId: table.id, what: mutation });
    }
    return { kind: 'applied', entities };
  }

  #write<T extends { kind: string }>(work: () => T): Promise<T> {
    return this.#writer.write(() => ({ keep: true, result: work() }), { needsSavepoint: false });
  }

  #nextTicks(): Ticks {
    const now = ticksFromMs(this.#clock.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return this.#lastTicks;
  }

  #nextMoment(): Moment {
    const ticks = this.#nextTicks();
    return { ticks, timestamp: this.#formatTicks(ticks) };
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

  /** What was read before is read again where a commit has changed it. */
  #announceWrites(): void {
    for (const { tableId, what } of this.#written.splice(0)) {
      if (typeof what === 'object') {
        this.#blocks.get(tableId)?.invalidate(what);
        this.#scans.noteChange(tableId, what);
      } else {
        this.#blocks.get(tableId)?.clear();
        this.#blocks.delete(tableId);
        if (what === 'cleared') this.#scans.noteCleared(tableId);
      }
    }
    this.#deleted.keep();
  }

  #forget(): void {
    this.#written.length = 0;
    this.#directory.forget();
    this.#deleted.undo();
    this.#storedTicks = -1n;
  }
}

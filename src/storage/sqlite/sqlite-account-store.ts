import type { Database } from 'better-sqlite3';
import type { Clock } from '../../model/clock.ts';
import type { EntityKey, EntityRecord } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import { type TableName, tableLookup } from '../../model/table-name.ts';
import { createMomentFormat, type Ticks, ticksFromMs } from '../../model/ticks.ts';
import type {
  AccountStore,
  AppliedEntity,
  ApplyOutcome,
  GetOutcome,
  ListTables,
  ScanOutcome,
  ScanRequest,
  TablePage,
  TableRecord,
} from '../store.ts';
import { applyMutation } from './apply-mutation.ts';
import { DeletedTables } from './deleted-tables.ts';
import { GroupCommit } from './group-commit.ts';
import { decodeKeyPart, encodeKeyPart } from './key-order.ts';
import { SharedRead } from './shared-read.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { TableDirectory } from './table-directory.ts';

/** A row of `getEntity`. */
type StoredState = [seconds: number, fraction: number, properties: string];
/** A row of `scanEntities`. */
type StoredEntity = [partitionKey: string, rowKey: string, ...state: StoredState];

/** Rows of deleted tables given back at a time, between other work. */
const reclaimRowsMax = 500;

export interface AccountStoreOptions {
  readonly clock: Clock;
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
  readonly #formatMoment = createMomentFormat();
  #lastTicks: Ticks;
  #storedTicks: Ticks;
  #reclaiming: NodeJS.Immediate | undefined;

  constructor(database: Database, { clock, tableDeleteDelayMs = 0 }: AccountStoreOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#deleted = new DeletedTables({ clock, delayMs: tableDeleteDelayMs });
    this.#statements = prepareStatements(database);
    this.#directory = new TableDirectory(this.#statements);
    this.#reads = new SharedRead(this.#statements);
    this.#lastTicks = this.#storedTicks = this.#statements.lastTicks.get() as Ticks;
    this.#writer = new GroupCommit({
      database,
      statements: this.#statements,
      beforeBegin: () => this.#reads.end(),
      beforeCommit: () => this.#storeTicks(),
      onRollback: () => this.#forget(),
    });
    this.#reclaim();
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
      this.#reclaim();
      return { kind: 'deleted' };
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

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    return this.#writer.write(
      () => {
        const result = this.#applyAll(table, mutations);
        return { keep: result.kind === 'applied', result };
      },
      { needsSavepoint: mutations.length > 1 },
    );
  }

  async scan(table: string, { range, limit, bytesMax }: ScanRequest): Promise<ScanOutcome> {
    const found = this.#directory.find(table);
    if (!found) return { kind: this.#deleted.absenceOf(table) };
    const from = [encodeKeyPart(range.from?.partitionKey ?? ''), encodeKeyPart(range.from?.rowKey ?? '')];
    const rows = this.#statements.scanEntities.iterate(found.id, ...from, limit + 1);
    const entities: EntityRecord[] = [];
    let bytes = 0;
    for (const row of rows as IterableIterator<StoredEntity>) {
      const entity = this.#toRecord(row);
      bytes += entity.properties.length;
      if (entities.length === limit || (entities.length > 0 && bytes > bytesMax)) {
        return { kind: 'page', entities, next: { partitionKey: entity.partitionKey, rowKey: entity.rowKey } };
      }
      entities.push(entity);
    }
    return { kind: 'page', entities };
  }

  async close(): Promise<void> {
    await this.#writer.drained();
    if (this.#reclaiming) clearImmediate(this.#reclaiming);
    this.#reads.end();
    this.#database.close();
  }

  #applyAll(name: string, mutations: readonly Mutation[]): ApplyOutcome {
    const table = this.#directory.find(name);
    if (!table) return { kind: this.#deleted.absenceOf(name) };
    const entities: AppliedEntity[] = [];
    for (const mutation of mutations) {
      const outcome = applyMutation(this.#statements, table.id, mutation, this.#nextTicks());
      if (typeof outcome === 'string') return { kind: outcome, failedAt: entities.length };
      entities.push(outcome);
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

  #storeTicks(): void {
    if (this.#lastTicks === this.#storedTicks) return;
    this.#statements.setLastTicks.run(this.#lastTicks);
    this.#storedTicks = this.#lastTicks;
  }

  #toRecord([partitionKey, rowKey, seconds, fraction, properties]: StoredEntity): EntityRecord {
    return {
      partitionKey: decodeKeyPart(partitionKey),
      rowKey: decodeKeyPart(rowKey),
      timestamp: this.#formatMoment(seconds, fraction),
      properties,
    };
  }

  #forget(): void {
    this.#directory.forget();
    this.#storedTicks = -1n;
  }

  /** Gives back the rows of deleted tables, a few a turn, until none are left; goes on after a restart. */
  #reclaim(): void {
    if (this.#reclaiming) return;
    this.#reclaiming = setImmediate(() => {
      this.#reclaiming = undefined;
      void this.#write(() => this.#reclaimSome()).then(({ kind }) => {
        if (kind === 'more' && this.#database.open) this.#reclaim();
      }, ignoreUntilNextStart);
    });
    this.#reclaiming.unref();
  }

  #reclaimSome(): { kind: 'more' | 'none' } {
    const dropped = this.#statements.nextDropped.get() as { tableId: number } | undefined;
    if (!dropped) return { kind: 'none' };
    const { changes } = this.#statements.reclaimEntities.run(dropped.tableId, reclaimRowsMax);
    if (changes < reclaimRowsMax) this.#statements.forgetDropped.run(dropped.tableId);
    return { kind: 'more' };
  }
}

/** Nothing is wrong with the data when rows of a deleted table stay a while longer. */
function ignoreUntilNextStart(): void {}

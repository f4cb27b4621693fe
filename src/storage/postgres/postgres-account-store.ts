import type { EntityKey } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { SnapshotRecord } from '../../model/snapshot.ts';
import { type TableName, tableLookup } from '../../model/table-name.ts';
import { formatTicks } from '../../model/ticks.ts';
import type { MachineTime } from '../../model/time.ts';
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
  ScanRequest,
  SetTableAclOutcome,
  SetTableAclParams,
  TableAbsence,
  TablePage,
} from '../store.ts';
import type { TableLoad } from '../table-load.ts';
import { type AccountTools, timestampOf } from './account-tools.ts';
import { openAccountView } from './account-view.ts';
import { type OpenSnapshot, RolledBack, type Row, type Run, type Values } from './database.ts';
import type { PostgresEntityWrites } from './entity-writes.ts';
import { unreachable } from './failures.ts';
import { PageRows, type Read } from './page-rows.ts';
import type { PointReads } from './point-reads.ts';
import { isReadAtOnce, PostgresScan } from './scan.ts';
import { PostgresSnapshots } from './snapshots.ts';
import { PostgresTableLoad } from './table-load.ts';
import { type TableTarget, tableTargetOf } from './table-target.ts';

export interface PostgresAccountOptions {
  readonly tools: AccountTools;
  readonly reads: PointReads;
  readonly writes: PostgresEntityWrites;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
}

/** One account in the database. It is stateless, so that any node can answer any call. */
export class PostgresAccountStore implements AccountStore {
  readonly #options: PostgresAccountOptions;
  readonly #tools: AccountTools;
  readonly #snapshots: PostgresSnapshots;

  constructor(options: PostgresAccountOptions) {
    this.#options = options;
    this.#tools = options.tools;
    this.#snapshots = new PostgresSnapshots(options.tools);
  }

  async createTable(name: TableName): Promise<CreateTableOutcome> {
    const { statements } = this.#tools.options;
    const target = { account: this.#tools.name, lookup: tableLookup(name) };
    return this.#tools.change(async (run, ticks) => {
      if ((await run(statements.findTable, [target.account, target.lookup])).length > 0) return { kind: 'exists' };
      const absence = await this.#tools.absenceOf(run, target);
      if (absence === 'tableBeingDeleted') return { kind: absence };
      await run(statements.insertTable, [target.account, target.lookup, name, ticks]);
      return { kind: 'created', table: { name, createdAt: formatTicks(ticks) } };
    });
  }

  async deleteTable(name: string): Promise<DeleteTableOutcome> {
    return this.#change(name, {
      missing: { kind: 'missing' },
      change: async (run, target) => {
        const dropped = await run(this.#tools.options.statements.deleteTable, [target.account, target.lookup]);
        if (dropped.length === 0) return { kind: 'missing' };
        await this.#tools.addDeletedName(run, target);
        return { kind: 'deleted' };
      },
    });
  }

  async clearTable(name: string): Promise<ClearTableOutcome> {
    return this.#change<ClearTableOutcome>(name, {
      missing: { kind: 'tableMissing' },
      change: async (run, target) => {
        const dropped = await run(this.#tools.options.statements.renewTable, [target.account, target.lookup]);
        return dropped.length > 0 ? { kind: 'cleared' } : { kind: await this.#tools.absenceOf(run, target) };
      },
    });
  }

  async clear(): Promise<void> {
    const { onServiceProperties, onDropped } = this.#tools.options;
    await this.#tools.change((run) => this.#tools.removeAll(run));
    onServiceProperties(this.#tools.name);
    onDropped();
  }

  async findTable(name: string): Promise<FindTableOutcome> {
    const row = await this.#find(name);
    if (!row) return { kind: await this.#absenceOf(name) };
    return { kind: 'found', table: { name: row[1] as string, createdAt: timestampOf(row[2]) } };
  }

  async listTables({ from = '', limit }: ListTablesParams): Promise<TablePage> {
    const { database, statements } = this.#tools.options;
    // Replaces U+0000, which PostgreSQL does not accept in a text. Names contain neither U+0000 nor U+0001, so the page
    // begins with the same name as without the replacement.
    const start = from.replaceAll('\u0000', '\u0001');
    const rows = await database.read(statements.listTables, [this.#tools.name, start, limit + 1]);
    const tables = rows.map(([name, ticks]) => ({ name: name as string, createdAt: timestampOf(ticks) }));
    const next = tables[limit];
    return next ? { tables: tables.slice(0, limit), next } : { tables };
  }

  async getTableAcl(name: string): Promise<GetTableAclOutcome> {
    const row = await this.#find(name);
    return row ? { kind: 'found', acl: row[3] ?? undefined } : { kind: await this.#absenceOf(name) };
  }

  async setTableAcl({ table, acl }: SetTableAclParams): Promise<SetTableAclOutcome> {
    return this.#change<SetTableAclOutcome>(table, {
      missing: { kind: 'tableMissing' },
      change: async (run, target) => {
        const { statements } = this.#tools.options;
        const found = await run(statements.setTableAcl, [target.account, target.lookup, acl]);
        return found.length > 0 ? { kind: 'set' } : { kind: await this.#tools.absenceOf(run, target) };
      },
    });
  }

  async getServiceProperties(): Promise<string | undefined> {
    const { database, statements } = this.#tools.options;
    const [row] = await database.read(statements.getServiceProperties, [this.#tools.name]);
    return row?.[0] ?? undefined;
  }

  async updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    const { statements, notify, onServiceProperties } = this.#tools.options;
    const { name } = this.#tools;
    await this.#tools.change(async (run) => {
      const [row] = await run(statements.getServiceProperties, [name]);
      await run(statements.setServiceProperties, [name, change(row?.[0] ?? undefined)]);
      await notify(run, name);
    });
    onServiceProperties(name);
  }

  get(table: string, key: EntityKey): Promise<GetOutcome> {
    const target = tableTargetOf(this.#tools.name, table);
    if (!target) return Promise.resolve({ kind: 'tableMissing' });
    const reading = this.#options.reads.get(target.account, target.lookup, key);
    return reading.then(async (outcome) => outcome ?? { kind: await this.#absenceOf(table) });
  }

  async apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const target = tableTargetOf(this.#tools.name, table);
    const outcome = target && (await this.#options.writes.apply(target, mutations));
    return outcome ?? { kind: await this.#absenceOf(table) };
  }

  async scan(params: ScanParams): Promise<ScanOutcome> {
    const { table } = params;
    const { database, statements } = this.#tools.options;
    const target = tableTargetOf(this.#tools.name, table);
    if (!target) return { kind: 'tableMissing' };
    if (!isReadAtOnce(params)) return this.#scanSnapshot(target, params);
    const read: Read = (statement, values) => database.read(statement, values);
    const place = await this.#placeOf(read, target);
    if (!place) return { kind: await this.#absenceOf(table) };
    const scan = this.#scan(place, params, read);
    const page = await scan.run();
    if (scan.hasRows || (await database.read(statements.findTable, [target.account, target.lookup])).length > 0) {
      return page;
    }
    return { kind: await this.#absenceOf(table) };
  }

  async beginLoad(): Promise<TableLoad> {
    return new PostgresTableLoad(this.#tools);
  }

  async openView(): Promise<AccountView> {
    const { database, statements, isDistributed } = this.#tools.options;
    const snapshot = await database.openSnapshot();
    if (isDistributed) await this.#beginTogether(snapshot);
    const { machineTime } = this.#options;
    return openAccountView({ account: this.#tools.name, snapshot, statements, machineTime, isDistributed });
  }

  async saveSnapshot(params: SaveSnapshotParams): Promise<SaveSnapshotOutcome> {
    return this.#snapshots.save(params);
  }

  async restoreSnapshot(params: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome> {
    return this.#snapshots.restore(params);
  }

  async listSnapshots(): Promise<readonly SnapshotRecord[]> {
    return this.#snapshots.list();
  }

  async deleteSnapshot(name: string): Promise<DeleteSnapshotOutcome> {
    return this.#snapshots.delete(name);
  }

  /** Citus workers do not share a snapshot. Therefore writers wait until each worker has begun its part. */
  async #beginTogether(snapshot: OpenSnapshot): Promise<void> {
    const { statements } = this.#tools.options;
    try {
      await this.#tools.change(async (run) => {
        await run(statements.lockTables, [this.#tools.name, null]);
        await snapshot.run(statements.touchShards, []);
        return new RolledBack(undefined);
      });
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /**
   * Returns the parameters that identify the table in the statements of a page. Over Citus, looks up the table's id,
   * and returns undefined if there is no such table.
   */
  async #placeOf(read: Read, { account, lookup }: TableTarget): Promise<Values | undefined> {
    const { statements, isDistributed } = this.#tools.options;
    if (!isDistributed) return [account, lookup];
    const [row] = await read(statements.findTable, [account, lookup]);
    return row && [row[0] as string];
  }

  /** Reads a page with several statements that all see the same state. */
  #scanSnapshot(target: TableTarget, request: ScanRequest): Promise<ScanOutcome> {
    const { database, statements } = this.#tools.options;
    let hasFetched = false;
    return database.transaction<ScanOutcome>(
      async (run) => {
        const finding = run(statements.findTable, [target.account, target.lookup]);
        const read: Read = async (statement, values) => {
          try {
            const rows = await run(statement, values);
            hasFetched = true;
            return rows;
          } catch (error) {
            // Visits have been reported, so the page cannot start over.
            throw hasFetched ? unreachable(error) : error;
          }
        };
        const place = await this.#placeOf(run, target);
        const page = place && (await this.#scan(place, request, read).run());
        return page && (await finding).length > 0 ? page : { kind: await this.#tools.absenceOf(run, target) };
      },
      { isSnapshot: true },
    );
  }

  #scan(table: Values, request: ScanRequest, read: Read): PostgresScan {
    const { statements } = this.#tools.options;
    return new PostgresScan(request, {
      rows: new PageRows(read, { statements, table }),
      machineTime: this.#options.machineTime,
    });
  }

  async #find(name: string): Promise<Row | undefined> {
    const { database, statements } = this.#tools.options;
    const target = tableTargetOf(this.#tools.name, name);
    const [row] = target ? await database.read(statements.findTable, [target.account, target.lookup]) : [];
    return row;
  }

  async #absenceOf(name: string): Promise<TableAbsence> {
    const { database } = this.#tools.options;
    const target = tableTargetOf(this.#tools.name, name);
    if (!target) return 'tableMissing';
    return this.#tools.absenceOf((statement, values) => database.read(statement, values), target);
  }

  /** Changes a table by its name in one transaction, which is rolled back if there is no such table. */
  async #change<T extends { readonly kind: string }>(
    name: string,
    { missing, change }: { readonly missing: T; readonly change: (run: Run, target: TableTarget) => Promise<T> },
  ): Promise<T> {
    const { onDropped } = this.#tools.options;
    const target = tableTargetOf(this.#tools.name, name);
    if (!target) return missing;
    const outcome = await this.#tools.change<T>(async (run) => {
      const result = await change(run, target);
      return ['deleted', 'cleared', 'set'].includes(result.kind) ? result : new RolledBack(result);
    });
    onDropped();
    return outcome;
  }
}

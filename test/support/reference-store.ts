// Implements the contract of store.ts in the simplest way: with maps, arrays that are sorted after each write, and
// copies instead of transactions. The reference store is slow, keeps data in memory, and is obviously correct. Tests
// compare the engines with it.

import type { EdmValue } from '../../src/model/edm.ts';
import { compareKeys, type EntityKey, type EntityRecord } from '../../src/model/entity.ts';
import { entityBytes } from '../../src/model/entity-limits.ts';
import { entityUnits } from '../../src/model/entity-units.ts';
import type { IfMatch } from '../../src/model/etag.ts';
import { firstKey, type KeyRange } from '../../src/model/key-range.ts';
import { entityBytesMax, propertiesMax } from '../../src/model/limits.ts';
import type { Mutation } from '../../src/model/mutation.ts';
import { decodeProperties, encodeProperties, type Properties } from '../../src/model/properties.ts';
import type { SnapshotRecord } from '../../src/model/snapshot.ts';
import type { TableName } from '../../src/model/table-name.ts';
import { formatTicks, lastDayTicks, type Ticks, writeTicksFromMs } from '../../src/model/ticks.ts';
import type { PageEnd } from '../../src/query/report.ts';
import type {
  AccountStore,
  AccountView,
  AppliedEntity,
  ApplyOutcome,
  ChangeListener,
  ClearTableOutcome,
  CreateTableOutcome,
  DeleteSnapshotOutcome,
  DeleteTableOutcome,
  FindTableOutcome,
  GetOutcome,
  GetTableAclOutcome,
  ListTablesParams,
  MutationRefusal,
  OpenStore,
  RestoreSnapshotOutcome,
  RestoreSnapshotParams,
  SaveSnapshotOutcome,
  SaveSnapshotParams,
  ScanOutcome,
  ScanPage,
  ScanParams,
  ScanRequest,
  SetTableAclOutcome,
  SetTableAclParams,
  Store,
  StoreCondition,
  StoreOptions,
  TableAbsence,
  TablePage,
  TableRecord,
  Visit,
} from '../../src/storage/store.ts';
import { snapshotsMax } from '../../src/storage/store.ts';
import type { TableLoad } from '../../src/storage/table-load.ts';
import { selects, type ValueOf } from '../unit/query/naive-filter.ts';

export const openReferenceStore: OpenStore = async (options) => new ReferenceStore(options);

export class ReferenceStore implements Store {
  readonly hearsChanges = true;
  readonly #accounts = new Map<string, ReferenceAccountStore>();
  readonly #listeners: ChangeListener[] = [];
  readonly #options: ReferenceOptions;

  constructor(options: ReferenceOptions) {
    this.#options = options;
  }

  account(name: string): AccountStore {
    const announce = (): void => {
      for (const listener of this.#listeners) listener(name, 'serviceProperties');
    };
    const account = this.#accounts.get(name) ?? new ReferenceAccountStore(this.#options, announce);
    this.#accounts.set(name, account);
    return account;
  }

  async exists(name: string): Promise<boolean> {
    return this.#accounts.get(name)?.isUsed ?? false;
  }

  async names(): Promise<readonly string[]> {
    return [...this.#accounts].flatMap(([name, { isUsed }]) => (isUsed ? [name] : [])).sort();
  }

  async openExisting(): Promise<void> {}

  /** Data in memory can neither disappear nor be damaged. */
  async check(): Promise<StoreCondition> {
    return { damaged: [], isFull: false };
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    for (const account of this.#accounts.values()) account.isClosed = true;
  }
}

type ReferenceOptions = Pick<StoreOptions, 'modelTime' | 'tableDeleteDelayMs'>;

interface ReferenceEntity extends EntityKey {
  readonly ticks: Ticks;
  readonly properties: Properties;
}

interface ReferenceTable {
  acl?: string;
  readonly record: TableRecord;
  entities: readonly ReferenceEntity[];
}

interface ReferenceSnapshot {
  readonly record: SnapshotRecord;
  readonly tables: ReadonlyMap<string, ReferenceTable>;
  readonly properties: string | undefined;
}

const copyOf = (table: ReferenceTable): ReferenceTable => ({ ...table });

class ReferenceAccountStore implements AccountStore {
  isClosed = false;
  isUsed = false;
  /** Tables by their lookup names. */
  readonly #tables = new Map<string, ReferenceTable>();
  readonly #snapshots = new Map<string, ReferenceSnapshot>();
  /** The times at which names of deleted tables become free, by lookup name. */
  readonly #freeAtMs = new Map<string, number>();
  readonly #options: ReferenceOptions;
  readonly #announce: () => void;
  #lastTicks: Ticks = 0n;
  #properties: string | undefined;

  constructor(options: ReferenceOptions, announce: () => void) {
    this.#options = options;
    this.#announce = announce;
  }

  async getTableAcl(name: string): Promise<GetTableAclOutcome> {
    const table = this.#find(name);
    return table ? { kind: 'found', acl: table.acl } : this.#absence(name);
  }

  async setTableAcl({ table: name, acl }: SetTableAclParams): Promise<SetTableAclOutcome> {
    const table = this.#find(name);
    if (!table) return this.#absence(name);
    table.acl = acl;
    return { kind: 'set' };
  }

  async getServiceProperties(): Promise<string | undefined> {
    this.#use();
    return this.#properties;
  }

  async updateServiceProperties(change: (current: string | undefined) => string): Promise<void> {
    this.#use();
    this.#properties = change(this.#properties);
    this.#announce();
  }

  async createTable(name: TableName): Promise<CreateTableOutcome> {
    if (this.#find(name)) return { kind: 'exists' };
    const { kind } = this.#absence(name);
    if (kind === 'tableBeingDeleted') return { kind };
    const table = { name, createdAt: formatTicks(this.#nextTicks()) };
    this.#tables.set(name.toLowerCase(), { record: table, entities: [] });
    return { kind: 'created', table };
  }

  async deleteTable(name: string): Promise<DeleteTableOutcome> {
    if (!this.#find(name)) return { kind: 'missing' };
    const { modelTime, tableDeleteDelayMs = 0 } = this.#options;
    this.#tables.delete(name.toLowerCase());
    this.#freeAtMs.set(name.toLowerCase(), modelTime.monotonicMs() + tableDeleteDelayMs);
    return { kind: 'deleted' };
  }

  async clear(): Promise<void> {
    this.#use();
    this.#tables.clear();
    this.#freeAtMs.clear();
    this.#properties = undefined;
    this.#announce();
  }

  async clearTable(name: string): Promise<ClearTableOutcome> {
    const table = this.#find(name);
    if (!table) return this.#absence(name);
    table.entities = [];
    return { kind: 'cleared' };
  }

  async beginLoad(): Promise<TableLoad> {
    if (this.isClosed) throw new Error('the store is closed');
    const loaded = new Map<string, ReferenceTable>();
    let isOver = false;
    const refuseWhenOver = (): void => {
      if (isOver) throw new Error('the load is over');
    };
    return {
      addTable: async ({ name, acl }) => {
        refuseWhenOver();
        if (loaded.has(name.toLowerCase())) return { kind: 'duplicate' };
        const record = { name, createdAt: '' };
        loaded.set(name.toLowerCase(), { record, entities: [], ...(acl === undefined ? {} : { acl }) });
        return { kind: 'added' };
      },
      addEntities: async (name, entities) => {
        refuseWhenOver();
        const table = loaded.get(name.toLowerCase());
        if (!table) throw new Error(`the load has no table ${name}`);
        for (const [at, { partitionKey, rowKey, properties, ticks = this.#nextTicks() }] of entities.entries()) {
          if (table.entities.some((other) => compareKeys(other, { partitionKey, rowKey }) === 0)) {
            return { kind: 'duplicate', at };
          }
          if (ticks > this.#lastTicks && ticks <= lastDayTicks) this.#lastTicks = ticks;
          const entity = { partitionKey, rowKey, ticks, properties: decodeProperties(properties) };
          table.entities = [...table.entities, entity].sort(compareKeys);
        }
        return { kind: 'added' };
      },
      finish: async ({ replacesAccount = false } = {}) => {
        refuseWhenOver();
        if (replacesAccount) await this.clear();
        for (const { record } of loaded.values()) {
          const isDeleted = !this.#find(record.name) && this.#absence(record.name).kind === 'tableBeingDeleted';
          if (isDeleted) return { kind: 'tableBeingDeleted', table: record.name };
        }
        for (const [lookup, table] of loaded) {
          const record = { name: table.record.name, createdAt: formatTicks(this.#nextTicks()) };
          this.#tables.set(lookup, { ...table, record });
        }
        isOver = true;
        return { kind: 'finished' };
      },
      abandon: async () => {
        isOver = true;
      },
    };
  }

  async openView(): Promise<AccountView> {
    this.#use();
    const lookups = [...this.#tables.keys()].sort();
    const held = new Map(lookups.map((lookup) => [lookup, copyOf(this.#tables.get(lookup) as ReferenceTable)]));
    return {
      tables: [...held.values()].map(({ record, acl }) => ({ name: record.name, acl })),
      scan: async (params) => {
        const table = held.get(params.table.toLowerCase());
        if (!table) throw new Error(`the view does not hold table ${params.table}`);
        return pageOf(table, { range: {}, ...params });
      },
      release: async (name) => void held.delete(name.toLowerCase()),
      close: async () => held.clear(),
    };
  }

  async saveSnapshot({ name, table }: SaveSnapshotParams): Promise<SaveSnapshotOutcome> {
    this.#use();
    const only = table === undefined ? undefined : this.#find(table);
    if (table !== undefined && !only) return this.#absence(table);
    if (!this.#snapshots.has(name) && this.#snapshots.size >= snapshotsMax) return { kind: 'tooManySnapshots' };
    const kept = [...this.#tables].filter(([, one]) => !only || one === only);
    const record = {
      name,
      savedAt: formatTicks(this.#nextTicks()),
      tables: kept.length,
      ...(only ? { table: only.record.name } : {}),
    };
    const tables = new Map(kept.map(([lookup, one]) => [lookup, copyOf(one)]));
    this.#snapshots.set(name, { record, tables, properties: this.#properties });
    return { kind: 'saved', snapshot: record };
  }

  async restoreSnapshot({ name, table }: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome> {
    this.#use();
    const snapshot = this.#snapshots.get(name);
    if (!snapshot) return { kind: 'snapshotMissing' };
    const only = (table ?? snapshot.record.table)?.toLowerCase();
    if (only !== undefined && !snapshot.tables.has(only)) return { kind: 'tableNotSaved' };
    if (only === undefined) {
      this.#tables.clear();
      this.#freeAtMs.clear();
      this.#properties = snapshot.properties;
    }
    for (const [lookup, one] of snapshot.tables) {
      if (only === undefined || only === lookup) this.#tables.set(lookup, copyOf(one));
    }
    if (only === undefined) this.#announce();
    return { kind: 'restored', snapshot: snapshot.record };
  }

  async listSnapshots(): Promise<readonly SnapshotRecord[]> {
    this.#use();
    return [...this.#snapshots.values()].map(({ record }) => record).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async deleteSnapshot(name: string): Promise<DeleteSnapshotOutcome> {
    this.#use();
    return { kind: this.#snapshots.delete(name) ? 'deleted' : 'snapshotMissing' };
  }

  async findTable(name: string): Promise<FindTableOutcome> {
    const table = this.#find(name)?.record;
    return table ? { kind: 'found', table } : this.#absence(name);
  }

  async listTables({ from = '', limit }: ListTablesParams): Promise<TablePage> {
    this.#use();
    const lookups = [...this.#tables.keys()].sort().filter((lookup) => lookup >= from);
    const tables = lookups.flatMap((lookup) => this.#find(lookup)?.record ?? []);
    const next = tables[limit];
    return { tables: tables.slice(0, limit), ...(next ? { next } : {}) };
  }

  async get(table: string, key: EntityKey): Promise<GetOutcome> {
    const found = this.#find(table);
    if (!found) return this.#absence(table);
    const entity = found.entities.find((candidate) => compareKeys(candidate, key) === 0);
    return entity ? { kind: 'found', entity: toRecord(entity) } : { kind: 'missing' };
  }

  async apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const found = this.#find(table);
    if (!found) return this.#absence(table);
    let entities = found.entities;
    const applied: AppliedEntity[] = [];
    for (const mutation of mutations) {
      const ticks = this.#nextTicks();
      const others = entities.filter((entity) => compareKeys(entity, mutation) !== 0);
      const current = entities.find((entity) => compareKeys(entity, mutation) === 0);
      const properties = propertiesAfter(mutation, current);
      if (typeof properties === 'string') {
        const seen = properties === 'stale' && current ? { current: formatTicks(current.ticks) } : {};
        return { kind: properties, ...seen, failedAt: applied.length };
      }
      entities = properties
        ? [...others, { partitionKey: mutation.partitionKey, rowKey: mutation.rowKey, ticks, properties }]
        : others;
      applied.push({ timestamp: formatTicks(ticks), properties: encodeProperties(properties ?? new Map()) });
    }
    found.entities = [...entities].sort(compareKeys);
    return { kind: 'applied', entities: applied };
  }

  async scan(params: ScanParams): Promise<ScanOutcome> {
    const found = this.#find(params.table);
    return found ? pageOf(found, params) : this.#absence(params.table);
  }

  #use(): void {
    if (this.isClosed) throw new Error('the store is closed');
    this.isUsed = true;
  }

  #find(name: string): ReferenceTable | undefined {
    this.#use();
    return this.#tables.get(name.toLowerCase());
  }

  #absence(name: string): { kind: TableAbsence } {
    const isFree = (this.#freeAtMs.get(name.toLowerCase()) ?? 0) <= this.#options.modelTime.monotonicMs();
    return { kind: isFree ? 'tableMissing' : 'tableBeingDeleted' };
  }

  #nextTicks(): Ticks {
    const now = writeTicksFromMs(this.#options.modelTime.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return this.#lastTicks;
  }
}

function pageOf(table: ReferenceTable, request: ScanRequest): ScanPage {
  const { range, filter, limit, bytesMax, endsAtPartition = false, endsBefore, onVisit, isAbandoned } = request;
  const inRange = table.entities.filter((entity) => isInRange(entity, range));
  const isBounded = endsBefore && compareKeys(range.from ?? firstKey, endsBefore) < 0;
  const entities: EntityRecord[] = [];
  let [bytes, visited, isSpent] = [0, 0, false];
  const page = (end: PageEnd, next?: EntityKey): ScanPage => {
    const ended = { kind: 'page', entities, visited, end } as const;
    return next ? { ...ended, next: { partitionKey: next.partitionKey, rowKey: next.rowKey } } : ended;
  };
  for (const entity of inRange) {
    if (isAbandoned?.()) return page('time', entity);
    if (endsAtPartition && entity.partitionKey !== inRange[0]?.partitionKey) return page('partition', entity);
    if (isBounded && compareKeys(entity, endsBefore) >= 0) return page('boundary', entity);
    const isFull = entities.length === limit;
    if (isSpent && !isFull) return page('budget', entity);
    const isSelected = !filter || selects(filter, valuesOf(entity));
    const record = toRecord(entity);
    if (isSelected && isFull) return page('limit', entity);
    if (isSelected) bytes += Buffer.byteLength(record.properties);
    if (isSelected && entities.length > 0 && bytes > bytesMax) return page('size', entity);
    if (isSelected) entities.push(record);
    if (isFull) continue;
    visited += 1;
    if (onVisit && !onVisit(visitOf(record))) isSpent = true;
  }
  return page('range');
}

/** The properties of the entity after the mutation. Undefined if the entity does not exist then. */
function propertiesAfter(
  mutation: Mutation,
  current: ReferenceEntity | undefined,
): Properties | undefined | MutationRefusal {
  switch (mutation.kind) {
    case 'insert':
      return current ? 'exists' : mutation.properties;
    case 'insertOrReplace':
      return mutation.properties;
    case 'insertOrMerge':
      return current ? merged(current, mutation.properties) : mutation.properties;
    case 'replace':
      return refusalOf(mutation.ifMatch, current) ?? mutation.properties;
    case 'merge':
      return refusalOf(mutation.ifMatch, current) ?? (current && merged(current, mutation.properties));
    case 'delete':
      return refusalOf(mutation.ifMatch, current);
  }
}

function refusalOf(ifMatch: IfMatch, current: ReferenceEntity | undefined): 'missing' | 'stale' | undefined {
  if (!current) return 'missing';
  return ifMatch.kind === 'unchanged' && ifMatch.since !== formatTicks(current.ticks) ? 'stale' : undefined;
}

function merged(current: ReferenceEntity, changes: Properties): Properties | MutationRefusal {
  const properties = new Map([...current.properties, ...changes]);
  if (properties.size > propertiesMax) return 'tooManyProperties';
  if (entityBytes(current, properties) > entityBytesMax) return 'tooLarge';
  return new Map([...properties].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isInRange(key: EntityKey, { from, before }: KeyRange): boolean {
  return (!from || compareKeys(key, from) >= 0) && (!before || compareKeys(key, before) < 0);
}

/** A visited range that contains only one entity. */
function visitOf(entity: EntityRecord): Visit {
  const { partitionKey } = entity;
  const units = entityUnits(entity);
  return { partitionKey, entities: 1, units, parts: [{ partitionKey, units, partitionUnits: units }] };
}

/** Returns the value of a property by its name, including system properties. */
function valuesOf({ partitionKey, rowKey, ticks, properties }: ReferenceEntity): ValueOf {
  const values = new Map<string, EdmValue>(properties)
    .set('PartitionKey', { type: 'Edm.String', value: partitionKey })
    .set('RowKey', { type: 'Edm.String', value: rowKey })
    .set('Timestamp', { type: 'Edm.DateTime', value: ticks });
  return (name) => values.get(name);
}

/** Entities never change, so each is encoded only once. */
const records = new WeakMap<ReferenceEntity, EntityRecord>();

function toRecord(entity: ReferenceEntity): EntityRecord {
  const { partitionKey, rowKey, ticks, properties } = entity;
  const known = records.get(entity);
  if (known) return known;
  const record = { partitionKey, rowKey, timestamp: formatTicks(ticks), properties: encodeProperties(properties) };
  records.set(entity, record);
  return record;
}

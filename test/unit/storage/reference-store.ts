// The contract of store.ts in the simplest code that can keep it: maps, arrays that are sorted anew after each write, and
// copies instead of transactions. Slow, in memory, and easy to see to be right; the engines are compared with it.

import type { Clock } from '../../../src/model/clock.ts';
import type { EdmValue } from '../../../src/model/edm.ts';
import { compareKeys, type EntityKey, type EntityRecord } from '../../../src/model/entity.ts';
import { entityBytes } from '../../../src/model/entity-limits.ts';
import { entityUnits } from '../../../src/model/entity-units.ts';
import type { IfMatch } from '../../../src/model/etag.ts';
import { firstKey, type KeyRange } from '../../../src/model/key-range.ts';
import { entityBytesMax, propertiesMax } from '../../../src/model/limits.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import { encodeProperties, type Properties } from '../../../src/model/properties.ts';
import type { TableName } from '../../../src/model/table-name.ts';
import { formatTicks, type Ticks, ticksFromMs } from '../../../src/model/ticks.ts';
import type { PageEnd } from '../../../src/query/report.ts';
import type {
  AccountStore,
  AppliedEntity,
  ApplyOutcome,
  GetOutcome,
  ListTables,
  MutationRefusal,
  ScanOutcome,
  ScanRequest,
  Store,
  TablePage,
  TableRecord,
  Visit,
} from '../../../src/storage/store.ts';
import { selects, type ValueOf } from '../query/naive-filter.ts';

export class ReferenceStore implements Store {
  readonly #accounts = new Map<string, ReferenceAccountStore>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  account(name: string): AccountStore {
    const account = this.#accounts.get(name) ?? new ReferenceAccountStore(this.#clock);
    this.#accounts.set(name, account);
    return account;
  }

  find(name: string): AccountStore | undefined {
    return this.#accounts.get(name);
  }

  names(): readonly string[] {
    return [...this.#accounts.keys()].sort();
  }

  /** What is in memory alone cannot be taken away. */
  check(): void {}

  async close(): Promise<void> {
    for (const account of this.#accounts.values()) account.isClosed = true;
  }
}

interface ReferenceEntity extends EntityKey {
  readonly ticks: Ticks;
  readonly properties: Properties;
}

interface ReferenceTable {
  acl?: string;
  readonly record: TableRecord;
  entities: readonly ReferenceEntity[];
}

class ReferenceAccountStore implements AccountStore {
  isClosed = false;
  /** Nothing ever waits here. */
  readonly collisions = 0;
  /** By lookup name. */
  readonly #tables = new Map<string, ReferenceTable>();
  readonly #clock: Clock;
  #lastTicks: Ticks = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #properties: string | undefined;

  async getTableAcl(name: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: 'tableMissing' }> {
    const table = this.#find(name);
    return table ? { kind: 'found', acl: table.acl } : { kind: 'tableMissing' };
  }

  async setTableAcl(name: string, acl: string): Promise<{ kind: 'set' } | { kind: 'tableMissing' }> {
    const table = this.#find(name);
    if (!table) return { kind: 'tableMissing' };
    table.acl = acl;
    return { kind: 'set' };
  }

  async getServiceProperties(): Promise<string | undefined> {
    return this.#properties;
  }

  async setServiceProperties(properties: string): Promise<void> {
    this.#properties = properties;
  }

  async createTable(name: TableName): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' }> {
    if (this.#find(name)) return { kind: 'exists' };
    const table = { name, createdTicks: String(this.#nextTicks()) };
    this.#tables.set(name.toLowerCase(), { record: table, entities: [] });
    return { kind: 'created', table };
  }

  async deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }> {
    if (!this.#find(name)) return { kind: 'missing' };
    this.#tables.delete(name.toLowerCase());
    return { kind: 'deleted' };
  }

  async clear(): Promise<void> {
    if (this.isClosed) throw new Error('the store is closed');
    this.#tables.clear();
    this.#properties = undefined;
  }

  async clearTable(name: string): Promise<{ kind: 'cleared' } | { kind: 'tableMissing' }> {
    const table = this.#find(name);
    if (!table) return { kind: 'tableMissing' };
    table.entities = [];
    return { kind: 'cleared' };
  }

  async findTable(name: string): Promise<TableRecord | undefined> {
    return this.#find(name)?.record;
  }

  async listTables({ from = '', limit }: ListTables): Promise<TablePage> {
    const lookups = [...this.#tables.keys()].sort().filter((lookup) => lookup >= from);
    const tables = lookups.flatMap((lookup) => this.#find(lookup)?.record ?? []);
    const next = tables[limit];
    return { tables: tables.slice(0, limit), ...(next ? { next } : {}) };
  }

  async get(table: string, key: EntityKey): Promise<GetOutcome> {
    const found = this.#find(table);
    if (!found) return { kind: 'tableMissing' };
    const entity = found.entities.find((candidate) => compareKeys(candidate, key) === 0);
    return entity ? { kind: 'found', entity: toRecord(entity) } : { kind: 'missing' };
  }

  async apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const found = this.#find(table);
    if (!found) return { kind: 'tableMissing' };
    let entities = found.entities;
    const applied: AppliedEntity[] = [];
    for (const mutation of mutations) {
      const ticks = this.#nextTicks();
      const others = entities.filter((entity) => compareKeys(entity, mutation) !== 0);
      const current = entities.find((entity) => compareKeys(entity, mutation) === 0);
      const properties = propertiesAfter(mutation, current);
      if (typeof properties === 'string') return { kind: properties, failedAt: applied.length };
      entities = properties
        ? [...others, { partitionKey: mutation.partitionKey, rowKey: mutation.rowKey, ticks, properties }]
        : others;
      applied.push({ timestamp: formatTicks(ticks), properties: encodeProperties(properties ?? new Map()) });
    }
    found.entities = [...entities].sort(compareKeys);
    return { kind: 'applied', entities: applied };
  }

  async scan(table: string, request: ScanRequest): Promise<ScanOutcome> {
    const found = this.#find(table);
    if (!found) return { kind: 'tableMissing' };
    const { range, filter, limit, bytesMax, endsAtPartition = false, endsBefore, onVisit } = request;
    const inRange = found.entities.filter((entity) => isInRange(entity, range));
    const isBounded = endsBefore && compareKeys(range.from ?? firstKey, endsBefore) < 0;
    const entities: EntityRecord[] = [];
    let [bytes, visited, isSpent] = [0, 0, false];
    const page = (end: PageEnd, next?: EntityKey): ScanOutcome => {
      const ended = { kind: 'page', entities, visited, end } as const;
      return next ? { ...ended, next: { partitionKey: next.partitionKey, rowKey: next.rowKey } } : ended;
    };
    for (const entity of inRange) {
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

  #find(name: string): ReferenceTable | undefined {
    if (this.isClosed) throw new Error('the store is closed');
    return this.#tables.get(name.toLowerCase());
  }

  #nextTicks(): Ticks {
    const now = ticksFromMs(this.#clock.nowMs());
    this.#lastTicks = now > this.#lastTicks ? now : this.#lastTicks + 1n;
    return this.#lastTicks;
  }
}

/** What the entity holds after the mutation; undefined for no entity. */
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
  return ifMatch.kind === 'unchanged' && ifMatch.since !== current.ticks ? 'stale' : undefined;
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

/** A stretch of one. */
function visitOf(entity: EntityRecord): Visit {
  const { partitionKey } = entity;
  const units = entityUnits(entity);
  return { partitionKey, entities: 1, units, parts: [{ partitionKey, units, partitionUnits: units }] };
}

/** Every property by name, the system properties too. */
function valuesOf({ partitionKey, rowKey, ticks, properties }: ReferenceEntity): ValueOf {
  const values = new Map<string, EdmValue>(properties)
    .set('PartitionKey', { type: 'Edm.String', value: partitionKey })
    .set('RowKey', { type: 'Edm.String', value: rowKey })
    .set('Timestamp', { type: 'Edm.DateTime', value: ticks });
  return (name) => values.get(name);
}

/** Entities never change, so each is encoded once. */
const records = new WeakMap<ReferenceEntity, EntityRecord>();

function toRecord(entity: ReferenceEntity): EntityRecord {
  const { partitionKey, rowKey, ticks, properties } = entity;
  const known = records.get(entity);
  if (known) return known;
  const record = { partitionKey, rowKey, timestamp: formatTicks(ticks), properties: encodeProperties(properties) };
  records.set(entity, record);
  return record;
}

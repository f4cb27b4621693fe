/**
 * The contract of every storage engine. It speaks of tables, entities and outcomes, never of HTTP. An engine may live in this
 * process or in another one, and several processes may share one database. Every method that touches data is asynchronous,
 * and no caller may rely on how soon its promise settles.
 *
 *  1. Durability. A promise that resolves with `applied`, `created`, `deleted`, `set` or `cleared` is durable to the degree
 *     the engine was opened with, and every process sees the change.
 *  2. Atomicity. All mutations of an `apply` happen, or none. No reader in any process sees a part of them.
 *  3. Refusals. A refusal changes nothing and rests on committed state: the engine commits what it saw before it answers. Of
 *     several writers under one ETag, in whatever processes, at most one is applied.
 *  4. Uncertainty. When the engine cannot tell whether a change happened, the promise rejects; it never guesses, and it does
 *     not repeat a change whose first attempt may have happened. A connection that breaks during COMMIT is such a case.
 *  5. Timestamps increase strictly within an account: over all writes of all processes, across restarts, and when a clock
 *     steps back. The last one is therefore part of the data.
 *  6. Reads. A read sees every write that was acknowledged before the read began, by whichever process, and never part of an
 *     `apply`.
 *  7. Pages. `scan` and `listTables` answer in key order (entities: UTF-16 code units; tables: lookup name). One page is one
 *     snapshot of a moment between call and answer. A page may be shorter than asked for, or empty; `next` says where to go
 *     on, and is absent only where nothing more would come.
 *  8. Table names are found in any case and come back as they were created. Of several creations of one name, in whatever
 *     processes, one succeeds.
 *  9. Deletion. A deleted table is gone at once with everything in it, for every process; a new table of that name starts
 *     empty. Where the engine was opened with a delay, the name answers `tableBeingDeleted` until the delay is over. What is
 *     cleared is gone as well, with every write acknowledged before; a scan under way answers as of before or after, never
 *     some of both.
 * 10. Fidelity. Keys and values come back exactly as they went in.
 * 11. Visits. What a page passes to `onVisit` adds up to its `visited`, each entity once, whatever is written meanwhile;
 *     looking ahead for more is no visit. A page that ends by budget has visited something.
 * 12. Changes of settings. `updateServiceProperties` reads and writes in one transaction: of concurrent changes, in whatever
 *     processes, none is lost.
 * 13. Notification. A listener of `onChange` hears of a change that this process made before its promise resolves, and of
 *     another process's change when the engine is notified of it: until then, what a caller remembers may be out of date.
 * 14. Handles. `account` touches no data; the first operation opens the account, and makes it where it does not exist. A
 *     handle stays valid until the store closes, though the engine may close and reopen what is behind it. Operations on
 *     data that cannot be used reject with StoreUnavailable, each time anew.
 *
 * All moments in the contract are timestamps: text in UTC with trailing zeros trimmed (`2024-05-01T10:00:01.123456Z`, see
 * formatTicks). Every answer about entities contains that text twice; ticks are needed only for the marker of a table.
 */
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { Mutation } from '../model/mutation.ts';
import type { PropertiesText } from '../model/properties.ts';
import type { TableName } from '../model/table-name.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import type { Filter } from '../query/filter.ts';
import type { PageEnd } from '../query/report.ts';
import type { Durability } from './durability.ts';

/** Opens a store. Rejects with StoreUnavailable, having changed nothing, where it cannot be used. */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

export interface StoreOptions {
  /** Folder of the data, created when missing; without one, everything is in memory and gone at close. */
  readonly location?: string;
  readonly durability: Durability;
  /** Gives timestamps, and measures the deletion delay. */
  readonly modelTime: Pick<ModelTime, 'nowMs' | 'monotonicMs'>;
  /** Measures how long work takes, and waits for locks. */
  readonly machineTime: MachineTime;
  /** How long the name of a deleted table is not free; default 0. */
  readonly tableDeleteDelayMs?: number;
}

/** The store of one emulator: one `AccountStore` for each account, apart from each other. */
export interface Store {
  /** A handle on an account; cheap, and not necessarily the same object each time. */
  account(name: string): AccountStore;
  /** Whether the account was ever used. Makes nothing; any text may be asked for. */
  exists(name: string): Promise<boolean>;
  /** Names of the accounts that were ever used, in order. */
  names(): Promise<readonly string[]>;
  /** Opens those of the accounts that exist. Rejects with StoreUnavailable for the first whose data cannot be used. */
  openExisting(names: Iterable<string>): Promise<void>;
  /**
   * Names of the accounts whose data this process failed to read, in order. Rejects with StoreUnavailable where the data as
   * a whole has been taken away, so that what is written now would be lost at the end.
   */
  check(): Promise<readonly string[]>;
  /** Calls the listener after each change, as promise 13 says. */
  onChange(listener: ChangeListener): void;
  /** Completes what has begun, then releases everything. What is asked of the store from then on rejects. */
  close(): Promise<void>;
}

export type ChangeListener = (account: string, what: Change) => void;

/** What may have changed: `serviceProperties`, the text that getServiceProperties reads. */
export type Change = 'serviceProperties';

export interface AccountStore {
  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }>;
  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }>;
  findTable(name: string): Promise<FindTableOutcome>;
  listTables(request: ListTables): Promise<TablePage>;
  /** The stored access policies of a table, as text that the store does not interpret; undefined until it is set. */
  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }>;
  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }>;
  /** The settings of the account's table service, as text that the store does not interpret; undefined until it is set. */
  getServiceProperties(): Promise<string | undefined>;
  /**
   * Replaces the settings by what `change` makes of them. `change` must depend on its argument alone: an engine may call it
   * again where another process wrote first. Where it throws, nothing changes and the promise rejects with its error.
   */
  updateServiceProperties(change: (current: string | undefined) => string): Promise<void>;
  get(table: string, key: EntityKey): Promise<GetOutcome>;
  /** Shapes: one outcome for all mutations; `failedAt` is the 0-based index of the first one refused. */
  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome>;
  scan(table: string, request: ScanRequest): Promise<ScanOutcome>;
  /** Deletes every table, whose names are free at once, and the service's settings. All of it or nothing. */
  clear(): Promise<void>;
  /** Deletes every entity of a table; its name, its access policies and its moment of creation stay. All or nothing. */
  clearTable(table: string): Promise<{ kind: 'cleared' } | { kind: TableAbsence }>;
}

export interface TableRecord {
  /** As created. */
  readonly name: string;
  /** Timestamp of its creation. */
  readonly createdAt: string;
}

/** A table does not exist, or it was deleted and its name is not free yet. */
export type TableAbsence = 'tableMissing' | 'tableBeingDeleted';

export type FindTableOutcome =
  | { readonly kind: 'found'; readonly table: TableRecord }
  | { readonly kind: TableAbsence };

export interface ListTables {
  /** Lookup name of the first table to give. */
  readonly from?: string;
  readonly limit: number;
}

export interface TablePage {
  readonly tables: readonly TableRecord[];
  readonly next?: TableRecord;
}

export type GetOutcome =
  | { readonly kind: 'found'; readonly entity: EntityRecord }
  | { readonly kind: 'missing' }
  | { readonly kind: TableAbsence };

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly entities: readonly AppliedEntity[] }
  | { readonly kind: TableAbsence }
  | (RefusedMutation & { readonly failedAt: number });

export interface RefusedMutation {
  readonly kind: MutationRefusal;
  /** Where it is `stale`: the timestamp that the entity has. */
  readonly current?: string;
}

export type MutationRefusal = 'exists' | 'missing' | 'stale' | 'tooManyProperties' | 'tooLarge';

/** What a mutation left behind, in the order of the mutations; a delete leaves only its moment. */
export interface AppliedEntity {
  readonly timestamp: string;
  readonly properties: PropertiesText;
}

export interface ScanRequest {
  readonly range: KeyRange;
  /** Selects among the entities of the range; without one, all of them. */
  readonly filter?: Filter | undefined;
  /** Entities at most; at least 1. */
  readonly limit: number;
  /** The page ends before its stored properties would exceed this, but holds one entity at least. */
  readonly bytesMax: number;
  /** The page ends when it has taken this long, possibly empty. */
  readonly timeMsMax: number;
  /** Whether the page ends with the partition in which it begins, possibly empty. */
  readonly endsAtPartition?: boolean;
  /**
   * The page ends, possibly empty, where it would come to this key, unless nothing of the range lies beyond. Has no effect
   * on a page that begins there or beyond.
   */
  readonly endsBefore?: EntityKey | undefined;
  /**
   * Called with every stretch once it was visited; where it returns false the page ends there, possibly empty. A page that
   * is full or complete at that point says so instead.
   */
  readonly onVisit?: OnVisit | undefined;
  /** Whether the client has gone: the page then ends as if its time were over, as soon as the engine notices. */
  readonly isAbandoned?: (() => boolean) | undefined;
}

export type OnVisit = (visit: Visit) => boolean;

/** A stretch of entities, next to each other in key order, that a scan has looked at. */
export interface Visit {
  /** Partition of the first one. */
  readonly partitionKey: string;
  readonly entities: number;
  /** Of capacity: see model/entity-units.ts. */
  readonly units: number;
  /** The whole stretch in key order, cut between partitions: before every large one, and elsewhere now and then. */
  readonly parts: readonly VisitPart[];
}

/** Whole partitions next to each other. */
export interface VisitPart {
  /** Of the first partition. */
  readonly partitionKey: string;
  readonly units: number;
  /** Of the first partition alone where that is large, with a sixteenth of the stretch at least; otherwise 0. */
  readonly partitionUnits: number;
}

export type ScanOutcome = ScanPage | { readonly kind: TableAbsence };

export interface ScanPage {
  readonly kind: 'page';
  readonly entities: readonly EntityRecord[];
  /** Key of the next entity selected; where time, a boundary or `onVisit` ended the page, any key up to it. */
  readonly next?: EntityKey;
  /** Entities of the range that were looked at, selected or not, up to the last one of the page. */
  readonly visited: number;
  readonly end: PageEnd;
}

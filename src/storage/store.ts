/**
 * The contract of every storage engine. It describes tables, entities and outcomes, and does not depend on HTTP. An
 * engine may run in this process or in another one, and several processes may share one database. Every method that
 * touches data is asynchronous, and no caller may rely on how soon its promise settles.
 *
 *  1. Durability. When a promise resolves with `applied`, `created`, `deleted`, `set` or `cleared`, every process sees
 *     the change. The change is durable to the degree that was chosen when the engine was opened.
 *  2. Atomicity. All mutations of an `apply` happen, or none. No reader in any process sees a part of them.
 *  3. Refusals. A refusal changes nothing and is based on committed state: before the promise resolves with a refusal,
 *     the engine ends the transaction that read this state. If several writers, in any processes, use the same ETag, at
 *     most one of their writes is applied.
 *  4. Uncertainty. If the engine cannot tell whether a change happened, the promise rejects; the engine never guesses.
 *     The engine does not repeat a change whose first attempt may have happened, for example when a connection broke
 *     during COMMIT.
 *  5. Timestamps. For each entity and within each partition, timestamps increase strictly over all writes of all
 *     processes. This promise also holds across restarts, when a clock steps back, and when the clocks of two processes
 *     differ. It also holds when the table is cleared, restored, or deleted and created again. So the last timestamp is
 *     part of the data. The SQLite engine runs in only one process, and its timestamps increase over all writes to an
 *     account. If the clock of a process is beyond the year 9999, its writes get timestamps on the last day of the year
 *     9999.
 *  6. Reads. A read sees every write that any process acknowledged before the read began, and never a part of an
 *     `apply`.
 *  7. Pages. `scan` and `listTables` return pages in key order (entities: UTF-16 code units; tables: lookup name). A
 *     page is a snapshot of one moment between the call and its result. A page may be shorter than requested, or empty.
 *     `next` is the key to continue from, and is absent only if nothing follows.
 *  8. Table names. Upper and lower case do not matter when a table is looked up, and the name is returned as it was
 *     created. If several processes try to create a table of the same name, one of them succeeds.
 *  9. Deletion. For every process, a deleted table is gone immediately with everything in it. A new table of the same
 *     name starts empty. If the engine was opened with a deletion delay, operations on the name give
 *     `tableBeingDeleted` until the delay is over. Clearing also removes everything, including every write that was
 *     acknowledged before the clearing. A scan in progress sees the table either before or after the deletion or
 *     clearing, never a mixture.
 * 10. Fidelity. Keys and values are returned exactly as they were written.
 * 11. Visits. The numbers of entities that a page passes to `onVisit` add up to the page's `visited`. Each entity is
 *     passed once, even if it is written meanwhile. Looking for the next entity is not a visit. A page that ends
 *     because of the budget has visited at least one entity.
 * 12. Changes of settings. `updateServiceProperties` reads and writes in one transaction, so no concurrent change in
 *     any process is lost.
 * 13. Notification. When this process makes a change, `onChange` listeners are called before the promise resolves. When
 *     another process makes a change, the listeners are called as soon as the engine is notified of the change. Until
 *     then, what a caller has cached may be out of date. While the engine cannot be notified, `hearsChanges` is false.
 *     When `hearsChanges` changes, the listeners are called without an account.
 * 14. Handles. The method `account` returns a handle and touches no data. The first operation on the handle opens the
 *     account, and creates the account if it does not exist. A handle stays valid until the store closes, although the
 *     engine may close and reopen its files. If the account's data cannot be used, every operation on the handle
 *     rejects with StoreUnavailable.
 * 15. Loads. No reader sees the data of a load until `finish`. `finish` puts all tables of the load in place at one
 *     moment. Each of these tables is new or replaces the table of the same name. A scan in progress sees its table
 *     either before or after `finish`, never a mixture. A load that is abandoned, or whose process ends, leaves nothing
 *     behind. If only loads have used an account since its creation, the account is removed when the last of these
 *     loads is abandoned. Other work continues during a load.
 * 16. Snapshots. `saveSnapshot` saves the state of one moment under a name within the account. No later write changes
 *     the saved state. `restoreSnapshot` restores this state as one change: entities with their timestamps, and tables
 *     with their names, times of creation and policies. A snapshot of a complete account also restores the service's
 *     settings. Writes that were acknowledged before a restore are gone, and writes that are sent after it stay. A page
 *     or an `apply` in progress sees the state either before or after the restore, never a mixture. Promise 5 also
 *     holds across a restore. Snapshots are as durable as the data, and `clear` keeps them. A crash leaves either the
 *     old state or the new one.
 * 17. Views. `openView` gives the state of one moment between the call and its result. No later change affects a table
 *     of the view until the view releases that table. Other work continues while a view is open, but a write to a table
 *     that a view holds may take longer. A view is not stored: when the process of a view ends, nothing of the view
 *     remains.
 *
 * All times in the contract are texts: timestamps in UTC without trailing zeros (`2024-05-01T10:00:01.123456Z`, see
 * formatTicks). They are texts because every response with an entity contains the timestamp twice.
 */
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Schedule } from '../model/schedule.ts';
import type { SnapshotRecord } from '../model/snapshot.ts';
import type { TableName } from '../model/table-name.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import type { Column } from '../query/column.ts';
import type { Filter } from '../query/filter.ts';
import type { PageEnd } from '../query/report.ts';
import type { Durability } from './durability.ts';
import type { SharedTexts } from './shared-texts.ts';
import type { TableLoad } from './table-load.ts';

export interface StoreCondition {
  /** Names of the accounts whose data this process failed to read, in order. */
  readonly damaged: readonly string[];
  /** Whether writes fail for lack of space. Deletions do not. */
  readonly isFull: boolean;
}

/** Opens a store. If it cannot be used, changes nothing and rejects with StoreUnavailable. */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

export interface StoreOptions {
  /** Folder of the data, created if missing. Without a folder, everything is in memory and is lost at close. */
  readonly location?: string;
  /** URL of the database, in place of a folder. It may hold a password. */
  readonly store?: string;
  /** URL of a standby of the database `store`. */
  readonly storeSecondary?: string;
  readonly durability: Durability;
  /** Gives timestamps, and measures the deletion delay. */
  readonly modelTime: Pick<ModelTime, 'nowMs' | 'monotonicMs'>;
  /** Measures how long work takes, and waits for locks. */
  readonly machineTime: MachineTime;
  /** Decides the order in which work continues; default: the event loop. */
  readonly schedule?: Schedule;
  /** How long the name of a deleted table cannot be used again; default 0. */
  readonly tableDeleteDelayMs?: number;
}

/** The store of one emulator: an independent `AccountStore` for each account. */
export interface Store {
  /** A handle on an account; cheap, and not necessarily the same object each time. */
  account(name: string): AccountStore;
  /** Whether the account was ever used. Creates nothing; `name` may be any text. */
  exists(name: string): Promise<boolean>;
  /** Names of the accounts that were ever used, in order. */
  names(): Promise<readonly string[]>;
  /** Opens the accounts that exist. Rejects with StoreUnavailable for the first account whose data cannot be used. */
  openExisting(names: Iterable<string>): Promise<void>;
  /**
   * Rejects with StoreUnavailable if the database cannot be used now. Also rejects if the data folder was deleted or
   * replaced, because later writes would be lost when the process ends.
   */
  check(): Promise<StoreCondition>;
  /** Whether listeners hear of changes by other processes. While this is false, callers must not cache what they read. */
  readonly hearsChanges: boolean;
  /** Calls the listener after each change: see promise 13. */
  onChange(listener: ChangeListener): void;
  /**
   * Publishes the load of this process. Resolves with the latest load of each other process that published its load
   * within the last few seconds. The store does not interpret the text of a load. Exists only in an engine that several
   * processes share.
   */
  shareLoad?(load: string): Promise<readonly string[]>;
  /** Only in an engine that several processes share. */
  readonly sharedTexts?: SharedTexts;
  /** Only in an engine for one process: publishes its address, for other processes that find the data in use. */
  publishAddress?(url: string): void;
  /** A copy, perhaps an older one, for requests to the secondary endpoint. If undefined, they read the data itself. */
  readonly secondary?: SecondaryStore;
  /** Completes the operations in progress, then releases everything. Later operations reject. */
  close(): Promise<void>;
}

export interface SecondaryStore {
  /** Reads the copy; creates and changes nothing. */
  account(name: string): AccountStore;
  /**
   * Resolves with a time in milliseconds since 1970. The copy has every write that was made before that time. Rejects
   * with StoreUnavailable if the copy cannot be reached.
   */
  lastSyncMs(): Promise<number>;
}

/** Without an account, the settings of any account may have changed. */
export type ChangeListener = (account: string | undefined, what: Change) => void;

/** What may have changed: `serviceProperties` is what getServiceProperties returns. */
export type Change = 'serviceProperties';

export interface AccountStore {
  createTable(name: TableName): Promise<CreateTableOutcome>;
  deleteTable(name: string): Promise<DeleteTableOutcome>;
  findTable(name: string): Promise<FindTableOutcome>;
  listTables(params: ListTablesParams): Promise<TablePage>;
  /** The stored access policies of a table, as text that the store does not interpret; undefined until it is set. */
  getTableAcl(table: string): Promise<GetTableAclOutcome>;
  setTableAcl(params: SetTableAclParams): Promise<SetTableAclOutcome>;
  /** The settings of the table service, as text that the store does not interpret; undefined until they are stored. */
  getServiceProperties(): Promise<string | undefined>;
  /**
   * Replaces the settings by the result of `change`. An engine may call `change` again if another process wrote first,
   * so the result must depend only on the argument. If `change` throws, nothing changes and the promise rejects with
   * that error.
   */
  updateServiceProperties(change: (current: string | undefined) => string): Promise<void>;
  get(table: string, key: EntityKey): Promise<GetOutcome>;
  /** One outcome for all mutations; `failedAt` is the 0-based index of the first one refused. */
  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome>;
  scan(params: ScanParams): Promise<ScanOutcome>;
  /** Deletes all tables and the service's settings, or nothing. The names can be used again immediately. */
  clear(): Promise<void>;
  /** Deletes every entity of a table, or none; its name, access policies and time of creation stay. */
  clearTable(table: string): Promise<ClearTableOutcome>;
  /** Begins to load whole tables. The caller must finish or abandon every load. */
  beginLoad(): Promise<TableLoad>;
  /** The caller must close every view. */
  openView(): Promise<AccountView>;
  /** Saves every table and the service's settings, or one table. Replaces an existing snapshot of the name. */
  saveSnapshot(params: SaveSnapshotParams): Promise<SaveSnapshotOutcome>;
  /** Restores what was saved: one table, or the whole account. In a whole account, tables created later are gone. */
  restoreSnapshot(params: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome>;
  /** Every snapshot, in the order of the names' UTF-16 code units. */
  listSnapshots(): Promise<readonly SnapshotRecord[]>;
  deleteSnapshot(name: string): Promise<DeleteSnapshotOutcome>;
}

/** The tables of an account at one moment. */
export interface AccountView {
  /** In the order of lookup names. */
  readonly tables: readonly ViewTable[];
  /** Reads one page like the `scan` of the account. Rejects for a table that the view does not hold. */
  scan(params: ViewScanParams): Promise<ScanPage>;
  /** Releases a table that the caller no longer needs. Writes to that table then have no extra cost. */
  release(table: string): Promise<void>;
  /** Releases all tables. May be called again. */
  close(): Promise<void>;
}

export interface ViewTable {
  readonly name: string;
  /** Its access policies, as `getTableAcl` gives them. */
  readonly acl: string | undefined;
}

/** Where a page of a view begins, and its bounds. */
export type ViewScanParams = Pick<ScanParams, 'table' | 'limit' | 'bytesMax' | 'timeMsMax'> & {
  readonly range?: ScanParams['range'];
};

/** The most snapshots of an account. */
export const snapshotsMax = 1_000;

export interface SaveSnapshotParams {
  /** Name of the snapshot. */
  readonly name: string;
  /** Saves only this table. */
  readonly table?: string | undefined;
}

export interface RestoreSnapshotParams {
  /** Name of the snapshot. */
  readonly name: string;
  /** Restores only this table; all other tables stay. */
  readonly table?: string | undefined;
}

export type SaveSnapshotOutcome =
  | { readonly kind: 'saved'; readonly snapshot: SnapshotRecord }
  /** The account already has snapshotsMax other snapshots. */
  | { readonly kind: 'tooManySnapshots' }
  | { readonly kind: TableAbsence };

export type RestoreSnapshotOutcome =
  | { readonly kind: 'restored'; readonly snapshot: SnapshotRecord }
  /** `tableNotSaved`: the snapshot does not hold the table. */
  | { readonly kind: 'snapshotMissing' | 'tableNotSaved' };

export interface DeleteSnapshotOutcome {
  readonly kind: 'deleted' | 'snapshotMissing';
}

export interface TableRecord {
  /** The name as it was created. */
  readonly name: string;
  /** Timestamp of the table's creation. */
  readonly createdAt: string;
}

/** The table does not exist, or it was deleted and its name cannot be used yet. */
export type TableAbsence = 'tableMissing' | 'tableBeingDeleted';

export type CreateTableOutcome =
  | { readonly kind: 'created'; readonly table: TableRecord }
  | { readonly kind: 'exists' | 'tableBeingDeleted' };

export interface DeleteTableOutcome {
  readonly kind: 'deleted' | 'missing';
}

export interface ClearTableOutcome {
  readonly kind: 'cleared' | TableAbsence;
}

export type FindTableOutcome =
  | { readonly kind: 'found'; readonly table: TableRecord }
  | { readonly kind: TableAbsence };

export type GetTableAclOutcome =
  | { readonly kind: 'found'; readonly acl: string | undefined }
  | { readonly kind: TableAbsence };

export interface SetTableAclParams {
  readonly table: string;
  readonly acl: string;
}

export interface SetTableAclOutcome {
  readonly kind: 'set' | TableAbsence;
}

export interface ListTablesParams {
  /** Lookup name of the first table to return. */
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
  /** `entities` are in the order of the mutations. */
  | { readonly kind: 'applied'; readonly entities: readonly AppliedEntity[] }
  | { readonly kind: TableAbsence }
  | (RefusedMutation & { readonly failedAt: number });

export interface RefusedMutation {
  readonly kind: MutationRefusal;
  /** If `kind` is `stale`: the timestamp that the entity has. */
  readonly current?: string;
}

export type MutationRefusal = 'exists' | 'missing' | 'stale' | 'tooManyProperties' | 'tooLarge';

/** An entity after its mutation. For a delete: the time of the deletion, and no properties. */
export type AppliedEntity = Pick<EntityRecord, 'timestamp' | 'properties'>;

/** What a page holds, and where it ends. */
export interface ScanRequest {
  readonly range: KeyRange;
  /** Selects entities of the range. Without a filter, all of them are selected. */
  readonly filter?: Filter | undefined;
  /** Maximum number of entities; at least 1. */
  readonly limit: number;
  /** The page ends before its stored properties would exceed this size, but has at least one entity. */
  readonly bytesMax: number;
  /** The page ends when it has taken this long, even if it is then empty. */
  readonly timeMsMax: number;
  /** Whether the page ends with the partition in which it begins, even if it is then empty. */
  readonly endsAtPartition?: boolean;
  /**
   * The page ends before this key, even if the page is then empty. The key has no effect if the page begins at this key
   * or after it, or if `range` ends before this key.
   */
  readonly endsBefore?: EntityKey | undefined;
  /**
   * Called with each group of adjacent entities that the page has visited. If it returns false, the page ends after
   * that group, even if the page is empty. The page's `end` is then `budget`, unless the page is full or complete at
   * that point.
   */
  readonly onVisit?: OnVisit | undefined;
  /**
   * Called for each block of entities, with the columns for which the filter is evaluated. The blocks contain all
   * visited entities, and perhaps entities next to them. An engine without columns never calls this function.
   */
  readonly onColumns?: ((columns: ReadonlyMap<string, Column>) => void) | undefined;
  /** Returns whether the client has disconnected. The engine then ends the page as if the time were over. */
  readonly isAbandoned?: (() => boolean) | undefined;
}

export interface ScanParams extends ScanRequest {
  readonly table: string;
}

export type OnVisit = (visit: Visit) => boolean;

/** Adjacent entities, in key order, that a scan has examined. */
export interface Visit {
  /** Partition of the first entity. */
  readonly partitionKey: string;
  readonly entities: number;
  /** Capacity units: see model/entity-units.ts. */
  readonly units: number;
  /**
   * All entities of the visit, in key order. A new part begins at every large partition, and may also begin at any
   * other partition.
   */
  readonly parts: readonly VisitPart[];
}

/** One or more adjacent partitions, as far as their entities are in the Visit. */
export interface VisitPart {
  /** Key of the first partition. */
  readonly partitionKey: string;
  readonly units: number;
  /** Units of the first partition if it is large (at least a sixteenth of the units of the Visit); otherwise 0. */
  readonly partitionUnits: number;
}

export type ScanOutcome = ScanPage | { readonly kind: TableAbsence };

export interface ScanPage {
  readonly kind: 'page';
  readonly entities: readonly EntityRecord[];
  /**
   * The key at which the next page begins. This is usually the key of the next selected entity. If time, a boundary or
   * `onVisit` ended the page, the next page may begin at an earlier key.
   */
  readonly next?: EntityKey;
  /** Entities of the range that were examined, selected or not, up to the last one of the page. */
  readonly visited: number;
  readonly end: PageEnd;
}

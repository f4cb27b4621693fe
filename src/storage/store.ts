/**
 * The contract every engine keeps. It speaks of tables, entities and outcomes, never of HTTP.
 *
 *  1. A promise that resolves with `applied`, `created` or `deleted` is durable to the degree the engine was opened with.
 *  2. `apply` is atomic: all of its mutations happen, or none, and nobody ever sees some of them.
 *  3. A refusal changes nothing. It rests on committed state only: it too waits for the commit it was decided in.
 *  4. When the engine cannot say whether a change happened, the promise rejects; it never resolves with a guess.
 *  5. Timestamps increase strictly within an account: over all writes, across restarts, and when the clock steps back.
 *  6. A read sees every write that was acknowledged before the read began, and never part of an `apply`.
 *  7. `scan` and `listTables` answer in key order (entities: UTF-16 code units; tables: lookup name). One page is one
 *     snapshot, of a moment between call and answer. A page may be shorter than asked for, or empty; `next` says where to
 *     go on, and is absent only where nothing more would come.
 *  8. Table names are found in any case and come back as they were created.
 *  9. A deleted table is gone at once with everything in it; a new table of that name starts empty. Where the engine was
 *     opened with a delay, the name answers `tableBeingDeleted` until it is over. What is cleared is gone as well, with
 *     every write acknowledged before; a scan under way answers as of before or after, never some of both.
 * 10. Keys and values come back exactly as they went in.
 * 11. What a page tells `onVisit` adds up to its `visited`, each entity once, whatever is written meanwhile; a look at
 *     whether more would come is not told. A page that ends by budget has visited something.
 */
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { Mutation } from '../model/mutation.ts';
import type { TableName } from '../model/table-name.ts';
import type { Filter } from '../query/filter.ts';
import type { PageEnd } from '../query/report.ts';

/** The store of one emulator: one `AccountStore` for each account, apart from each other. */
export interface Store {
  /** Opens the account on first use. Throws StoreUnavailable when its data cannot be used. */
  account(name: string): AccountStore;
  /** The account where it was ever used; nothing is made for one that was not. */
  find(name: string): AccountStore | undefined;
  /** Throws StoreUnavailable where what is kept has been taken away: what is written then is lost at the end. */
  check(): void;
  /** Names of the accounts that were ever used. */
  names(): readonly string[];
  /** Ends what is running, then lets go of everything on disk. */
  close(): Promise<void>;
}

export interface AccountStore {
  /** How many transactions, on arrival, found an entity of theirs in another one that was not committed yet. */
  readonly collisions: number;
  createTable(
    name: TableName,
  ): Promise<{ kind: 'created'; table: TableRecord } | { kind: 'exists' | 'tableBeingDeleted' }>;
  deleteTable(name: string): Promise<{ kind: 'deleted' } | { kind: 'missing' }>;
  findTable(name: string): Promise<TableRecord | undefined>;
  listTables(request: ListTables): Promise<TablePage>;
  /** The stored access policies of a table, as text that the store does not look into; undefined until it is set. */
  getTableAcl(table: string): Promise<{ kind: 'found'; acl: string | undefined } | { kind: TableAbsence }>;
  setTableAcl(table: string, acl: string): Promise<{ kind: 'set' } | { kind: TableAbsence }>;
  /** The settings of the account's table service, as text that the store does not look into; undefined until it is set. */
  getServiceProperties(): Promise<string | undefined>;
  setServiceProperties(properties: string): Promise<void>;
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
  /** Moment of creation in 100-ns ticks since year one, as decimal text. */
  readonly createdTicks: string;
}

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

/** A table is not there, or is not there any more and its name not free yet. */
export type TableAbsence = 'tableMissing' | 'tableBeingDeleted';

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly entities: readonly AppliedEntity[] }
  | { readonly kind: TableAbsence }
  | { readonly kind: MutationRefusal; readonly failedAt: number };

export type MutationRefusal = 'exists' | 'missing' | 'stale' | 'tooManyProperties' | 'tooLarge';

/** What a mutation left behind, in the order of the mutations; a delete leaves only its moment. */
export interface AppliedEntity {
  readonly timestamp: string;
  readonly properties: string;
}

export interface ScanRequest {
  readonly range: KeyRange;
  /** Selects among the entities of the range; without one, all of them. */
  readonly filter?: Filter | undefined;
  /** Entities at most; at least 1. */
  readonly limit: number;
  /** The page ends before its stored properties would exceed this, but never empty-handed. */
  readonly bytesMax: number;
  /** The page ends when it has taken this long, maybe empty-handed. */
  readonly timeMsMax: number;
  /** Whether the page ends with the partition in which it begins, maybe empty-handed. */
  readonly endsAtPartition?: boolean;
  /**
   * The page ends, maybe empty-handed, where it would come to this key, unless nothing of the range lies beyond. One
   * that begins there or beyond is not concerned.
   */
  readonly endsBefore?: EntityKey | undefined;
  /**
   * Told of every stretch once it was visited; where it returns false the page ends there, maybe empty-handed. One that
   * is full then, or at its end, says that instead.
   */
  readonly onVisit?: OnVisit | undefined;
  /** Whether nobody waits for the page any more: it ends as if its time were over, as soon as that is noticed. */
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

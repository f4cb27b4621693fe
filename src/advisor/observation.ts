// What the advisor keeps of a request: a small object of a fixed shape, without the request's body, signature and headers.

import type { EntityRecord } from '../model/entity.ts';
import type { BatchWarning, CredentialKind } from '../model/request-record.ts';
import type { Plan } from '../query/plan.ts';
import type { ConnectionUse } from './connection-use.ts';
import type { DistinctCount } from './distinct-count.ts';
import type { KeyOrder } from './key-order.ts';
import type { ReadSampling } from './read-sampling.ts';

/** Who sent a request: remote address, user agent and credential, for one account. */
export interface Client {
  readonly account: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly credential: CredentialKind;
  /** Sampling of its point reads. */
  readonly reads: ReadSampling;
  readonly queries: ReadSampling;
  /** Counted since the last window was full. */
  readonly use: ConnectionUse;
}

/** A table of an account, and the counts since the start or the last reset. */
export interface Table {
  readonly account: string;
  /** As first written in an address. */
  readonly name: string;
  billable: number;
  units: number;
  /** The first partition that was written. */
  firstPartition: string | undefined;
  hasSeveralPartitions: boolean;
  /** The first write to the first partition, in short. */
  firstWrite: string;
  /** The order in which its partitions appear; absent before the first write. */
  order: KeyOrder | undefined;
  /** Counts the distinct entities of the only partition; absent while there are few. */
  entities: DistinctCount | undefined;
  /** Writes to the only partition. */
  written: number;
  lastAtMs: number;
  /** Writes that replaced a whole entity. */
  replacements: number;
}

/** An answered request. Times are machine time in milliseconds, except `atMs`. */
export interface Observation {
  /** Its number, in the order of the answers. */
  readonly sequence: number;
  /** The number of requests that it represents: 1, except for reads of a client that reads fast (read-sampling.ts). */
  readonly requests: number;
  /** Model time at the arrival: milliseconds since 1970. */
  readonly atMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly client: Client;
  /** The trace that the request belongs to, if it says so. */
  readonly traceId: string | undefined;
  readonly connection: number;
  readonly operation: string;
  readonly account: string;
  readonly table: Table | undefined;
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  readonly status: number;
  /** Code of the refusal. */
  readonly code: string | undefined;
  readonly condition: Condition;
  readonly isAtom: boolean;
  readonly isFullMetadata: boolean;
  readonly isFromPage: boolean;
  readonly expectsContinue: boolean;
  readonly version: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Entity units (1 KiB) that the capacity model charged. */
  readonly units: number;
  /** In whole milliseconds: V8 stores a fraction in a separate object. */
  readonly bodyWaitMs: number;
  /** Names a refused request with its body and condition. */
  readonly digest: string | undefined;
  readonly query: QueryTraits | undefined;
  /** Properties of an entity in the response; undefined if they were not counted. */
  readonly read: ReadTraits | undefined;
  readonly write: WriteTraits | undefined;
  /** The requests inside a transaction. */
  readonly members: readonly Member[];
  /** The fault rule that staged the outcome: only what the client did next counts. */
  readonly staged: string | undefined;
  /** What is wrong with the form of a transaction that was answered nevertheless. */
  readonly batchWarning: BatchWarning['kind'] | undefined;
}

/** The part of a request that counts towards the load of a second. */
export type CountedRequest = Pick<
  Observation,
  | 'account'
  | 'atMs'
  | 'condition'
  | 'endMs'
  | 'members'
  | 'operation'
  | 'partitionKey'
  | 'query'
  | 'requests'
  | 'rowKey'
  | 'table'
  | 'units'
>;

/** If-Match: absent, `*`, or an ETag. */
export type Condition = 'none' | 'any' | 'etag';

export interface QueryTraits {
  readonly filter: string | undefined;
  readonly select: string | undefined;
  /** `$top`; undefined without it. */
  readonly top: number | undefined;
  readonly plan: Plan;
  readonly visited: number;
  readonly returned: number;
  readonly followsContinuation: boolean;
  readonly givesContinuation: boolean;
  /** The first entities of the page; empty if the advisor already keeps many. */
  sample: readonly EntityRecord[];
}

export interface ReadTraits {
  /** Custom properties of the first entity. */
  readonly properties: number;
  /** Bytes of the response for each entity. */
  readonly entityBytes: number;
  readonly isProjected: boolean;
}

export interface WriteTraits {
  readonly properties: number;
  /** One bit for each property name, by its hash: two writes without a common bit share no property. */
  readonly names: number;
  /** By the storage team's formula; 0 for an entity that is clearly small. */
  readonly entityBytes: number;
  /** Of the largest value; 0 for an entity that is clearly small. */
  readonly valueBytes: number;
  /** What a replacement changed, compared with the entity as last read or written; undefined if that is not known. */
  readonly change: ReplacementChange | undefined;
}

export interface ReplacementChange {
  readonly properties: number;
  readonly changed: number;
  readonly dropped: number;
}

/** A write inside a transaction. */
export interface Member {
  readonly operation: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly status: number;
  readonly condition: Condition;
  readonly write: WriteTraits | undefined;
}

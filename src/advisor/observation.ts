// An observation is the part of a request that the advisor keeps: a small object that always has the same members. An
// observation contains no body, signature or headers.

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
  /** Decides which point reads of the client are kept. */
  readonly reads: ReadSampling;
  readonly queries: ReadSampling;
  /** How the client used its connections since the last window was full. */
  readonly use: ConnectionUse;
}

/** A table of an account, and what was counted for it since the start or the last reset. */
export interface Table {
  readonly account: string;
  /** The name as it was first written in an address. */
  readonly name: string;
  billable: number;
  units: number;
  /** The PartitionKey of the first write. */
  firstPartition: string | undefined;
  hasSeveralPartitions: boolean;
  /** The first write to the first partition, as a short text. */
  firstWrite: string;
  /** The order in which partitions of the table appear. Undefined before the first write. */
  order: KeyOrder | undefined;
  /** Counts the distinct entities while the table has only one partition. Undefined while there are few writes. */
  entities: DistinctCount | undefined;
  /** The number of writes, as long as the table has only one partition. */
  written: number;
  lastAtMs: number;
  /** The number of writes that replaced an entity. */
  replacements: number;
}

/** An answered request. Times are machine time in milliseconds, except `atMs`. */
export interface Observation {
  /** The number of the request, in the order of the answers. */
  readonly sequence: number;
  /**
   * The number of requests that the observation represents. If the advisor keeps only a sample of similar reads, each
   * read of the sample also represents the reads that were skipped before it (read-sampling.ts). Any other observation
   * represents one request.
   */
  readonly requests: number;
  /** When the request arrived by the emulator's clock: milliseconds since 1970. */
  readonly atMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly client: Client;
  /** The trace to which the request belongs, if the request names one. */
  readonly traceId: string | undefined;
  readonly connection: number;
  readonly operation: string;
  readonly account: string;
  readonly table: Table | undefined;
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  readonly status: number;
  /** The error code of a refused request. */
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
  /**
   * The time from the arrival of the head to the arrival of the complete body, in whole milliseconds. (V8 would store a
   * fraction in a separate object.)
   */
  readonly bodyWaitMs: number;
  /** A hash of a refused request, its body and its condition. Equal requests have equal digests. */
  readonly digest: string | undefined;
  readonly query: QueryTraits | undefined;
  /** The size of the entities in the response. Undefined if it was not measured. */
  readonly read: ReadTraits | undefined;
  readonly write: WriteTraits | undefined;
  /** The requests inside a transaction. */
  readonly members: readonly Member[];
  /**
   * The fault rule that answered the request instead of the service. Only the advisor's rules about retries use such
   * requests.
   */
  readonly staged: string | undefined;
  /** What is wrong with the form of a transaction that the service answered nevertheless. */
  readonly batchWarning: BatchWarning['kind'] | undefined;
}

/** The members of an observation that are needed to count the load of a second. */
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

/** The header If-Match of a request: absent, `*`, or an ETag. */
export type Condition = 'none' | 'any' | 'etag';

export interface QueryTraits {
  readonly filter: string | undefined;
  readonly select: string | undefined;
  /** `$top`. Undefined if the query has none. */
  readonly top: number | undefined;
  readonly plan: Plan;
  readonly visited: number;
  readonly returned: number;
  readonly followsContinuation: boolean;
  readonly givesContinuation: boolean;
  /** The first entities of the page. Empty if the advisor already keeps many entities. */
  sample: readonly EntityRecord[];
}

export interface ReadTraits {
  /** The number of custom properties of the first entity. */
  readonly properties: number;
  /** The bytes of the response, divided by the number of its entities. */
  readonly entityBytes: number;
  readonly isProjected: boolean;
}

export interface WriteTraits {
  readonly properties: number;
  /**
   * A set of bits. Each property name sets one bit, which the hash of the name selects. If two writes have no bit in
   * common, they have no property in common.
   */
  readonly names: number;
  /** The size of the entity by the storage team's formula. 0 if the entity is clearly small. */
  readonly entityBytes: number;
  /** The size of the largest value. 0 if the entity is clearly small. */
  readonly valueBytes: number;
  /**
   * The changes that a replacement made to the entity, compared with its last known state. Undefined if no earlier
   * state is known.
   */
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

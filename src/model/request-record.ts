// What is known of one request, from its arrival to the end of its response. It is made once and filled as the request goes;
// the request log, the metrics and whatever else watches requests read it and nothing else.

import type { CapacityUse } from './capacity-use.ts';
import type { KeyRange } from './key-range.ts';
import type { ServiceError } from './service-error.ts';

/** How a caller proved who it is; `none` until it is known, and for a preflight request. */
export type CredentialKind = 'none' | 'key' | 'tableSas' | 'accountSas';

/**
 * Plain data, filled in place: a member whose step was not reached has the value that it was made with. Texts refer to the
 * request that they came in; a reader that keeps one copies it.
 */
export interface RequestRecord {
  /** The `x-ms-request-id` of the response. */
  readonly requestId: string;
  /** The client's own id, where the response repeats it. */
  readonly clientRequestId: string | undefined;
  readonly method: string;
  /** The request target as sent. It may hold a signature: never show it whole. */
  readonly url: string;
  /** Address of the other end of the socket. */
  readonly remoteAddress: string;
  readonly userAgent: string | undefined;
  /** Model time at the arrival of the head: milliseconds since 1970-01-01T00:00:00Z. */
  readonly startedAtMs: number;
  /** Machine time at the arrival of the head, in milliseconds since an arbitrary moment. */
  readonly startedMs: number;
  /** From the arrival of the head until the response is handed to the socket. */
  durationMs: number;

  credential: CredentialKind;
  /** Empty where the address names none. */
  account: string;
  /** The operation's name in the documentation of the service; `Unknown` until it is found. */
  operation: string;
  /** As the address has it; a batch names its tables in its members. */
  table: string | undefined;
  /** Of the one entity that is read or written. */
  partitionKey: string | undefined;
  rowKey: string | undefined;

  /** The text of `$filter`. */
  filter: string | undefined;
  plan: QueryPlan | undefined;
  /** Entities that a query looked at, selected or not. */
  visited: number;
  /** Entities or tables in the page. */
  returned: number;
  /** Why the page ended; the words of `PageEnd` in src/query. */
  pageEnd: string | undefined;
  /** Whether the request carries the continuation of an earlier page. */
  followsContinuation: boolean;
  /** Whether the response carries a continuation. */
  givesContinuation: boolean;
  /** How many requests are inside a batch; 0 for a request that is none. */
  batchSize: number;
  /** The requests inside a batch, in order; of a batch that was refused only the request that was. */
  members: readonly BatchMember[];

  /** What the capacity model did with the request; undefined where the request did not get that far. */
  capacity: CapacityUse | undefined;

  /** Of the payload of the response; undefined where the request was refused before, or asks for one that is refused. */
  format: RecordedFormat | undefined;
  /** Of the body that was read. */
  bytesIn: number;
  /** Of the body of the response. */
  bytesOut: number;

  /**
   * Of the response. 499 where the client disconnected before it was made, 444 where the connection was closed on purpose
   * instead (both as nginx logs them); 0 until it is made.
   */
  status: number;
  /** Why the request was refused: code, stage and reason. */
  refusal: ServiceError | undefined;
}

/** The part of a query's plan that can be told without the language of filters. */
export interface QueryPlan {
  readonly kind: string;
  /** The keys that are visited. */
  readonly range: KeyRange;
}

export interface BatchMember {
  /** `Unknown` where the request could not be read. */
  readonly operation: string;
  readonly table: string | undefined;
  readonly partitionKey?: string | undefined;
  readonly rowKey?: string | undefined;
  /** Of its own response. */
  readonly status: number | undefined;
  /** 0-based place in its changeset. */
  readonly index: number;
  readonly refusal: ServiceError | undefined;
}

export interface RecordedFormat {
  readonly kind: 'json' | 'atom';
  /** Metadata of JSON. */
  readonly level?: 'none' | 'minimal' | 'full';
}

/** What is known when the head of a request has arrived. */
export type RequestStart = Pick<
  RequestRecord,
  'requestId' | 'clientRequestId' | 'method' | 'url' | 'remoteAddress' | 'userAgent' | 'startedAtMs' | 'startedMs'
>;

export function newRequestRecord(start: RequestStart): RequestRecord {
  return {
    requestId: start.requestId,
    clientRequestId: start.clientRequestId,
    method: start.method,
    url: start.url,
    remoteAddress: start.remoteAddress,
    userAgent: start.userAgent,
    startedAtMs: start.startedAtMs,
    startedMs: start.startedMs,
    durationMs: 0,
    credential: 'none',
    account: '',
    operation: 'Unknown',
    table: undefined,
    partitionKey: undefined,
    rowKey: undefined,
    filter: undefined,
    plan: undefined,
    visited: 0,
    returned: 0,
    pageEnd: undefined,
    followsContinuation: false,
    givesContinuation: false,
    batchSize: 0,
    members: noMembers,
    capacity: undefined,
    format: undefined,
    bytesIn: 0,
    bytesOut: 0,
    status: 0,
    refusal: undefined,
  };
}

const noMembers: readonly BatchMember[] = Object.freeze([]);

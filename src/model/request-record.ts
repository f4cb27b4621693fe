// The record of one request, from its arrival to the end of its response. The record is created once, and each step
// fills in its part. The request log, the metrics, the heat map and the advisor read only this record.

import type { CapacityUse } from './capacity-use.ts';
import { consoleIdPrefix } from './console-id.ts';
import type { EdmValue } from './edm.ts';
import type { EntityRecord } from './entity.ts';
import type { KeyRange } from './key-range.ts';
import type { Mutation } from './mutation.ts';
import type { ServiceError } from './service-error.ts';
import type { TraceContext } from './trace-context.ts';

/** The beginning of the `User-Agent` in requests that Tanzanite's commands send. Their version follows it. */
export const commandAgentPrefix = 'tanzanite-cli/';

/** How a caller proved its identity; `none` until this is known, and for a preflight request. */
export type CredentialKind = 'none' | 'key' | 'tableSas' | 'accountSas' | 'bearer';

/**
 * Plain data that each step of a request changes in place. If a request ends before a step, the members of that step
 * keep their initial values. A text may be a slice of the request, so a reader that keeps a text must copy it
 * (`copyString`).
 */
export interface RequestRecord {
  /** The `x-ms-request-id` of the response. */
  readonly requestId: string;
  /** The client's own id, if the response repeats it. */
  readonly clientRequestId: string | undefined;
  /** The trace that the request belongs to, if its `traceparent` names one. */
  readonly trace: TraceContext | undefined;
  readonly method: string;
  /** The request target as sent. It may hold a signature: never show it unmasked. */
  readonly url: string;
  /** Address of the other end of the socket. */
  readonly remoteAddress: string;
  readonly userAgent: string | undefined;
  /** Whether the request came over HTTPS. */
  readonly isSecure: boolean;
  /** Number of the connection, from 1 in the order of arrival. */
  readonly connection: number;
  /** Connections, of all clients, that were open when the head arrived. */
  readonly connectionsOpen: number;
  /** Whether the client asked for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Model time at the arrival of the head: milliseconds since 1970-01-01T00:00:00Z. */
  readonly startedAtMs: number;
  /** Machine time at the arrival of the head, in milliseconds since an arbitrary moment. */
  readonly startedMs: number;
  /** The headers of the request, as Node gives them. They may hold signatures; a reader must not keep them. */
  readonly headers: HeaderFields;
  /** From the arrival of the head until the response is handed to the socket. */
  durationMs: number;

  credential: CredentialKind;
  /** The owner of the bearer token: its object id, else the id of the application. */
  principal: string | undefined;
  /** Empty if the address does not name an account. */
  account: string;
  /** The operation's name in the documentation of the service; `Unknown` until it is found. */
  operation: string;
  /** Whether the request was sent to the secondary. */
  isOfSecondary: boolean;
  /** The table as written in the address. For a batch, the tables are in `members`. */
  table: string | undefined;
  /** Key of the one entity that is read or written. */
  partitionKey: string | undefined;
  rowKey: string | undefined;

  /** The text of `$filter`. */
  filter: string | undefined;
  /** The text of `$select`. */
  select: string | undefined;
  /** `$top`; undefined if it is absent or out of range. */
  top: number | undefined;
  /** The text of If-Match. */
  ifMatch: string | undefined;
  /** The version of the service that the response follows. */
  version: string | undefined;
  /** Whether a web page of another origin may have sent the request. */
  isFromPage: boolean;
  /** The change that a write of one entity asks for. It holds values of the request, so a reader must not keep it. */
  mutation: Mutation | undefined;
  /** The entities that were read, in order. */
  entities: readonly EntityRecord[];
  plan: QueryPlan | undefined;
  /** The keys from the beginning of a query's page to the beginning of the next page. */
  visitedRange: KeyRange | undefined;
  /** Entities that a query looked at, selected or not. */
  visited: number;
  /** Entities or tables in the page. */
  returned: number;
  /** Why the page ended: a value of `PageEnd` in src/query. */
  pageEnd: string | undefined;
  /** The types that the filter's properties had in the entities; undefined if no filter was evaluated. */
  typesMet: QueriedTypes | undefined;
  /** Whether the request carries the continuation of an earlier page. */
  followsContinuation: boolean;
  /** Whether the response carries a continuation. */
  givesContinuation: boolean;
  /** How many requests are inside a batch; 0 for other requests. */
  batchSize: number;
  /** The requests inside a batch, in order. If the batch was refused, only the request that caused the refusal. */
  members: readonly BatchMember[];
  batchWarning: BatchWarning | undefined;

  /** What the capacity model did with the request; undefined if the request did not get that far. */
  capacity: CapacityUse | undefined;

  /** Format of the response's payload; undefined if the request was refused before its format was accepted. */
  format: RecordedFormat | undefined;
  /** The request's body. A reader must not keep it, because its memory is reused for other bodies. */
  body: Buffer | undefined;
  /** Length of the request's body. */
  bytesIn: number;
  /** From the arrival of the head until the body was complete, if the operation reads one. */
  bodyWaitMs: number;
  /** Length of the response's body. */
  bytesOut: number;

  /**
   * The status of the response, or 0 until the status is known. 499: the client disconnected before the response. 444:
   * the emulator closed the connection without a response. nginx logs the same numbers in these cases.
   */
  status: number;
  /**
   * The headers of the response, without the headers that the HTTP server adds. The list is empty until the response is
   * known. Readers must not keep the list.
   */
  responseHeaders: readonly (readonly [name: string, value: string])[];
  /** Why the request was refused: code, stage and reason. */
  refusal: ServiceError | undefined;
  fault: StagedFault | undefined;
}

/** A fault that was staged for a request (src/faults). */
export interface StagedFault {
  /** The rule's name, or its id. */
  readonly rule: string;
  readonly kind: string;
  /**
   * Whether the fault replaced the service's response. If so, no conclusions about load can be drawn from the request.
   */
  readonly isOutcome: boolean;
}

/** Whether a staged fault replaced the response. If so, statistics count neither the request nor its error. */
export const isStaged = ({ fault }: Pick<RequestRecord, 'fault'>): boolean => fault?.isOutcome === true;

/** By lower-case name. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a query's plan that does not depend on src/query. */
export interface QueryPlan {
  readonly kind: string;
  /** The keys that are visited. */
  readonly range: KeyRange;
}

/** What src/query knows about the types of properties. */
export interface QueriedTypes {
  of(property: string): { readonly types: readonly EdmValue['type'][]; readonly isEverywhere: boolean };
}

export interface BatchMember {
  /** `Unknown` if the request could not be read. */
  readonly operation: string;
  readonly table: string | undefined;
  readonly partitionKey?: string | undefined;
  readonly rowKey?: string | undefined;
  /** Status of the operation's own response. */
  readonly status: number | undefined;
  /** 0-based place in its changeset. */
  readonly index: number;
  readonly refusal: ServiceError | undefined;
  readonly mutation?: Mutation | undefined;
  /** Whether it is a query that carries a continuation. */
  readonly followsContinuation?: boolean;
}

/** A mistake in a batch that is nevertheless answered with 202. */
export interface BatchWarning {
  /**
   * `nothing read`: the batch contains no request. `no end`: the last part of the batch is not closed, so requests may
   * be missing.
   */
  readonly kind: 'nothing read' | 'no end';
  /** One sentence. */
  readonly text: string;
}

export interface RecordedFormat {
  readonly kind: 'json' | 'atom';
  /** Metadata level of JSON. */
  readonly level?: 'none' | 'minimal' | 'full';
}

/** The members that are known when the head of a request has arrived. */
export type RequestStart = Pick<
  RequestRecord,
  | 'requestId'
  | 'clientRequestId'
  | 'trace'
  | 'method'
  | 'url'
  | 'remoteAddress'
  | 'userAgent'
  | 'isSecure'
  | 'connection'
  | 'connectionsOpen'
  | 'expectsContinue'
  | 'startedAtMs'
  | 'startedMs'
  | 'headers'
>;

export function newRequestRecord(start: RequestStart): RequestRecord {
  return {
    requestId: start.requestId,
    clientRequestId: start.clientRequestId,
    trace: start.trace,
    method: start.method,
    url: start.url,
    remoteAddress: start.remoteAddress,
    userAgent: start.userAgent,
    isSecure: start.isSecure,
    connection: start.connection,
    connectionsOpen: start.connectionsOpen,
    expectsContinue: start.expectsContinue,
    startedAtMs: start.startedAtMs,
    startedMs: start.startedMs,
    headers: start.headers,
    durationMs: 0,
    credential: 'none',
    principal: undefined,
    account: '',
    operation: 'Unknown',
    isOfSecondary: false,
    table: undefined,
    partitionKey: undefined,
    rowKey: undefined,
    filter: undefined,
    select: undefined,
    top: undefined,
    ifMatch: undefined,
    version: undefined,
    isFromPage: false,
    mutation: undefined,
    entities: noEntities,
    plan: undefined,
    visitedRange: undefined,
    visited: 0,
    returned: 0,
    pageEnd: undefined,
    typesMet: undefined,
    followsContinuation: false,
    givesContinuation: false,
    batchSize: 0,
    members: noMembers,
    batchWarning: undefined,
    capacity: undefined,
    format: undefined,
    body: undefined,
    bytesIn: 0,
    bodyWaitMs: 0,
    bytesOut: 0,
    status: 0,
    responseHeaders: noHeaders,
    refusal: undefined,
    fault: undefined,
  };
}

const noMembers: readonly BatchMember[] = Object.freeze([]);
const noEntities: readonly EntityRecord[] = Object.freeze([]);
const noHeaders: RequestRecord['responseHeaders'] = Object.freeze([]);

/** Whether the console or a command (copy, entity, import …) sent the request, rather than an application. */
export const isOfTool = ({
  clientRequestId,
  userAgent,
}: Partial<Pick<RequestRecord, 'clientRequestId' | 'userAgent'>>): boolean =>
  clientRequestId?.startsWith(consoleIdPrefix) === true || userAgent?.startsWith(commandAgentPrefix) === true;

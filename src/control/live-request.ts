import type { CapacityUse } from '../model/capacity-use.ts';
import type { KeyRange } from '../model/key-range.ts';
import { cutMiddle } from '../model/printable-text.ts';
import type { BatchMember, CredentialKind, RequestRecord } from '../model/request-record.ts';
import type { RequestReport } from '../model/request-report.ts';
import { summarizeRequest, withoutSignature } from '../model/summarize-request.ts';
import { type HeaderPair, shownHeaders } from './shown-headers.ts';

/** A request as the live stream has it. Members without a value are left out. */
export interface LiveRequest extends RequestReport {
  /** Arrival, in milliseconds since 1970: the emulator's time. */
  readonly atMs: number;
  readonly method: string;
  /** The request target, without the signature of a shared access signature; the middle of a long one is left out. */
  readonly url: string;
  readonly remoteAddress: string;
  readonly userAgent?: string;
  /** Number of the connection. */
  readonly connection: number;
  readonly credential: CredentialKind;
  /** Of the service. */
  readonly version?: string;
  /** The text of `$select`. */
  readonly select?: string;
  readonly ifMatch?: string;
  /** The service's message of a refusal. */
  readonly message?: string;
  /** The keys that a query visited. */
  readonly range?: KeyRange;
  /** Whether the response carries a continuation. */
  readonly givesContinuation?: boolean;
  /** What the capacity model did; `wouldThrottle`: production would have refused the request. */
  readonly capacity?: CapacityUse['outcome'];
  /** The requests of a batch, in order; if it was refused, only the one that caused it. */
  readonly members?: readonly LiveMember[];
  /** Names and values as sent, without secrets. */
  readonly requestHeaders: readonly HeaderPair[];
  /** Those of the service; the HTTP server adds Date and those of the connection. */
  readonly responseHeaders: readonly HeaderPair[];
}

export interface LiveMember {
  readonly operation: string;
  readonly table?: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  readonly status?: number;
  readonly code?: string;
}

const urlCharsMax = 2_048;

/** Shares texts with the record: render it at once. */
export function liveRequest(record: RequestRecord): LiveRequest {
  const { userAgent, version, select, ifMatch, refusal, plan, capacity, members } = record;
  return {
    ...summarizeRequest(record),
    atMs: Math.round(record.startedAtMs * 1000) / 1000,
    method: record.method,
    url: cutMiddle(withoutSignature(record.url), urlCharsMax),
    remoteAddress: record.remoteAddress,
    connection: record.connection,
    credential: record.credential,
    ...(userAgent !== undefined && { userAgent: cutMiddle(userAgent, urlCharsMax) }),
    ...(version !== undefined && { version }),
    ...(select !== undefined && { select }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(refusal && { message: refusal.message }),
    ...(plan && { range: plan.range }),
    ...(record.givesContinuation && { givesContinuation: true }),
    ...(capacity && { capacity: capacity.outcome }),
    ...(members.length > 0 && { members: members.map(liveMember) }),
    requestHeaders: shownHeaders(record.headers),
    responseHeaders: shownHeaders(record.responseHeaders),
  };
}

const liveMember = ({ operation, table, partitionKey, rowKey, status, refusal }: BatchMember): LiveMember => ({
  operation,
  ...(table !== undefined && { table }),
  ...(partitionKey !== undefined && { partitionKey }),
  ...(rowKey !== undefined && { rowKey }),
  ...(status !== undefined && { status }),
  ...(refusal && { code: refusal.code }),
});

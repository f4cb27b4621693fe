import type { CapacityUse } from '../../model/capacity-use.ts';
import type { KeyRange } from '../../model/key-range.ts';
import { cutMiddle } from '../../model/printable-text.ts';
import type { BatchMember, CredentialKind, RequestRecord } from '../../model/request-record.ts';
import type { RequestReport } from '../../model/request-report.ts';
import { summarizeRequest, withoutSignature } from '../../model/summarize-request.ts';
import { type HeaderPair, shownHeaders } from './shown-headers.ts';

/** A request in the live stream. Members without a value are left out. */
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
  /** Version of the service. */
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
  /** The outcome of the capacity model; `wouldThrottle`: production would have refused the request. */
  readonly capacity?: CapacityUse['outcome'];
  /** The requests of a batch, in order; if it was refused, only the one that caused it. */
  readonly members?: readonly LiveMember[];
  /** Names and values as sent, without secrets. */
  readonly requestHeaders: readonly HeaderPair[];
  /** Headers of the service; the HTTP server adds Date and the headers of the connection. */
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

/** The JSON of a LiveRequest. It is rendered immediately, because its texts are shared with the record. */
export function renderLiveRequest(record: RequestRecord): string {
  const { members, userAgent } = record;
  // One literal; JSON leaves out its members without a value. Merging objects takes several times as long.
  const own: OwnMembers = {
    atMs: Math.round(record.startedAtMs * 1000) / 1000,
    method: record.method,
    url: cutMiddle(withoutSignature(record.url), urlCharsMax),
    remoteAddress: record.remoteAddress,
    connection: record.connection,
    credential: record.credential,
    userAgent: userAgent === undefined ? undefined : cutMiddle(userAgent, urlCharsMax),
    version: record.version,
    select: record.select,
    ifMatch: record.ifMatch,
    message: record.refusal?.message,
    range: record.plan?.range,
    givesContinuation: record.givesContinuation || undefined,
    capacity: record.capacity?.outcome,
    members: members.length > 0 ? members.map(liveMember) : undefined,
    requestHeaders: shownHeaders(record.headers),
    responseHeaders: shownHeaders(record.responseHeaders),
  };
  return `${JSON.stringify(summarizeRequest(record)).slice(0, -1)},${JSON.stringify(own).slice(1)}`;
}

type OwnName = Exclude<keyof LiveRequest, keyof RequestReport>;
type OwnMembers = { readonly [Name in OwnName]: LiveRequest[Name] | undefined };

const liveMember = ({ operation, table, partitionKey, rowKey, status, refusal }: BatchMember): LiveMember => ({
  operation,
  ...(table !== undefined && { table }),
  ...(partitionKey !== undefined && { partitionKey }),
  ...(rowKey !== undefined && { rowKey }),
  ...(status !== undefined && { status }),
  ...(refusal && { code: refusal.code }),
});

// A request for readers outside of the emulator: the fields of its line in the JSON log, and what `onRequest` of the library
// gets. Members without a value are left out.

import type { BatchMember, RequestRecord } from './request-record.ts';

/** What a request asked for and how it ended. Plain data that can be kept. */
export interface RequestReport {
  /** The operation's name in the documentation of the service; `Unknown` where the request names none. */
  readonly operation: string;
  /** HTTP status; 499 where the client disconnected before, 444 where the emulator closed the connection instead. */
  readonly status: number;
  /** Error code of a refusal. */
  readonly code?: string;
  /** Why it was refused, one sentence an item, the cause first. */
  readonly why?: readonly string[];
  readonly requestId: string;
  readonly clientRequestId?: string;
  readonly durationMs: number;
  readonly account: string;
  readonly table?: string;
  /** Keys of the one entity that was read or written. */
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** The text of `$filter`, decoded. */
  readonly filter?: string;
  /** How a query was carried out: `point`, `range`, `partition scan` or `table scan`. */
  readonly plan?: string;
  /** Entities that a query looked at. */
  readonly visited?: number;
  /** Entities in the page. */
  readonly returned?: number;
  readonly pageEnd?: string;
  readonly batch?: BatchReport;
  /** How long it waited for capacity. */
  readonly waitedMs?: number;
  /** The scalability target that it was beyond. */
  readonly beyond?: string;
  /** Capacity units (1 KiB of entities) that it was charged. */
  readonly units?: number;
  /** Bytes of the bodies. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface BatchReport {
  /** Requests in it. */
  readonly size: number;
  /** The request for which it was refused: its 0-based place, operation and error. */
  readonly refused?: {
    readonly index: number;
    readonly operation: string;
    readonly code: string;
    readonly why?: readonly string[];
  };
}

export function requestReport(record: RequestRecord): RequestReport {
  const { refusal, clientRequestId, table, partitionKey, rowKey, filter, plan, capacity } = record;
  const report: { -readonly [Name in keyof RequestReport]: RequestReport[Name] } = {
    operation: record.operation,
    status: record.status,
    requestId: record.requestId,
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    account: record.account,
    bytesIn: record.bytesIn,
    bytesOut: record.bytesOut,
  };
  if (refusal) report.code = refusal.code;
  const why = refusal?.why ?? [];
  if (why.length > 0) report.why = why;
  if (clientRequestId !== undefined) report.clientRequestId = clientRequestId;
  if (table !== undefined) report.table = table;
  if (partitionKey !== undefined) report.partitionKey = partitionKey;
  if (rowKey !== undefined) report.rowKey = rowKey;
  if (filter !== undefined) report.filter = filter;
  if (plan) {
    report.plan = plan.kind;
    report.visited = record.visited;
    report.returned = record.returned;
    if (record.pageEnd !== undefined) report.pageEnd = record.pageEnd;
  }
  if (record.batchSize > 0) report.batch = batchReport(record);
  if (capacity) {
    report.units = capacity.units;
    if (capacity.waitedMs > 0) report.waitedMs = Math.round(capacity.waitedMs);
    if (capacity.limit !== undefined) report.beyond = capacity.limit;
  }
  return report;
}

function batchReport({ batchSize: size, members }: RequestRecord): BatchReport {
  const refused = refusedMember(members);
  if (!refused) return { size };
  const { index, operation, refusal } = refused;
  const { code, why } = refusal;
  return { size, refused: { index, operation, code, ...(why.length === 0 ? {} : { why }) } };
}

type RefusedMember = BatchMember & { readonly refusal: NonNullable<BatchMember['refusal']> };

/** The request for which a batch was refused. */
export function refusedMember(members: readonly BatchMember[]): RefusedMember | undefined {
  return members.find((member): member is RefusedMember => member.refusal !== undefined);
}

/** A shared access signature is a key: it is never written down, however its name is spelt. */
export function withoutSignature(url: string): string {
  return url.replace(/([?&](?:s|%73|%53)(?:i|%69|%49)(?:g|%67|%47)=)[^&]*/gi, '$1REDACTED');
}

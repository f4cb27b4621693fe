import type { BatchMember, RequestRecord } from './request-record.ts';
import type { BatchReport, RequestReport } from './request-report.ts';

/** The part of a request's record that readers outside the emulator get. */
export function summarizeRequest(record: RequestRecord): RequestReport {
  const { refusal, clientRequestId, trace, table, partitionKey, rowKey, filter, plan, capacity } = record;
  const report: { -readonly [Name in keyof RequestReport]: RequestReport[Name] } = {
    operation: record.operation,
    status: record.status,
    requestId: record.requestId,
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    account: record.account,
    bytesIn: record.bytesIn,
    bytesOut: record.bytesOut,
  };
  if (record.principal !== undefined) report.principal = record.principal;
  if (refusal) report.code = refusal.code;
  const why = refusal?.why ?? [];
  if (why.length > 0) report.why = why;
  if (clientRequestId !== undefined) report.clientRequestId = clientRequestId;
  if (trace !== undefined) report.traceId = trace.traceId;
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
  if (record.batchSize > 0 || record.batchWarning) report.batch = batchReport(record);
  if (record.fault) report.fault = { rule: record.fault.rule, kind: record.fault.kind };
  if (capacity) {
    report.units = capacity.units;
    if (capacity.waitedMs > 0) report.waitedMs = Math.round(capacity.waitedMs);
    if (capacity.limit !== undefined) report.beyond = capacity.limit;
  }
  return report;
}

function batchReport({ batchSize: size, members, batchWarning }: RequestRecord): BatchReport {
  const refused = refusedMember(members);
  const warning = batchWarning ? { warning: batchWarning.text } : {};
  if (!refused) return { size, ...warning };
  const { index, operation, refusal } = refused;
  const { code, why } = refusal;
  return { size, refused: { index, operation, code, ...(why.length === 0 ? {} : { why }) }, ...warning };
}

type RefusedMember = BatchMember & { readonly refusal: NonNullable<BatchMember['refusal']> };

/** The request for which a batch was refused. */
export function refusedMember(members: readonly BatchMember[]): RefusedMember | undefined {
  return members.find((member): member is RefusedMember => member.refusal !== undefined);
}

/** Whether a request deserves attention: the request or a part of it was refused, or its batch has a warning. */
export const isNoteworthy = ({ status, members, batchWarning }: RequestRecord): boolean =>
  isError(status) || refusedMember(members) !== undefined || batchWarning !== undefined;

/** Like isNoteworthy, for the report of a request. */
export const isNoteworthyReport = ({ status, batch }: RequestReport): boolean =>
  isError(status) || batch?.refused !== undefined || batch?.warning !== undefined;

/** 499 is not an error: the client disconnected. */
const isError = (status: number): boolean => status >= 400 && status !== 499;

/** Parameters that hold secrets: a signature, or a token that does not belong in a query. */
const secretNames: ReadonlySet<string> = new Set(['sig', 'access_token', 'id_token']);

/** The address with secrets masked, whatever the case or encoding of their names. */
export function withoutSignature(url: string): string {
  return url.replace(/([?&]([^=&]*)=)[^&]*/g, (pair, start: string, name: string) =>
    secretNames.has(decoded(name).toLowerCase()) ? `${start}REDACTED` : pair,
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

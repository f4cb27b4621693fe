// What each step of a request writes into its record.

import type { EntityKey } from '../model/entity.ts';
import type { Mutation } from '../model/mutation.ts';
import { newRequestRecord, type RequestRecord } from '../model/request-record.ts';
import type { Schedule } from '../model/schedule.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Clock, MachineTime } from '../model/time.ts';
import { parseTraceparent } from '../model/trace-context.ts';
import type { Address } from '../protocol/address.ts';
import type { QueryReport } from '../query/report.ts';
import { type Delivery, type HttpRequest, responseOf } from './http-message.ts';
import type { ParsedHeaders } from './negotiated-headers.ts';
import type { OperationResult } from './operation.ts';
import { readRequestIds } from './request-ids.ts';

/** Begins the record of a request whose head has arrived. */
export function startRecord(
  request: HttpRequest,
  { clock, time, schedule }: { readonly clock: Clock; readonly time: MachineTime; readonly schedule: Schedule },
): RequestRecord {
  const { requestId, clientRequestId } = readRequestIds(request, schedule);
  return newRequestRecord({
    requestId,
    clientRequestId,
    trace: parseTraceparent(request.headers['traceparent']),
    method: request.method,
    url: request.url,
    remoteAddress: request.remoteAddress,
    userAgent: request.headers['user-agent'],
    isSecure: request.isSecure,
    connection: request.connection,
    connectionsOpen: request.connectionsOpen,
    expectsContinue: request.headers.expect !== undefined,
    startedAtMs: clock.nowMs(),
    startedMs: time.monotonicMs(),
    headers: request.headers,
  });
}

export function recordAddress(record: RequestRecord, { account, resource, secondary }: Address): void {
  record.account = account;
  record.isOfSecondary = secondary;
  if ('table' in resource) record.table = resource.table.name;
  if (resource.kind === 'entity') recordKey(record, resource.key);
}

function recordKey(record: RequestRecord, { partitionKey, rowKey }: EntityKey): void {
  record.partitionKey = partitionKey;
  record.rowKey = rowKey;
}

/** Records a write before it is carried out, because seams need it. The operation itself records it again. */
export function recordWrite(record: RequestRecord, mutation: Mutation): void {
  recordKey(record, mutation);
  record.mutation = mutation;
}

export function recordHeaders(record: RequestRecord, negotiated: ParsedHeaders): void {
  const { format, query } = negotiated;
  record.format = format instanceof ServiceError ? undefined : format;
  record.version = negotiated.version;
  record.ifMatch = negotiated.ifMatch;
  record.isFromPage = negotiated.isFromPage;
  if (query.size === 0) return;
  record.filter = query.get('$filter');
  record.select = query.get('$select');
  record.top = topOf(query.get('$top'));
  record.followsContinuation = query.has('NextPartitionKey') || query.has('NextTableName');
}

const topOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;

export function recordBody(record: RequestRecord, body: Buffer, time: MachineTime): void {
  record.body = body;
  record.bytesIn = body.length;
  record.bodyWaitMs = time.monotonicMs() - record.startedMs;
}

export function recordResult(record: RequestRecord, { report, hasNext = false }: OperationResult): void {
  record.givesContinuation = hasNext;
  if (report !== undefined) recordReport(record, report);
}

export function recordReport(record: RequestRecord, { plan, visited, returned, end, typesMet }: QueryReport): void {
  record.plan = plan;
  record.visited = visited;
  record.returned = returned;
  record.pageEnd = end;
  record.typesMet = typesMet;
}

/**
 * The same numbers as in the log of nginx: 499 if the client closes the connection before a response, 444 if the server
 * closes it without a response.
 */
export const clientClosedStatus = 499;
const serverClosedStatus = 444;

export function recordDelivery(record: RequestRecord, delivery: Delivery): void {
  const response = responseOf(delivery);
  if (response !== undefined) record.status = response.status;
  else if (record.status !== clientClosedStatus) record.status = serverClosedStatus;
  if (response !== undefined) record.responseHeaders = response.headers;
  record.bytesOut = response?.body?.length ?? 0;
}

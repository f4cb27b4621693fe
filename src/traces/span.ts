// The span of one request, by OpenTelemetry's conventions for HTTP servers and databases (1.44). A span contains no
// account key, no signature, no query string and no value of an entity. PartitionKey and RowKey are values of an entity
// too, so a span leaves them out although the address contains them. A span also leaves out all text that is quoted in
// the reason for a refusal.

import { isStaged, type RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';
import { refusedMember } from '../model/summarize-request.ts';
import type { MachineTime } from '../model/time.ts';
import { type AttributeValues, renderAttribute, renderAttributes, renderValue } from './attributes.ts';
import { maskedPath } from './masked-path.ts';
import { reasonOf } from './refusal-reason.ts';
import type { SpanIds } from './span-ids.ts';

export interface SpanTools {
  readonly time: Pick<MachineTime, 'nowMs' | 'monotonicMs'>;
  readonly ids: SpanIds;
  /** HTTP methods that spans name. Others become `_OTHER`. */
  readonly methods: ReadonlySet<string>;
}

/** Kinds and states of OTLP. */
const [serverKind, errorStatus] = [2, 2];
/** The flag of a sampled trace, and the flags for a parent in another process. */
const [sampled, hasRemoteParent] = [0x001, 0x300];
/** The conventions have no name for the Table service. This name follows their pattern. */
const systemName = 'azure.table_storage';

/** The span of a request as JSON. */
export function renderSpan(record: RequestRecord, { time, ids, methods }: SpanTools): string {
  const { trace } = record;
  // Model time can be frozen, and spans of other processes have the machine's time.
  const startMs = time.nowMs() - (time.monotonicMs() - record.startedMs);
  const [start, end] = [nanoseconds(startMs), nanoseconds(startMs + record.durationMs)];
  const method = methods.has(record.method) ? record.method : '_OTHER';
  const parent = trace ? `"parentSpanId":"${trace.parentId}",` : '';
  const attributes = httpAttributes(record, method) + databaseAttributes(record);
  const status = errorTypeOf(record) === undefined ? '' : `,"status":{"code":${errorStatus}}`;
  return (
    `{"traceId":"${trace?.traceId ?? ids.traceId()}","spanId":"${ids.spanId()}",${parent}` +
    `"flags":${sampled | (trace ? hasRemoteParent : 0)},"name":${renderValue(nameOf(record, method))},"kind":${serverKind},` +
    `"startTimeUnixNano":"${start}","endTimeUnixNano":"${end}","attributes":[${attributes.slice(1)}],` +
    `"events":[${eventsOf(record, { start, end }).join(',')}]${status}}`
  );
}

/** The time as a text in nanoseconds. As a number, it would be precise only to a quarter of a microsecond. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}

function nameOf(record: RequestRecord, method: string): string {
  if (record.operation === 'Unknown') return method === '_OTHER' ? 'HTTP' : method;
  const collection = collectionOf(record);
  return collection === undefined ? operationOf(record) : `${operationOf(record)} ${collection}`;
}

function httpAttributes(record: RequestRecord, method: string): string {
  const { status, headers, isSecure, remoteAddress, bytesIn, bytesOut } = record;
  const { host, port } = serverOf(headers['host'], isSecure);
  return (
    renderAttribute('http.request.method', method) +
    renderAttribute('http.request.method_original', method === record.method ? undefined : record.method) +
    renderAttribute('http.response.status_code', isClosed(status) ? undefined : status) +
    renderAttribute('error.type', errorTypeOf(record)) +
    renderAttribute('url.scheme', isSecure ? 'https' : 'http') +
    renderAttribute('url.path', maskedPath(record)) +
    renderAttribute('server.address', host) +
    renderAttribute('server.port', port) +
    renderAttribute('client.address', remoteAddress || undefined) +
    renderAttribute('network.peer.address', remoteAddress || undefined) +
    renderAttribute('network.protocol.name', 'http') +
    renderAttribute('user_agent.original', record.userAgent) +
    renderAttribute('http.request.body.size', bytesIn) +
    renderAttribute('http.response.body.size', bytesOut) +
    renderAttribute('azure.service.request.id', record.requestId) +
    renderAttribute('tanzanite.client_request_id', record.clientRequestId)
  );
}

function databaseAttributes(record: RequestRecord): string {
  const { account, operation, batchSize, plan, capacity } = record;
  const isKnown = operation !== 'Unknown';
  return (
    renderAttribute('db.system.name', systemName) +
    renderAttribute('db.namespace', account === '' ? undefined : account) +
    renderAttribute('db.collection.name', collectionOf(record)) +
    renderAttribute('db.operation.name', isKnown ? operationOf(record) : undefined) +
    renderAttribute('db.operation.batch.size', isBatch(record) ? batchSize : undefined) +
    renderAttribute('db.response.returned_rows', isRead(record) ? rowsOf(record) : undefined) +
    renderAttribute('db.response.status_code', refusalOf(record)?.code) +
    renderAttribute('tanzanite.operation', isKnown ? operation : undefined) +
    renderAttribute('tanzanite.plan', plan?.kind) +
    renderAttribute('tanzanite.visited', plan ? record.visited : undefined) +
    renderAttribute('tanzanite.units', capacity?.units)
  );
}

/**
 * Returns the name of the table as it is spelled in the address. For a batch, returns the table that all operations of
 * the batch share. Returns undefined if there is no such table, or if the name is invalid.
 */
function collectionOf({ table, members }: RequestRecord): string | undefined {
  const [first] = members;
  const name = table ?? (members.every((member) => member.table === first?.table) ? first?.table : undefined);
  return name !== undefined && tableName.test(name) ? name : undefined;
}

const tableName = /^\$?[A-Za-z][A-Za-z0-9]{2,62}$/;

const isBatch = ({ operation, batchSize }: RequestRecord): boolean =>
  operation === 'EntityGroupTransaction' && batchSize !== 1;

/** `BATCH InsertEntity` if all operations are inserts, and the service's own name if they differ or are unknown. */
function operationOf(record: RequestRecord): string {
  const { operation, batchSize, members } = record;
  const [first] = members;
  const isAlike = members.length === batchSize && members.every((member) => member.operation === first?.operation);
  if (operation !== 'EntityGroupTransaction' || !first || !isAlike || first.operation === 'Unknown') return operation;
  return batchSize === 1 ? first.operation : `BATCH ${first.operation}`;
}

const isRead = ({ plan, operation }: RequestRecord): boolean =>
  plan !== undefined || operation === 'GetEntity' || operation === 'QueryTables';

const rowsOf = ({ operation, returned, status }: RequestRecord): number =>
  operation === 'GetEntity' ? Number(status === 200) : returned;

/** With 499 and 444, there was no response. */
const isClosed = (status: number): boolean => status === 499 || status === 444;

/** A mistake of the caller is not an error in a server's span. */
function errorTypeOf({ status, refusal }: RequestRecord): string | undefined {
  if (status === 499) return 'client_disconnected';
  if (status === 444) return 'connection_closed';
  return status >= 500 ? (refusal?.code ?? String(status)) : undefined;
}

function refusalOf({ refusal, members }: RequestRecord): ServiceError | undefined {
  return refusal ?? refusedMember(members)?.refusal;
}

/** The client chooses the Host header, so a text that is not a host is left out. */
function serverOf(
  header: string | readonly string[] | undefined,
  isSecure: boolean,
): { readonly host?: string; readonly port?: number } {
  const [, host, port] =
    /^(\[[0-9a-f:.]{2,64}\]|[\w.-]{1,253})(?::(\d{1,5}))?$/i.exec(typeof header === 'string' ? header : '') ?? [];
  if (host === undefined) return {};
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? (isSecure ? 443 : 80) : Number(port) };
}

function eventsOf(record: RequestRecord, { start, end }: { readonly start: string; readonly end: string }): string[] {
  const { plan, capacity, fault } = record;
  const events: string[] = [];
  const add = (time: string, name: string, values: AttributeValues): void => {
    const attributes = renderAttributes(values);
    events.push(`{"timeUnixNano":"${time}","name":"tanzanite.${name}","attributes":${attributes}}`);
  };
  if (capacity && capacity.waitedMs > 0)
    add(start, 'wait', { 'tanzanite.waited_ms': capacity.waitedMs, 'tanzanite.limit': capacity.limit });
  if (plan)
    add(end, 'plan', {
      'tanzanite.plan': plan.kind,
      'tanzanite.visited': record.visited,
      'tanzanite.returned': record.returned,
      'tanzanite.page_end': record.pageEnd,
      'tanzanite.continues': record.givesContinuation ? 'yes' : undefined,
    });
  if (capacity && capacity.outcome !== 'admitted')
    add(end, 'throttling', { 'tanzanite.outcome': capacity.outcome, 'tanzanite.limit': capacity.limit });
  if (fault)
    add(end, 'fault', {
      'tanzanite.fault.rule': fault.rule,
      'tanzanite.fault.kind': fault.kind,
      'tanzanite.fault.outcome': isStaged(record) ? 'staged' : undefined,
    });
  const refusal = refusalOf(record);
  if (refusal)
    add(end, 'refusal', {
      'tanzanite.code': refusal.code,
      'tanzanite.stage': refusal.stage,
      'tanzanite.reason': reasonOf(record, refusal),
      'tanzanite.batch_index': refusedMember(record.members)?.index,
    });
  return events;
}

// Entity group transactions: the requests inside a batch go the same way as others do, from their address to their payload;
// only then are they carried out together. One that cannot be read, or is refused, is the whole changeset's answer.

import type { IncomingHttpHeaders } from 'node:http';
import { access } from '../auth/access.ts';
import { checkKeyInRange } from '../auth/authorize.ts';
import type { EntityRecord } from '../model/entity.ts';
import type { ErrorCode } from '../model/error-catalogue.ts';
import { changesetOperationsMax } from '../model/limits.ts';
import type { BatchMember } from '../model/request-record.ts';
import { ServiceError, unreadableInput } from '../model/service-error.ts';
import { Changeset, entityGroupTransaction } from '../operations/entity-group-transaction.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { WriteRefusal } from '../operations/write-entity.ts';
import { type Address, parseInnerAddress } from '../protocol/address.ts';
import { type BatchedRequest, type BatchPart, type InnerRequest, readBatch } from '../protocol/batch-request.ts';
import {
  type BatchResponsePart,
  type InnerResponse,
  type InnerStage,
  indexPrefix,
  renderBatchResponse,
} from '../protocol/batch-response.ts';
import { errorFormat } from '../protocol/payload-format.ts';
import { parseQueryOptions } from '../protocol/query-options.ts';
import { versionGates } from '../protocol/service-version.ts';
import { authorizeOperation } from './authorize-operation.ts';
import { refusalPayload } from './error-response.ts';
import { recordReport } from './fill-record.ts';
import { headerOf } from './http-message.ts';
import {
  formatWishes,
  type ParsedHeaders,
  parseHeaders,
  parsePreference,
  type TableRequest,
} from './negotiated-headers.ts';
import { type Operation, type OperationResult, operation } from './operation.ts';

/** What finds the operation that a request means. */
export type FindOperation = (
  address: Address,
  negotiated: ParsedHeaders,
  call: { readonly method: string; readonly headers: IncomingHttpHeaders },
) => Operation;

/** A request of a batch, read down to what its operation takes. */
interface DecodedRequest {
  readonly operation: Operation;
  readonly input: unknown;
  readonly request: TableRequest;
  readonly inner: InnerRequest;
}

/** Why a changeset, or a single request, was refused. */
interface InnerRefusal {
  readonly kind: 'refused';
  readonly error: ServiceError;
  readonly index: number;
  readonly size: number;
  /** Directly in the batch, outside a changeset. */
  readonly isQuery: boolean;
  readonly inner: BatchedRequest | undefined;
  /** The request itself, where it could be read. */
  readonly call?: DecodedRequest | undefined;
}

type ReadPart =
  | { readonly kind: 'changeset'; readonly calls: readonly DecodedRequest[]; readonly changeset: Changeset }
  | { readonly kind: 'query'; readonly call: DecodedRequest }
  | InnerRefusal;

type DonePart =
  | {
      readonly kind: 'changeset';
      readonly calls: readonly DecodedRequest[];
      readonly entities: readonly EntityRecord[];
    }
  | { readonly kind: 'query'; readonly call: DecodedRequest; readonly result: unknown }
  | InnerRefusal;

export function batchOperation(find: FindOperation): Operation {
  return operation({
    name: 'EntityGroupTransaction',
    resource: 'batch',
    access: access.batch,
    takesBody: true,
    ignoresPreference: true,
    decode(request): readonly ReadPart[] {
      const { parts } = readBatch(request.negotiated.contentType, request.body);
      // Evidence: documented (one changeset, or one query); that the whole batch is refused is assumed.
      if (parts.length > 1 && parts.some(({ kind }) => kind === 'single')) throw new ServiceError('InvalidInput');
      return parts.map((part, index) => (index === 0 ? readPart(part, request, find) : refusedPart(part)));
    },
    async run(context, parts): Promise<readonly DonePart[]> {
      const done: DonePart[] = [];
      for (const part of parts) done.push(await carryOut(part, context));
      return done;
    },
    encode(parts, request): OperationResult {
      const answers = parts.map((part) => answerPart(part, request));
      request.record.members = parts.flatMap((part, index) => membersOf(part, answers[index]));
      return { status: 202, ...renderBatchResponse(answers) };
    },
  });
}

/** Evidence: documented (a second changeset is rejected); its answer is assumed. */
function refusedPart(part: BatchPart): InnerRefusal {
  const size = part.kind === 'changeset' ? part.requests.length : 1;
  const error = new ServiceError('InvalidInput');
  return { kind: 'refused', error, index: 0, size, isQuery: part.kind === 'single', inner: undefined };
}

function readPart(part: BatchPart, outer: TableRequest, find: FindOperation): ReadPart {
  return part.kind === 'changeset' ? readChangeset(part.requests, outer, find) : readQuery(part.request, outer, find);
}

/** In order, and no further than the first that is refused. Evidence: recorded. */
function readChangeset(requests: readonly BatchedRequest[], outer: TableRequest, find: FindOperation): ReadPart {
  const changeset = new Changeset();
  const calls: DecodedRequest[] = [];
  const size = requests.length;
  for (const [index, inner] of requests.entries()) {
    try {
      const call = decodeInner(inner, outer, find);
      const write = call.operation.write?.(call.input);
      // Evidence: documented (no query in a changeset); code and text are assumed.
      if (!write) throw new ServiceError('InvalidInput');
      checkKeyInRange(outer.grant, write.mutation);
      changeset.add(write);
      calls.push(call);
    } catch (error) {
      // The one too many is told by the index of the last that is allowed. Evidence: recorded.
      const failedAt = Math.min(index, changesetOperationsMax - 1);
      return { kind: 'refused', error: refusalIn(error), index: failedAt, size, isQuery: false, inner };
    }
  }
  return { kind: 'changeset', calls, changeset };
}

function readQuery(inner: BatchedRequest, outer: TableRequest, find: FindOperation): ReadPart {
  try {
    const call = decodeInner(inner, outer, find);
    if (call.inner.method !== 'GET') throw new ServiceError('InvalidInput');
    return { kind: 'query', call };
  } catch (error) {
    return { kind: 'refused', error: refusalIn(error), index: 0, size: 1, isQuery: true, inner };
  }
}

/**
 * Only what the service refuses in a request is an answer inside the batch; that it is too busy, or that the secondary takes
 * no writes, concerns all of it. Evidence: assumed.
 */
function refusalIn(error: unknown): ServiceError {
  if (error instanceof ServiceError && !ofWholeBatch.has(error.code)) return error;
  throw error;
}

const ofWholeBatch: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ServerBusy',
  'OperationTimedOut',
  'InsufficientAccountPermissions',
]);

function decodeInner(inner: BatchedRequest, outer: TableRequest, find: FindOperation): DecodedRequest {
  if (inner === 'unreadable') throw unreadableInput();
  const { record, clock, grant } = outer;
  const address = parseInnerAddress(inner.url, outer.address);
  // A batch in a batch would have no end. Evidence: assumed.
  if (address.resource.kind === 'batch') throw new ServiceError('InvalidInput');
  const headers = headersOf(inner, outer);
  const negotiated = parseHeaders(headers, address, outer.negotiated);
  const found = find(address, negotiated, { method: inner.method, headers });
  authorizeOperation(grant, found, address);
  const request = { address, query: negotiated.query, negotiated, body: inner.body, record, clock, grant };
  return { operation: found, input: found.decode(request), request, inner };
}

/** Without an Accept of its own a request is answered as JSON where the service knows JSON only. Evidence: assumed. */
function headersOf({ headers }: InnerRequest, { negotiated }: TableRequest): IncomingHttpHeaders {
  // As they are: a hundred copies a batch would be felt.
  if (headers['accept'] !== undefined || negotiated.version < versionGates.jsonOnly)
    return headers as IncomingHttpHeaders;
  return { ...headers, accept: 'application/json;odata=minimalmetadata' };
}

async function carryOut(part: ReadPart, context: OperationContext): Promise<DonePart> {
  switch (part.kind) {
    case 'refused':
      return part;
    case 'query':
      return runQuery(part.call, context);
    case 'changeset': {
      const { calls, changeset } = part;
      const outcome = await entityGroupTransaction(context, changeset.writes);
      if (outcome.kind === 'refused') return refusedWrite(outcome, calls);
      return { kind: 'changeset', calls, entities: outcome.entities };
    }
  }
}

async function runQuery(call: DecodedRequest, context: OperationContext): Promise<DonePart> {
  try {
    return { kind: 'query', call, result: await call.operation.run(context, call.input) };
  } catch (error) {
    return { kind: 'refused', error: refusalIn(error), index: 0, size: 1, isQuery: true, inner: call.inner, call };
  }
}

function refusedWrite({ error, index }: WriteRefusal, calls: readonly DecodedRequest[]): InnerRefusal {
  return {
    kind: 'refused',
    error,
    index,
    size: calls.length,
    isQuery: false,
    inner: calls[index]?.inner,
    call: calls[index],
  };
}

function answerPart(part: DonePart, request: TableRequest): BatchResponsePart {
  switch (part.kind) {
    case 'changeset':
      return { kind: 'changeset', answers: part.calls.map((call, index) => respondTo(call, part.entities[index])) };
    case 'query':
      return { kind: 'single', answer: respondTo(part.call, part.result) };
    case 'refused': {
      const answer = answerRefusal(part, request);
      return part.isQuery ? { kind: 'single', answer } : { kind: 'changeset', answers: [answer] };
    }
  }
}

function respondTo(
  { operation: { encode, takesBody }, input, request, inner }: DecodedRequest,
  result: unknown,
): InnerResponse {
  const { status, headers, contentType, body, report } = encode(result, request, input);
  if (report) recordReport(request.record, report);
  const preference = takesBody ? request.negotiated.preference : undefined;
  return { status, headers, contentType, body, preference, contentId: inner.contentId };
}

/** For the record; of a changeset that was refused, only the request that was. */
function membersOf(part: DonePart, answer: BatchResponsePart | undefined): BatchMember[] {
  const answers = answer?.kind === 'changeset' ? answer.answers : answer ? [answer.answer] : [];
  if (part.kind === 'refused') return [memberOf(part.call, part.error.status, part.error.code)];
  const calls = part.kind === 'changeset' ? part.calls : [part.call];
  return calls.map((call, index) => memberOf(call, answers[index]?.status, undefined));
}

function memberOf(call: DecodedRequest | undefined, status: number | undefined, code: string | undefined): BatchMember {
  if (!call) return { operation: 'Unknown', table: undefined, status, code };
  const { operation: of, input, request } = call;
  const { resource } = request.address;
  const key = of.write?.(input).mutation ?? ('key' in resource ? resource.key : undefined);
  const table = 'table' in resource ? resource.table : undefined;
  return { operation: of.name, table, partitionKey: key?.partitionKey, rowKey: key?.rowKey, status, code };
}

function answerRefusal({ error, index, size, inner }: InnerRefusal, outer: TableRequest): InnerResponse {
  const { negotiated, record, clock } = outer;
  const stage: InnerStage = inner === 'unreadable' ? 'unread' : error.stage;
  const written = inner === 'unreadable' ? undefined : inner;
  const headers = written ? headersOf(written, outer) : {};
  const format = errorFormat(
    formatWishes(headers, {
      format: written && formatOptionOf(written),
      version: negotiated.version,
      isLoose: negotiated.isLoose,
    }),
  );
  const prefix = indexPrefix({ size, index, code: error.code, stage });
  return {
    status: error.status,
    ...refusalPayload(error, { format, version: negotiated.version, prefix, ids: record, clock }),
    refusedAt: stage,
    // Evidence: recorded (only what was being carried out echoes a preference).
    preference: stage === 'execute' ? parsePreference(headerOf(headers, 'prefer')) : undefined,
    contentId: written?.contentId,
  };
}

function formatOptionOf({ url }: InnerRequest): string | undefined {
  return parseQueryOptions(url.slice(url.indexOf('?') + 1 || url.length)).options.get('$format');
}

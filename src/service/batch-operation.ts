// Carries out entity group transactions. Each request inside a batch goes through the same steps as a single request,
// from reading its address to decoding its payload. A changeset is then carried out as one transaction. If a request in
// the changeset is refused, the first refusal is the response to the changeset.

import type { IncomingHttpHeaders } from 'node:http';
import { access } from '../auth/access.ts';
import { checkKeyInRange } from '../auth/authorize.ts';
import type { EntityRecord } from '../model/entity.ts';
import { changesetOperationsMax } from '../model/limits.ts';
import type { Mutation } from '../model/mutation.ts';
import type { BatchMember } from '../model/request-record.ts';
import { ServiceError, unreadableInput } from '../model/service-error.ts';
import { Changeset, entityGroupTransaction } from '../operations/entity-group-transaction.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import { type Address, parseInnerAddress } from '../protocol/address.ts';
import { type BatchedRequest, type BatchPart, type InnerRequest, readBatch } from '../protocol/batch-request.ts';
import {
  type BatchResponsePart,
  type InnerResponse,
  type InnerStage,
  indexPrefix,
  renderBatchResponse,
} from '../protocol/batch-response.ts';
import { errorFormat, type PayloadFormat } from '../protocol/payload-format.ts';
import { versionGates } from '../protocol/service-version.ts';
import { authorizeOperation } from './authorize-operation.ts';
import { refusalPayload } from './error-response.ts';
import { recordReport } from './fill-record.ts';
import { headerOf } from './http-message.ts';
import {
  formatOptions,
  type ParsedHeaders,
  parseHeaders,
  parsePreference,
  type TableRequest,
} from './negotiated-headers.ts';
import { type Operation, type OperationResult, operation } from './operation.ts';

/** Finds the operation that a request names. */
export type FindOperation = (
  address: Address,
  negotiated: Pick<ParsedHeaders, 'query'>,
  request: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly isBatched: true },
) => Operation;

/** A request of a batch, ready to be carried out. */
interface DecodedRequest {
  readonly operation: Operation;
  readonly input: unknown;
  readonly request: TableRequest;
  readonly inner: InnerRequest;
  /** What a request in a changeset writes. */
  readonly mutation?: Mutation;
}

/** A changeset, or a query, that the service refuses. */
interface InnerRefusal {
  readonly kind: 'refused';
  readonly error: ServiceError;
  /** Place of the refused request, from 0. */
  readonly index: number;
  /** Requests in the changeset; 1 for a query. */
  readonly size: number;
  /** Whether the request is directly in the batch, outside a changeset. */
  readonly isQuery: boolean;
  /** The refused request; undefined if none was read. */
  readonly inner: BatchedRequest | undefined;
  /** The last request of the changeset. */
  readonly last: BatchedRequest | undefined;
  /** The refused request, if it could be decoded. */
  readonly request?: DecodedRequest | undefined;
}

type DecodedPart =
  | { readonly kind: 'changeset'; readonly requests: readonly DecodedRequest[]; readonly changeset: Changeset }
  | { readonly kind: 'query'; readonly request: DecodedRequest }
  | InnerRefusal;

type CompletedPart =
  | {
      readonly kind: 'changeset';
      readonly requests: readonly DecodedRequest[];
      readonly entities: readonly EntityRecord[];
    }
  | { readonly kind: 'query'; readonly request: DecodedRequest; readonly result: unknown }
  | InnerRefusal;

export function batchOperation(find: FindOperation): Operation {
  return operation({
    name: 'EntityGroupTransaction',
    resource: 'batch',
    access: access.batch,
    takesBody: true,
    ignoresPreference: true,
    decode(request): readonly DecodedPart[] {
      const { parts, warning } = readBatch(request.negotiated.contentType, request.body);
      request.record.batchWarning = warning;
      // Evidence: documented (one changeset, or one query); that the whole batch is refused is assumed.
      if (parts.length > 1 && parts.some(({ kind }) => kind === 'single')) {
        throw new ServiceError('InvalidInput', { why: 'A batch is one changeset, or one query.' });
      }
      const decoded = parts.map((part, index) =>
        index === 0 ? decodePart(part, request, find) : refuseFurtherPart(part),
      );
      request.record.batchSize = decoded.reduce((sum, part) => sum + sizeOf(part), 0);
      request.record.members = decoded.flatMap((part) => membersOf(part));
      return decoded;
    },
    async run(context, parts): Promise<readonly CompletedPart[]> {
      const completed: CompletedPart[] = [];
      for (const part of parts) completed.push(await runPart(part, context));
      // The record already lists the operations. Before the responses are made, only a refusal changes this list.
      const isRefused = completed.some(({ kind }) => kind === 'refused');
      if (isRefused) context.record.members = completed.flatMap((part) => membersOf(part));
      return completed;
    },
    encode(parts, request): OperationResult {
      const responses = parts.map((part) => partResponse(part, request));
      request.record.members = parts.flatMap((part, index) => membersOf(part, responses[index]));
      return { status: 202, ...renderBatchResponse(responses, request.schedule.newId) };
    },
  });
}

/** Evidence: documented (a second changeset is rejected); its response is assumed. */
function refuseFurtherPart(part: BatchPart): InnerRefusal {
  const size = part.kind === 'changeset' ? part.requests.length : 1;
  const error = new ServiceError('InvalidInput', { why: 'A batch has one changeset.' });
  return { kind: 'refused', error, index: 0, size, isQuery: part.kind === 'single', inner: undefined, last: undefined };
}

function decodePart(part: BatchPart, outer: TableRequest, find: FindOperation): DecodedPart {
  return part.kind === 'changeset'
    ? decodeChangeset(part.requests, outer, find)
    : decodeQuery(part.request, outer, find);
}

/** Decodes in order, up to the first request that is refused. Evidence: recorded (py-tables, test_table_batch). */
function decodeChangeset(requests: readonly BatchedRequest[], outer: TableRequest, find: FindOperation): DecodedPart {
  const changeset = new Changeset();
  const decoded: DecodedRequest[] = [];
  for (const [index, inner] of requests.entries()) {
    try {
      const request = decodeInner(inner, outer, find);
      const write = request.operation.write?.(request.input);
      // Evidence: documented (no query in a changeset); code and text are assumed.
      if (!write) throw new ServiceError('InvalidInput', { why: 'A changeset takes writes of entities only.' });
      checkKeyInRange(outer.grant, write.mutation);
      changeset.add(write);
      const { operation, input, request: inside } = request;
      decoded.push({ operation, input, request: inside, inner: request.inner, mutation: write.mutation });
    } catch (error) {
      return changesetRefusal(error, { requests, index });
    }
  }
  return { kind: 'changeset', requests: decoded, changeset };
}

function changesetRefusal(
  error: unknown,
  {
    requests,
    index,
    request,
  }: { requests: readonly BatchedRequest[]; index: number; request?: DecodedRequest | undefined },
): InnerRefusal {
  return {
    kind: 'refused',
    error: innerError(error),
    // The first request beyond the limit is reported with the index of the last request within the limit. Evidence:
    // recorded (py-tables).
    index: Math.min(index, changesetOperationsMax - 1),
    size: requests.length,
    isQuery: false,
    inner: requests[index],
    last: requests.at(-1),
    request,
  };
}

function decodeQuery(inner: BatchedRequest, outer: TableRequest, find: FindOperation): DecodedPart {
  try {
    const request = decodeInner(inner, outer, find);
    if (request.inner.method !== 'GET') {
      throw new ServiceError('InvalidInput', { why: 'Outside a changeset, a batch holds one GET only.' });
    }
    return { kind: 'query', request };
  } catch (error) {
    return queryRefusal(error, inner);
  }
}

function queryRefusal(error: unknown, inner: BatchedRequest): InnerRefusal {
  return { kind: 'refused', error: innerError(error), index: 0, size: 1, isQuery: true, inner, last: inner };
}

/**
 * Returns an error that becomes a response inside the batch. Throws every other error: a failure of the emulator, or a
 * refusal of the entire batch. Evidence: sdk (azure-sdk-for-net #10314: a busy partition is an inner response); assumed
 * (for a busy account or a write to the secondary, the entire batch is refused).
 */
function innerError(error: unknown): ServiceError {
  if (!(error instanceof ServiceError) || isOfWholeBatch(error)) throw error;
  return error;
}

function isOfWholeBatch({ code, stage }: ServiceError): boolean {
  return code === 'InsufficientAccountPermissions' || (code === 'ServerBusy' && stage === 'frontEnd');
}

function decodeInner(inner: BatchedRequest, outer: TableRequest, find: FindOperation): DecodedRequest {
  if (inner === 'unreadable')
    throw unreadableInput(
      'The part does not hold a request: Content-Type: application/http, a blank line, METHOD url HTTP/1.1.',
    );
  const address = parseInnerAddress(inner.url, outer.address);
  // Evidence: assumed: a batch inside a batch.
  if (address.resource.kind === 'batch')
    throw new ServiceError('InvalidInput', { why: 'A batch must not contain a batch.' });
  const headers = headersOf(inner, outer);
  const negotiated = parseHeaders(headers, address, outer.negotiated);
  const found = find(address, negotiated, { method: inner.method, headers, isBatched: true });
  authorizeOperation(outer.grant, found, address);
  const request = { ...outer, address, query: negotiated.query, negotiated, body: inner.body };
  return { operation: found, input: found.decode(request), request, inner };
}

/** At versions that have JSON only, a request without its own Accept is answered in JSON. Evidence: assumed. */
function headersOf({ headers }: InnerRequest, { negotiated }: TableRequest): IncomingHttpHeaders {
  // The headers are copied only if needed, because a batch may contain a hundred requests.
  if (headers['accept'] !== undefined || negotiated.version < versionGates.jsonOnly)
    return headers as IncomingHttpHeaders;
  return { ...headers, accept: 'application/json;odata=minimalmetadata' };
}

async function runPart(part: DecodedPart, context: OperationContext): Promise<CompletedPart> {
  switch (part.kind) {
    case 'refused':
      return part;
    case 'query':
      return runQuery(part.request, context);
    case 'changeset':
      return runChangeset(part, context);
  }
}

async function runQuery(request: DecodedRequest, context: OperationContext): Promise<CompletedPart> {
  const { passMember } = context;
  try {
    if (passMember) await passMember('beforeRun', 0);
    const result = await request.operation.run(context, request.input);
    if (passMember) await passMember('afterCommit', 0);
    return { kind: 'query', request, result };
  } catch (error) {
    return queryRefusal(error, request.inner);
  }
}

async function runChangeset(
  { requests, changeset }: Extract<DecodedPart, { kind: 'changeset' }>,
  context: OperationContext,
): Promise<CompletedPart> {
  const inners = requests.map(({ inner }) => inner);
  const refuse = (error: unknown, index: number): InnerRefusal =>
    changesetRefusal(error, { requests: inners, index, request: requests[index] });
  const acted = await passMembers('beforeRun', requests.length, context);
  if (acted) return refuse(acted.error, acted.index);
  try {
    const outcome = await entityGroupTransaction(context, changeset.writes);
    if (outcome.kind !== 'written') return refuse(outcome.error, outcome.index);
    const late = await passMembers('afterCommit', requests.length, context);
    return late ? refuse(late.error, late.index) : { kind: 'changeset', requests, entities: outcome.entities };
  } catch (error) {
    return refuse(error, 0);
  }
}

/** Calls `passMember` for each operation, up to the first that a fault or a test refuses. Returns that refusal. */
async function passMembers(
  place: 'beforeRun' | 'afterCommit',
  size: number,
  { passMember }: OperationContext,
): Promise<{ readonly error: unknown; readonly index: number } | undefined> {
  if (!passMember) return undefined;
  for (let index = 0; index < size; index++) {
    try {
      await passMember(place, index);
    } catch (error) {
      return { error, index };
    }
  }
  return undefined;
}

function partResponse(part: CompletedPart, outer: TableRequest): BatchResponsePart {
  switch (part.kind) {
    case 'changeset': {
      const { requests, entities } = part;
      return {
        kind: 'changeset',
        responses: requests.map((request, index) => innerResponse(request, entities[index])),
      };
    }
    case 'query':
      return { kind: 'single', response: innerResponse(part.request, part.result) };
    case 'refused': {
      const response = refusalResponse(part, outer);
      return part.isQuery ? { kind: 'single', response } : { kind: 'changeset', responses: [response] };
    }
  }
}

function innerResponse(
  { operation: { encode, takesBody }, input, request, inner }: DecodedRequest,
  result: unknown,
): InnerResponse {
  const { status, headers, contentType, body, report } = encode(result, request, input);
  if (report) recordReport(request.record, report);
  const preference = takesBody ? request.negotiated.preference : undefined;
  return { status, headers, contentType, body, preference, contentId: inner.contentId };
}

const sizeOf = (part: DecodedPart): number =>
  part.kind === 'refused' ? part.size : part.kind === 'changeset' ? part.requests.length : 1;

/** The requests for the record; for a changeset that was refused, only the refused request. */
function membersOf(part: DecodedPart | CompletedPart, response?: BatchResponsePart): BatchMember[] {
  if (part.kind === 'refused') {
    const { request, error, index } = part;
    return [memberOf(request, { status: error.status, index, refusal: error })];
  }
  const responses = response?.kind === 'changeset' ? response.responses : response ? [response.response] : [];
  const requests = part.kind === 'changeset' ? part.requests : [part.request];
  return requests.map((request, index) =>
    memberOf(request, { status: responses[index]?.status, index, refusal: undefined }),
  );
}

function memberOf(
  decoded: DecodedRequest | undefined,
  result: Pick<BatchMember, 'status' | 'index' | 'refusal'>,
): BatchMember {
  const { status, index, refusal } = result;
  if (!decoded) return { operation: 'Unknown', table: undefined, status, index, refusal };
  const { operation: of, mutation, request } = decoded;
  const { resource } = request.address;
  const key = mutation ?? ('key' in resource ? resource.key : undefined);
  const table = 'table' in resource ? resource.table.name : undefined;
  const [partitionKey, rowKey] = [key?.partitionKey, key?.rowKey];
  const followsContinuation = mutation === undefined && request.query.has('NextPartitionKey');
  return { operation: of.name, table, partitionKey, rowKey, mutation, status, index, refusal, followsContinuation };
}

function refusalResponse(
  { error: refusal, index, size, isQuery, inner, last }: InnerRefusal,
  outer: TableRequest,
): InnerResponse {
  const { negotiated, record, clock } = outer;
  const { version } = negotiated;
  const error = errorAt(version, refusal);
  const stage: InnerStage = inner === 'unreadable' ? 'unread' : error.stage;
  const written = inner === 'unreadable' ? undefined : inner;
  const headers = written ? headersOf(written, outer) : {};
  const format = refusalFormat(written, headers, outer);
  const prefix = indexPrefix({ size, index, isQuery, code: error.code, stage });
  const named = format.kind === 'atom' && version < versionGates.ownContentIdInError ? last : inner;
  return {
    status: error.status,
    ...refusalPayload(error, { format, version, prefix, ids: record, clock }),
    refusedAt: stage,
    // Evidence: recorded (only a refusal at the stage of execution echoes a preference).
    preference: stage === 'execute' ? parsePreference(headerOf(headers, 'prefer')) : undefined,
    contentId: named === undefined || named === 'unreadable' ? undefined : named.contentId,
  };
}

/** Evidence: recorded (azure-storage-node, 2014-02-14 to 2015-04-05). */
function errorAt(version: string, error: ServiceError): ServiceError {
  const isLater = version >= versionGates.detailedInputErrors;
  return isLater || error.code !== 'InvalidDuplicateRow' ? error : new ServiceError('InvalidInput');
}

function refusalFormat(
  inner: InnerRequest | undefined,
  headers: IncomingHttpHeaders,
  { address, negotiated: { version, isLoose, dataServiceVersion } }: TableRequest,
): PayloadFormat {
  const format = inner && parseInnerAddress(inner.url, address).query.options.get('$format');
  return errorFormat(formatOptions(headers, { format, version, isLoose, dataServiceVersion }));
}

// Renders the response to a batch exactly as the service writes it, because clients search it for the exact text of
// parts, statuses and ETags. The headers of each part are in the same order as in the recordings.

import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../model/error-catalogue.ts';
import type { RefusalStage } from '../model/service-error.ts';
import type { HttpHeader, HttpHeaders } from './http-headers.ts';

/** `unread` is only for a part without a request. The other stages are those of every refusal. */
export type InnerStage = RefusalStage | 'unread';

/**
 * The response to one request of a batch, without the headers that all responses have. This module adds these headers,
 * and puts all headers in order.
 */
export interface InnerResponse {
  readonly status: number;
  /** The Content-ID of the request, if the request itself had this header. */
  readonly contentId?: string | undefined;
  /** The preference that was applied. */
  readonly preference?: string | undefined;
  /** Location, DataServiceId, ETag, continuations; in any order. */
  readonly headers?: HttpHeaders | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | Buffer | undefined;
  /** For an error: the stage at which the request was refused. */
  readonly refusedAt?: InnerStage | undefined;
}

export type BatchResponsePart =
  /** The responses to all requests in their order, or the one error of a changeset that failed. */
  | { readonly kind: 'changeset'; readonly responses: readonly InnerResponse[] }
  | { readonly kind: 'single'; readonly response: InnerResponse };

export interface BatchPayload {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Renders the body of the response to a batch. The status of the response is always 202. Evidence: recorded. */
export function renderBatchResponse(parts: readonly BatchResponsePart[], newId: () => string): BatchPayload {
  const boundary = `batchresponse_${newId()}`;
  const chunks: Chunk[] = [];
  for (const part of parts) {
    chunks.push(`--${boundary}\r\n`);
    if (part.kind === 'single') pushResponse(chunks, part.response);
    else pushChangeset(chunks, part.responses, `changesetresponse_${newId()}`);
  }
  chunks.push(`--${boundary}--\r\n`);
  return { contentType: mixed(boundary), body: joined(chunks) };
}

type Chunk = string | Buffer;

function mixed(boundary: string): string {
  return `multipart/mixed; boundary=${boundary}`;
}

function pushChangeset(chunks: Chunk[], responses: readonly InnerResponse[], boundary: string): void {
  chunks.push(`Content-Type: ${mixed(boundary)}\r\n\r\n`);
  for (const response of responses) {
    chunks.push(`--${boundary}\r\n`);
    pushResponse(chunks, response);
  }
  chunks.push(`--${boundary}--\r\n`);
}

const partHead = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

function pushResponse(chunks: Chunk[], response: InnerResponse): void {
  let head = `${partHead}HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n`;
  for (const [name, value] of fieldsOf(response)) head += `${name}: ${value}\r\n`;
  chunks.push(head, '\r\n');
  if (response.body !== undefined) chunks.push(response.body);
  chunks.push('\r\n');
}

/**
 * Returns the headers of a response in order. The recordings show three orders: one for errors, one for responses with
 * a payload, and one for responses without a payload.
 */
function fieldsOf(response: InnerResponse): HttpHeaders {
  if (response.refusedAt !== undefined) return errorFields(response, response.refusedAt);
  return response.body === undefined ? emptyFields(response) : payloadFields(response);
}

const sniff: HttpHeader = ['X-Content-Type-Options', 'nosniff'];
const cache: HttpHeader = ['Cache-Control', 'no-cache'];

function optional(name: string, value: string | undefined): HttpHeaders {
  return value === undefined ? [] : [[name, value]];
}

/** Evidence: recorded (py-tables). */
function version(number: '1.0' | '2.0' | '3.0'): HttpHeader {
  return ['DataServiceVersion', `${number};`];
}

/** Evidence: recorded. With a preference, the version is 3.0, which introduced preferences. */
function emptyFields(response: InnerResponse): HttpHeaders {
  const { contentId, preference } = response;
  return [
    ...optional('Content-ID', contentId),
    sniff,
    cache,
    ...optional('Preference-Applied', preference),
    version(preference === undefined ? '1.0' : '3.0'),
    ...ownFields(response),
  ];
}

/**
 * Returns the headers of a response with a payload. Evidence: recorded for JSON and Atom; documented for a query
 * (Performing entity group transactions); the place of Preference-Applied is assumed.
 */
function payloadFields(response: InnerResponse): HttpHeaders {
  const { contentId, contentType, preference } = response;
  return [
    version(isJson(contentType) ? '3.0' : '2.0'),
    ...optional('Content-Type', contentType),
    ...optional('Content-ID', contentId),
    sniff,
    cache,
    ...optional('Preference-Applied', preference),
    ...ownFields(response),
  ];
}

/**
 * Returns the headers of an error. Evidence: recorded for JSON, and for a part without a request; the
 * DataServiceVersion of all other errors in XML is assumed.
 */
function errorFields({ contentId, contentType, preference }: InnerResponse, stage: InnerStage): HttpHeaders {
  const type = optional('Content-Type', contentType);
  if (stage === 'unread') return [version('1.0'), ...type];
  return [
    ...optional('Content-ID', contentId),
    sniff,
    ...(stage === 'execute' ? [cache] : []),
    ...optional('Preference-Applied', preference),
    version(isJson(contentType) ? '3.0' : '1.0'),
    ...type,
  ];
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/json') ?? false;
}

const ownOrder = ['Location', 'DataServiceId', 'ETag'];

/** The response's own headers: the known ones in the recorded order, then the others as given. */
function ownFields({ headers = [] }: InnerResponse): HttpHeaders {
  if (headers.length < 2) return headers;
  const known = ownOrder.flatMap((name) => headers.filter(([own]) => own === name));
  return [...known, ...headers.filter(([name]) => !ownOrder.includes(name))];
}

/** Joins text before it becomes bytes: the response to a batch of inserts is all text. */
function joined(chunks: readonly Chunk[]): Buffer {
  const buffers: Buffer[] = [];
  let text = '';
  for (const chunk of chunks) {
    if (typeof chunk === 'string') {
      text += chunk;
      continue;
    }
    buffers.push(Buffer.from(text), chunk);
    text = '';
  }
  const last = Buffer.from(text);
  return buffers.length === 0 ? last : Buffer.concat([...buffers, last]);
}

export interface FailedRequest {
  /** The number of requests in the changeset; 1 for a query. */
  readonly size: number;
  /** The index of the failed request, from 0. */
  readonly index: number;
  /** Whether the request is directly in the batch, outside a changeset. */
  readonly isQuery?: boolean;
  readonly code: ErrorCode;
  readonly stage: InnerStage;
}

/**
 * Returns the index that precedes the message of an error, or an empty text if the message has no index. If a request
 * is alone in its changeset and fails during execution, the message has no index. If a query outside a changeset fails
 * during execution, the message has an index. Evidence: recorded (py-tables, test_table_batch; azure-storage-node for
 * queries).
 */
export function indexPrefix({ size, index, isQuery = false, code, stage }: FailedRequest): string {
  if (stage === 'unread' || withoutIndex.has(code)) return '';
  return isQuery || size > 1 || stage !== 'execute' || validationCodes.has(code) ? `${index}:` : '';
}

/**
 * Errors without an index, because no single request caused them. Evidence: sdk (azure-sdk-for-net #10314); that
 * OperationTimedOut has no index either is assumed.
 */
const withoutIndex: ReadonlySet<ErrorCode> = new Set(['ServerBusy', 'OperationTimedOut']);

/**
 * Errors that the service finds before the transaction starts. Nevertheless, the response has the headers of an error
 * during execution. Evidence: recorded (py-tables, net-tables).
 */
const validationCodes: ReadonlySet<ErrorCode> = new Set(['TableNotFound', 'PropertiesNeedValue', 'OutOfRangeInput']);

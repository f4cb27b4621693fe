// The answer to a batch, as the service writes it: the order of the headers in each part is that of the recordings, and
// clients tell parts, statuses and etags by their exact text.

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../model/error-catalogue.ts';
import type { RefusalStage } from '../model/service-error.ts';
import type { HttpHeader, HttpHeaders } from './http-headers.ts';

/** `unread` is a part without a request in it; the others are those of a refusal. */
export type InnerStage = RefusalStage | 'unread';

/** What is to be said of one request of a batch; order, and what all answers share, is this file's business. */
export interface InnerResponse {
  readonly status: number;
  /** Only when it was among the headers of the request. */
  readonly contentId?: string | undefined;
  /** The Prefer that was heeded. */
  readonly preference?: string | undefined;
  /** Location, DataServiceId, ETag, continuations; in any order. */
  readonly headers?: HttpHeaders | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | Buffer | undefined;
  /** For an error: how far its request had come. */
  readonly refusedAt?: InnerStage | undefined;
}

export type BatchResponsePart =
  /** The answers to all requests in their order, or the one error of a changeset that failed. */
  | { readonly kind: 'changeset'; readonly answers: readonly InnerResponse[] }
  | { readonly kind: 'single'; readonly answer: InnerResponse };

export interface BatchAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Renders the answer to a batch; its status is 202 whatever became of the parts. Evidence: recorded. */
export function renderBatchResponse(
  parts: readonly BatchResponsePart[],
  newGuid: () => string = randomUUID,
): BatchAnswer {
  const boundary = `batchresponse_${newGuid()}`;
  const chunks: Chunk[] = [];
  for (const part of parts) {
    chunks.push(`--${boundary}\r\n`);
    if (part.kind === 'single') pushAnswer(chunks, part.answer);
    else pushChangeset(chunks, part.answers, `changesetresponse_${newGuid()}`);
  }
  chunks.push(`--${boundary}--\r\n`);
  return { contentType: mixed(boundary), body: joined(chunks) };
}

type Chunk = string | Buffer;

function mixed(boundary: string): string {
  return `multipart/mixed; boundary=${boundary}`;
}

function pushChangeset(chunks: Chunk[], answers: readonly InnerResponse[], boundary: string): void {
  chunks.push(`Content-Type: ${mixed(boundary)}\r\n\r\n`);
  for (const answer of answers) {
    chunks.push(`--${boundary}\r\n`);
    pushAnswer(chunks, answer);
  }
  chunks.push(`--${boundary}--\r\n`);
}

const partHead = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

function pushAnswer(chunks: Chunk[], answer: InnerResponse): void {
  const fields = fieldsOf(answer)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  chunks.push(`${partHead}HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${fields}\r\n`);
  if (answer.body !== undefined) chunks.push(answer.body);
  chunks.push('\r\n');
}

/** The three orders that the recordings show: an error's, that of an answer with a payload, that of one without. */
function fieldsOf(answer: InnerResponse): HttpHeaders {
  if (answer.refusedAt !== undefined) return errorFields(answer, answer.refusedAt);
  return answer.body === undefined ? emptyFields(answer) : payloadFields(answer);
}

const sniff: HttpHeader = ['X-Content-Type-Options', 'nosniff'];
const cache: HttpHeader = ['Cache-Control', 'no-cache'];

function optional(name: string, value: string | undefined): HttpHeaders {
  return value === undefined ? [] : [[name, value]];
}

function version(number: '1.0' | '2.0' | '3.0'): HttpHeader {
  return ['DataServiceVersion', `${number};`];
}

/** Evidence: recorded. Preferences came with version 3.0 of the protocol, which is why they raise the number. */
function emptyFields(answer: InnerResponse): HttpHeaders {
  const { contentId, preference } = answer;
  return [
    ...optional('Content-ID', contentId),
    sniff,
    cache,
    ...optional('Preference-Applied', preference),
    version(preference === undefined ? '1.0' : '3.0'),
    ...ownFields(answer),
  ];
}

/** Evidence: recorded, JSON and Atom; documented for a query; the place of Preference-Applied is assumed. */
function payloadFields(answer: InnerResponse): HttpHeaders {
  const { contentId, contentType, preference } = answer;
  return [
    version(isJson(contentType) ? '3.0' : '2.0'),
    ...optional('Content-Type', contentType),
    ...optional('Content-ID', contentId),
    sniff,
    cache,
    ...optional('Preference-Applied', preference),
    ...ownFields(answer),
  ];
}

/** Evidence: recorded for JSON, and for a part without a request; the number of another error in XML is assumed. */
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

/** The answer's own headers: the known ones as recorded, then the others as given. */
function ownFields({ headers = [] }: InnerResponse): HttpHeaders {
  const known = ownOrder.flatMap((name) => headers.filter(([own]) => own === name));
  return [...known, ...headers.filter(([name]) => !ownOrder.includes(name))];
}

/** Text is put together before it becomes bytes: a batch of inserts is all text. */
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

export interface FailedOperation {
  /** Operations in the changeset. */
  readonly size: number;
  /** The failed one's place, from 0. */
  readonly index: number;
  readonly code: ErrorCode;
  readonly stage: InnerStage;
}

/**
 * What stands before the message of a changeset's error. Alone in its changeset, an operation that failed while it was
 * carried out has none. Evidence: recorded.
 */
export function indexPrefix({ size, index, code, stage }: FailedOperation): string {
  if (stage === 'unread') return '';
  return size > 1 || stage !== 'execute' || validationCodes.has(code) ? `${index}:` : '';
}

/** Refused before the transaction starts, though their headers look executed. Evidence: recorded (batch.md §3). */
const validationCodes: ReadonlySet<ErrorCode> = new Set(['TableNotFound', 'PropertiesNeedValue', 'OutOfRangeInput']);

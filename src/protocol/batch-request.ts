// Splits the body of `POST /$batch` into its requests. The caller of this module decides how the service treats the
// requests, for example a GET in a changeset, or a second changeset.

import { changesetOperationsMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import type { BatchWarning } from '../model/request-record.ts';
import { ServiceError } from '../model/service-error.ts';
import { MultipartReader, parseBoundary } from './multipart.ts';
import { type PartHeaders, RepeatedHeads, readHeaders, readLine, skipBlankLines } from './multipart-head.ts';
import { mediaTypeOf } from './request-media.ts';

/** One request more than the service allows shows that there are too many. The rest is not read. */
const requestsReadMax = changesetOperationsMax + 1;
/** Limit: further parts are not read. The service allows one part. */
const partsReadMax = 100;

/** A request inside a batch, as it was written. */
export interface InnerRequest {
  readonly method: string;
  /** The request target as it was sent, absolute or not. */
  readonly url: string;
  readonly headers: PartHeaders;
  /**
   * The Content-ID in the headers of the request itself. The part around the request can also have a Content-ID, but
   * the response does not repeat the Content-ID of the part. Evidence: recorded (py-tables).
   */
  readonly contentId: string | undefined;
  /** The body without blank lines before it, and without the line end before the delimiter. */
  readonly body: Buffer;
}

/**
 * `unreadable` means a part that contains no request. The service refuses such a part as it would refuse a request in
 * the part. Evidence: recorded (py-tables, test_batch_single_update 2020-09-09).
 */
export type BatchedRequest = InnerRequest | 'unreadable';

export type BatchPart =
  /** Up to 101 requests; the service refuses more than 100 of any kind. */
  | { readonly kind: 'changeset'; readonly requests: readonly BatchedRequest[] }
  /** A request directly in the batch. The service allows only a query there. */
  | { readonly kind: 'single'; readonly request: BatchedRequest };

export interface BatchRequest {
  /** Empty if the body has no part. */
  readonly parts: readonly BatchPart[];
  readonly warning: BatchWarning | undefined;
}

/**
 * Reads the body of a batch. If the Content-Type is not multipart/mixed with a boundary, throws InvalidInput for the
 * entire batch. Evidence: assumed. A body without a delimiter has no parts. The end of the last part may be missing.
 * Evidence: sdk (azure-sdk-for-rust #361: a batch with another boundary in its body gets 202, and nothing is written),
 * assumed (all other cases, as in ODataLib's reader).
 */
export function readBatch(contentType: string | undefined, body: Buffer): BatchRequest {
  const boundary = boundaryOf(contentType);
  const reader = new MultipartReader(body, boundary);
  const parts: BatchPart[] = [];
  let warning: BatchWarning | undefined;
  for (let part = reader.next(); part !== undefined; part = parts.length < partsReadMax ? reader.next() : undefined) {
    const read = readPart(part, reader);
    parts.push(read.part);
    warning ??= read.warning;
  }
  if (parts.length === 0) return { parts, warning: nothingRead(reader, 'batch', boundary) };
  return { parts, warning: warning ?? missingEnd(reader, 'batch', boundary) };
}

/** Throws InvalidInput if the type is not that of a multipart body with a boundary. */
function boundaryOf(contentType: string | undefined): string {
  const isMixed = contentType !== undefined && mediaTypeOf(contentType) === mixed;
  const boundary = isMixed ? parseBoundary(contentType) : undefined;
  if (boundary === undefined) throw notMixed(contentType);
  return boundary;
}

const mixed = 'multipart/mixed';

function notMixed(contentType: string | undefined): ServiceError {
  const given = contentType === undefined ? 'missing' : quote(contentType);
  return new ServiceError('InvalidInput', { why: `Content-Type is ${given} and must be multipart/mixed; boundary=….` });
}

function nothingRead({ end }: MultipartReader, of: 'batch' | 'changeset', boundary: string): BatchWarning {
  const cause =
    end === 'absent' ? `The ${of} has no line ${quote(`--${boundary}`)}, its boundary` : `The ${of} has no part`;
  return { kind: 'nothing read', text: `${cause}: nothing was carried out.` };
}

function missingEnd({ end }: MultipartReader, of: 'batch' | 'changeset', boundary: string): BatchWarning | undefined {
  if (end !== 'open') return undefined;
  return {
    kind: 'no end',
    text: `The ${of} ends without ${quote(`--${boundary}--`)}; it was read as if complete.`,
  };
}

interface PartRead {
  readonly part: BatchPart;
  readonly warning?: BatchWarning | undefined;
}

function readPart(part: Buffer, batch: MultipartReader): PartRead {
  const head = readHeaders(part, 0);
  const contentType = head?.headers['content-type'];
  if (head === undefined || mediaTypeOf(contentType) !== mixed)
    return { part: { kind: 'single', request: requestReader()(part) } };
  const boundary = boundaryOf(contentType);
  const reader = batch.inside(head.next, boundary);
  const read = requestReader();
  const requests: BatchedRequest[] = [];
  while (requests.length < requestsReadMax) {
    const inner = reader.next();
    if (inner === undefined) break;
    requests.push(read(inner));
  }
  const isFound = reader.end !== 'absent';
  const warning = isFound ? missingEnd(reader, 'changeset', boundary) : nothingRead(reader, 'changeset', boundary);
  return { part: { kind: 'changeset', requests }, warning };
}

/** Reads the parts of a batch, one after another. */
function requestReader(): (part: Buffer) => BatchedRequest {
  const heads = { around: new RepeatedHeads(), inside: new RepeatedHeads() };
  return (part) => readRequest(part, heads);
}

interface Heads {
  /** Heads of the parts. */
  readonly around: RepeatedHeads;
  /** Heads of the requests in the parts. */
  readonly inside: RepeatedHeads;
}

/**
 * Reads a part that contains a request. The end of the request depends on the boundaries, and not on Content-Length.
 * Evidence: recorded. Nevertheless, Content-Length must be a number. Evidence: sdk (azure-sdk-for-cpp writes the next
 * header into the value of Content-Length; its test TransactionInsertReplace expects a response other than a JSON
 * error), assumed (ODataLib's reader fails if the value is not a number).
 */
function readRequest(part: Buffer, { around: outerHeads, inside }: Heads): BatchedRequest {
  const around = outerHeads.read(part, 0);
  if (around === undefined || mediaTypeOf(around.headers['content-type']) !== 'application/http') return 'unreadable';
  const line = readLine(part, skipBlankLines(part, around.next));
  const target = line && parseRequestLine(line.text);
  const head = line && inside.read(part, line.next);
  if (target === undefined || head === undefined) return 'unreadable';
  const { headers } = head;
  if (!wholeNumber.test(headers['content-length'] ?? '0')) return 'unreadable';
  const contentId = headers['content-id'] || undefined;
  const { method, url } = target;
  return { method, url, headers, contentId, body: part.subarray(skipBlankLines(part, head.next)) };
}

const wholeNumber = /^\+?\d+$/;
const methodName = /^[A-Za-z]+$/;
const httpVersion = /^HTTP\/\d\.\d$/;

/**
 * Parses `METHOD url HTTP/1.1`. The URL may contain spaces, because some clients write spaces between the two keys.
 * Evidence: recorded.
 */
function parseRequestLine(text: string): { method: string; url: string } | undefined {
  const line = text.trim();
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, Math.max(first, 0));
  const url = line.slice(first + 1, Math.max(last, 0)).trim();
  if (!methodName.test(method) || url === '' || !httpVersion.test(line.slice(last + 1))) return undefined;
  return { method, url };
}

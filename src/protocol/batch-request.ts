// Splits the body of `POST /$batch` into its requests. The caller decides what the service makes of them: a GET in a
// changeset, a second changeset, one operation too many.

import { changesetOperationsMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseBoundary, splitMultipart } from './multipart.ts';
import { type HeaderFields, RepeatedHeads, readHeaders, readLine, skipBlankLines } from './multipart-head.ts';
import { mediaTypeOf } from './request-media.ts';

/** One more than the service allows shows that there are too many; the rest is not read. */
const requestsReadMax = changesetOperationsMax + 1;
/** Limit: the service allows one part. */
const partsReadMax = 100;

/** A request inside a batch, as it was written. */
export interface InnerRequest {
  readonly method: string;
  /** The request target, absolute or not, untouched. */
  readonly url: string;
  readonly headers: HeaderFields;
  /** From the headers of the request. The service does not echo one from the headers of the part. Evidence: recorded (py-tables). */
  readonly contentId: string | undefined;
  /** Without blank lines before it, and without the line end before the delimiter. */
  readonly body: Buffer;
}

/**
 * `unreadable` stands for a part without a request in it, which is refused in its place. Evidence: recorded (py-tables,
 * test_batch_single_update 2020-09-09).
 */
export type BatchedRequest = InnerRequest | 'unreadable';

export type BatchPart =
  /** Up to 101 requests; the service refuses so many requests of any kind. */
  | { readonly kind: 'changeset'; readonly requests: readonly BatchedRequest[] }
  /** Directly in the batch, if the service allows a query. */
  | { readonly kind: 'single'; readonly request: BatchedRequest };

export interface BatchRequest {
  /** At least one. */
  readonly parts: readonly BatchPart[];
}

/**
 * Reads the body of a batch by its Content-Type. Throws InvalidInput, for the whole batch, if it is not multipart or
 * is malformed. Evidence: assumed, for another Content-Type too.
 */
export function readBatch(contentType: string | undefined, body: Buffer): BatchRequest {
  const contents = splitMixed(body, { contentType, partsMax: partsReadMax, isEnclosed: false });
  if (contents.length === 0) throw new ServiceError('InvalidInput', { why: 'The batch has no part.' });
  return { parts: contents.map(readPart) };
}

interface MixedOptions {
  readonly contentType: string | undefined;
  readonly partsMax: number;
  readonly isEnclosed: boolean;
}

function splitMixed(body: Buffer, { contentType, partsMax, isEnclosed }: MixedOptions): Buffer[] {
  const isMixed = contentType !== undefined && mediaTypeOf(contentType) === mixed;
  const boundary = isMixed ? parseBoundary(contentType) : undefined;
  if (boundary === undefined) throw notMixed(contentType);
  const contents = splitMultipart(body, { boundary, partsMax, isEnclosed });
  if (contents === undefined) throw new ServiceError('InvalidInput', { why: multipartFault(body, boundary) });
  return contents;
}

const mixed = 'multipart/mixed';

function notMixed(contentType: string | undefined): ServiceError {
  const given = contentType === undefined ? 'missing' : quote(contentType);
  return new ServiceError('InvalidInput', { why: `Content-Type is ${given} and must be multipart/mixed; boundary=….` });
}

function multipartFault(body: Buffer, boundary: string): string {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const last = body.lastIndexOf(delimiter);
  if (last === -1) return `The body has no line ${quote(`--${boundary}`)}, its boundary.`;
  const lines = body.subarray(0, last).toString('latin1').split('\n').length;
  return `The part from line ${lines} on has no end: ${quote(`--${boundary}--`)} is missing.`;
}

function readPart(part: Buffer): BatchPart {
  const head = readHeaders(part, 0);
  const contentType = head?.headers['content-type'];
  if (head === undefined || mediaTypeOf(contentType) !== mixed)
    return { kind: 'single', request: requestReader()(part) };
  const changeset = part.subarray(head.next);
  const contents = splitMixed(changeset, { contentType, partsMax: requestsReadMax, isEnclosed: true });
  return { kind: 'changeset', requests: contents.map(requestReader()) };
}

/** Reads the parts of a batch, one after another. */
function requestReader(): (part: Buffer) => BatchedRequest {
  const heads = { around: new RepeatedHeads(), inside: new RepeatedHeads() };
  return (part) => readRequest(part, heads);
}

interface Heads {
  /** Of the part itself. */
  readonly around: RepeatedHeads;
  /** Of the request in it. */
  readonly inside: RepeatedHeads;
}

/** Reads a part that holds a request. The boundaries decide where it ends, not its Content-Length. Evidence: recorded. */
function readRequest(part: Buffer, { around: outerHeads, inside }: Heads): BatchedRequest {
  const around = outerHeads.read(part, 0);
  if (around === undefined || mediaTypeOf(around.headers['content-type']) !== 'application/http') return 'unreadable';
  const line = readLine(part, skipBlankLines(part, around.next));
  const target = line && parseRequestLine(line.text);
  const head = line && inside.read(part, line.next);
  if (target === undefined || head === undefined) return 'unreadable';
  const { headers } = head;
  const contentId = headers['content-id'] || undefined;
  const { method, url } = target;
  return { method, url, headers, contentId, body: part.subarray(skipBlankLines(part, head.next)) };
}

const methodName = /^[A-Za-z]+$/;
const httpVersion = /^HTTP\/\d/;

/** Parses `METHOD url HTTP/1.1`. The URL may hold spaces: some clients write them between two keys. Evidence: recorded. */
function parseRequestLine(text: string): { method: string; url: string } | undefined {
  const line = text.trim();
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, Math.max(first, 0));
  const url = line.slice(first + 1, Math.max(last, 0)).trim();
  if (!methodName.test(method) || url === '' || !httpVersion.test(line.slice(last + 1))) return undefined;
  return { method, url };
}

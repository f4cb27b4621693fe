// Writes batches in the form that real clients use, and parses the responses strictly. Clients split a response by its
// exact text, so the response must be framed exactly as the service frames it.

import { expect } from 'vitest';
import { jsonError, type Refusal } from './expect-refusal.ts';
import type { TableClient, WireAnswer, WireHeaders } from './table-client.ts';

export interface InnerCall {
  readonly method: string;
  /** An absolute address, or a path from the root of the host. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface InnerResponse {
  readonly status: number;
  readonly statusLine: string;
  /** Header lines, `Name: value`, in the order of the response. */
  readonly fields: readonly string[];
  readonly body: string;
  header(name: string): string | undefined;
}

export type AnsweredPart =
  | { readonly kind: 'changeset'; readonly answers: readonly InnerResponse[] }
  | { readonly kind: 'single'; readonly answer: InnerResponse };

export const batchType = 'multipart/mixed; boundary=batch_a';
export const minimalType = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const noContent = { Prefer: 'return-no-content' };

/** A part that contains one request. */
export function requestPart({ method, url, headers = {}, body = '' }: InnerCall): string {
  const sent: Record<string, string> = {
    Accept: 'application/json;odata=minimalmetadata',
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n' +
    `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n${body}\r\n`
  );
}

/** A part that is a changeset of the given parts. */
export function changesetPart(parts: readonly string[], boundary = 'changeset_b'): string {
  const inside = parts.map((part) => `--${boundary}\r\n${part}`).join('');
  return `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${inside}--${boundary}--\r\n`;
}

/** The body of a batch that consists of the given parts. */
export function batchBody(parts: readonly string[]): string {
  return `${parts.map((part) => `--batch_a\r\n${part}`).join('')}--batch_a--\r\n`;
}

export function changesetBody(calls: readonly InnerCall[]): string {
  return batchBody([changesetPart(calls.map(requestPart))]);
}

export function sendBatch(
  client: Pick<TableClient, 'send'>,
  body: string | Buffer,
  headers: WireHeaders = {},
): Promise<WireAnswer> {
  return client.send({ method: 'POST', path: '/$batch', headers: { 'Content-Type': batchType, ...headers }, body });
}

/** Sends a changeset, and returns its responses. */
export async function commit(
  client: Pick<TableClient, 'send'>,
  calls: readonly InnerCall[],
  headers?: WireHeaders,
): Promise<readonly InnerResponse[]> {
  return answersIn(await sendBatch(client, changesetBody(calls), headers));
}

/** Makes requests to one table for use inside batches. */
export function callsOn(base: string, table: string) {
  const url = `${base}/${table}`;
  const keyed = (partitionKey: string, rowKey: string): string =>
    `${url}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
  const write =
    (method: string) =>
    (rowKey: string, members: object = {}, headers: Record<string, string> = {}): InnerCall => ({
      method,
      url: keyed('p', rowKey),
      headers,
      body: JSON.stringify(members),
    });
  return {
    keyed,
    /** The partition key is `p`, unless the members name another. */
    insert: (rowKey: string, members: object = {}, headers: Record<string, string> = noContent): InnerCall => ({
      method: 'POST',
      url,
      headers,
      body: JSON.stringify({ PartitionKey: 'p', RowKey: rowKey, ...members }),
    }),
    put: write('PUT'),
    merge: write('MERGE'),
    patch: write('PATCH'),
    remove: (rowKey: string, etag = '*', headers: Record<string, string> = {}): InnerCall => ({
      method: 'DELETE',
      url: keyed('p', rowKey),
      headers: { 'If-Match': etag, ...headers },
    }),
    get: (rowKey: string): InnerCall => ({ method: 'GET', url: keyed('p', rowKey) }),
  };
}

const outerType = /^multipart\/mixed; boundary=(batchresponse_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const changesetHead =
  /^Content-Type: multipart\/mixed; boundary=(changesetresponse_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\r\n\r\n/;
const requestHead = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

/** Checks status and framing of the response to a batch, and returns its parts. */
export function partsOf(answer: WireAnswer): readonly AnsweredPart[] {
  expect(answer.status, answer.body.slice(0, 600)).toBe(202);
  const boundary = outerType.exec(answer.header('Content-Type') ?? '')?.[1] ?? '';
  expect(boundary, answer.header('Content-Type') ?? 'no Content-Type').not.toBe('');
  return split(answer.body, boundary).map((part): AnsweredPart => {
    const [head = '', inner = ''] = changesetHead.exec(part) ?? [];
    if (head === '') return { kind: 'single', answer: readAnswer(part) };
    return { kind: 'changeset', answers: split(part.slice(head.length), inner).map(readAnswer) };
  });
}

/** The responses in the changeset of a batch that has no other part. */
export function answersIn(answer: WireAnswer): readonly InnerResponse[] {
  const parts = partsOf(answer);
  expect(parts.map(({ kind }) => kind)).toEqual(['changeset']);
  return parts.flatMap((part) => (part.kind === 'changeset' ? part.answers : []));
}

/** The response to a batch with one query. */
export function singleIn(answer: WireAnswer): InnerResponse {
  const parts = partsOf(answer);
  expect(parts.map(({ kind }) => kind)).toEqual(['single']);
  const [part] = parts;
  if (part?.kind !== 'single') throw new Error('no single answer');
  return part.answer;
}

function split(text: string, boundary: string): string[] {
  const end = `--${boundary}--\r\n`;
  expect(text.endsWith(end), `no ${end} at the end of ${text.slice(-200)}`).toBe(true);
  const [before, ...parts] = text.slice(0, -end.length).split(`--${boundary}\r\n`);
  expect(before).toBe('');
  return parts;
}

function readAnswer(part: string): InnerResponse {
  expect(part.slice(0, requestHead.length)).toBe(requestHead);
  expect(part.slice(-2)).toBe('\r\n');
  const [head = '', ...rest] = part.slice(requestHead.length, -2).split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = new Map(fields.map((field) => [field.split(': ', 1)[0], field.slice(field.indexOf(': ') + 2)]));
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) \S/.exec(statusLine)?.[1]),
    statusLine,
    fields,
    body: rest.join('\r\n\r\n'),
    header: (name) => headers.get(name),
  };
}

export interface BatchRefusalTraits {
  /** `1:`, for example, before the message. By default nothing. */
  readonly prefix?: string;
  readonly contentId?: string;
  readonly preference?: string;
}

/** Checks exactly the part with the error of a failed changeset. Such a response has no other part. */
export function expectFailure(
  answer: WireAnswer,
  { status, code, message, stage }: Refusal,
  { prefix = '', contentId, preference }: BatchRefusalTraits = {},
): void {
  const answers = answersIn(answer);
  expect(answers.map((inner) => `${inner.status} ${codeOf(inner)}`)).toEqual([`${status} ${code}`]);
  expectError(answers[0]!, answer, {
    code,
    message: prefix + message,
    fields: [
      ...(contentId === undefined ? [] : [`Content-ID: ${contentId}`]),
      'X-Content-Type-Options: nosniff',
      ...(stage === 'executing' ? ['Cache-Control: no-cache'] : []),
      ...(preference === undefined ? [] : [`Preference-Applied: ${preference}`]),
      'DataServiceVersion: 3.0;',
      `Content-Type: ${minimalType}`,
    ],
  });
}

function expectError(
  inner: InnerResponse,
  outer: WireAnswer,
  expected: { code: string; message: string; fields: readonly string[] },
): void {
  const time = /Time:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z)/.exec(inner.body)?.[1];
  const trailed = `${expected.message}\nRequestId:${outer.header('x-ms-request-id')}\nTime:${time}`;
  expect(inner.body).toBe(jsonError(expected.code, trailed));
  expect(inner.fields).toEqual(expected.fields);
}

/** The code of an error in JSON or XML. */
export function codeOf({ body }: Pick<InnerResponse, 'body'>): string | undefined {
  return /"odata\.error":\{"code":"(\w+)"/.exec(body)?.[1] ?? /<code>(\w+)</.exec(body)?.[1];
}

/** `204 No Content`, or `409 EntityAlreadyExists`, for every response in the changeset. */
export function outcomesIn(answer: WireAnswer): string[] {
  return answersIn(answer).map((inner) => `${inner.status} ${codeOf(inner) ?? inner.statusLine.slice(13)}`);
}

/** The rows of a partition: row key and property n. */
export async function rowsOf(client: Pick<TableClient, 'send'>, table: string): Promise<Record<string, unknown>> {
  const headers = { Accept: 'application/json;odata=nometadata' };
  const { body } = await client.send({ method: 'GET', path: `/${table}()`, headers });
  const { value } = JSON.parse(body) as { value: { RowKey: string; n?: unknown }[] };
  return Object.fromEntries(value.map(({ RowKey, n }) => [RowKey, n ?? null]));
}

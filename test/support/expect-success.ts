import { expect } from 'vitest';
import { headerNames } from './expect-refusal.ts';
import type { WireAnswer } from './table-client.ts';

const levelNames = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;
export type Level = (typeof levelNames)[number];

export function accepting(level: Level): { Accept: string } {
  return { Accept: `application/json;odata=${level}` };
}

export interface Success {
  readonly status: number;
  /** Exact values of headers. Headers that every response has need not be given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The entire body and its metadata level. If it is not given, the response must be empty. */
  readonly json?: readonly [level: Level, body: string];
}

/** Checks a response exactly: status, body and all headers. */
export function expectSuccess(answer: WireAnswer, { status, headers = {}, json }: Success): void {
  expect(answer.status, answer.body.slice(0, 400)).toBe(status);
  const [level, body] = json ?? [undefined, ''];
  const exact: Record<string, string> = {
    'Cache-Control': 'no-cache',
    Server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
    'X-Content-Type-Options': 'nosniff',
    'x-ms-version': '2019-02-02',
    ...(level === undefined
      ? { 'Content-Length': '0' }
      : {
          'Transfer-Encoding': 'chunked',
          'Content-Type': `application/json;odata=${level};streaming=true;charset=utf-8`,
        }),
    ...headers,
  };
  expect(Object.fromEntries(Object.keys(exact).map((name) => [name, answer.header(name)]))).toEqual(exact);
  const names = [...Object.keys(exact), 'Date', 'x-ms-request-id'].map((name) => name.toLowerCase());
  expect(headerNames(answer)).toEqual(names.sort());
  expect(answer.body).toBe(body);
}

const etagPattern = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{0,6}[1-9])?Z)'"$/;

/** Checks the form of an ETag header (at most seven digits, no trailing zero), and returns it. */
export function etagOf(answer: WireAnswer): string {
  const etag = answer.header('ETag') ?? '';
  expect(etag).toMatch(etagPattern);
  return etag;
}

/** The Timestamp of the entity, from which the ETag was made. */
export function timestampOf(etag: string): string {
  return decodeURIComponent(etagPattern.exec(etag)?.[1] ?? '');
}

/** `"odata.etag":"W/\"…\""` */
export function etagMember(etag: string): string {
  return `"odata.etag":${JSON.stringify(etag)}`;
}

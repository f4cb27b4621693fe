// A raw HTTP client. It sends the target, the verb and the headers exactly as given, and returns the response exactly
// as received.

import { Pool } from 'undici';
import { expect } from 'vitest';
import { authorization, developmentKey, type Signer } from './sign.mjs';
import { tableWitness } from './witness/witnesses.ts';

export { authorization, developmentKey };

/** An undefined value removes a default header. A list sends the header several times. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WireRequest {
  readonly method: string;
  /** The request target below the account, such as `/Tables?$top=1`. It is sent unchanged. */
  readonly path: string;
  readonly headers?: WireHeaders;
  readonly body?: string | Buffer | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly reason: string;
  /** The names and values of headers, in the order and spelling in which they were received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  header(name: string): string | undefined;
}

export interface ClientOptions {
  /** The part of the request target before `path`: `/devstoreaccount1` in path style, empty in host style. */
  readonly prefix?: string;
  /** The account name with which the resource to sign begins. */
  readonly account?: string;
  readonly key?: string;
  readonly scheme?: Signer['scheme'];
}

export interface TableClient {
  send(request: WireRequest): Promise<WireAnswer>;
  /** A client with the same connections, but other credentials or another address style. */
  with(options: ClientOptions): TableClient;
  close(): Promise<void>;
}

const defaultOptions: Required<ClientOptions> = {
  prefix: '/devstoreaccount1',
  account: 'devstoreaccount1',
  key: developmentKey,
  scheme: 'SharedKeyLite',
};

export function openClient(origin: string, options: ClientOptions = {}): TableClient {
  const pool = new Pool(origin, { connections: 4 });
  return clientOver(pool, { ...defaultOptions, ...options });
}

function clientOver(pool: Pool, options: Required<ClientOptions>): TableClient {
  return {
    send: (request) => send(pool, request, options),
    with: (other) => clientOver(pool, { ...options, ...other }),
    close: () => pool.close(),
  };
}

/** When a test run is recorded, this header names the test of a request. */
function titleHeader(): WireHeaders {
  if (process.env['TANZANITE_TEST_RECORDINGS'] === undefined) return {};
  const title = expect.getState().currentTestName;
  return title === undefined ? {} : { 'x-test-title': encodeURIComponent(title) };
}

async function send(pool: Pool, request: WireRequest, options: Required<ClientOptions>): Promise<WireAnswer> {
  const { method, path, body } = request;
  const target = options.prefix + path;
  const headers: Record<string, string | readonly string[] | undefined> = {
    Accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': '2019-02-02',
    'x-ms-date': new Date().toUTCString(),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...request.headers,
    ...titleHeader(),
  };
  if (!('Authorization' in headers)) headers['Authorization'] = authorization({ method, target, headers }, options);
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().flatMap((one) => [name, one]),
  );
  const answer = await pool.request({
    method: method as 'GET',
    path: target,
    headers: sent,
    body: body ?? null,
    responseHeaders: 'raw',
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const received = wireAnswer(answer.statusCode, answer.statusText, answer.headers as unknown as string[], bytes);
  // A test fails if the OpenAPI description does not have this response.
  tableWitness().see({ method, path, prefix: options.prefix, body }, received);
  return received;
}

function wireAnswer(status: number, reason: string, raw: readonly string[], body: Buffer): WireAnswer {
  const headers: (readonly [string, string])[] = [];
  for (let index = 0; index < raw.length; index += 2) headers.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return {
    status,
    reason,
    headers,
    // TextDecoder is not used, because it would remove a byte order mark.
    body: body.toString('utf8'),
    header: (name) => headers.find(([sent]) => sent.toLowerCase() === name.toLowerCase())?.[1],
  };
}

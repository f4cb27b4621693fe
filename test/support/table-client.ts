// Raw HTTP: the request target, the verb and the headers are sent as they are written, and the response is kept as it
// was sent. It has its own implementation of signatures, so that the emulator's is compared with another one.

import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { tableWitness } from './witness/witnesses.ts';

export const developmentKey =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** An undefined value removes a default header; a list sends the header more than once. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WireRequest {
  readonly method: string;
  /** The request target below the account: `/Tables?$top=1`. It is sent unchanged. */
  readonly path: string;
  readonly headers?: WireHeaders;
  readonly body?: string | Buffer | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly reason: string;
  /** Names and values in the order and the spelling in which they were received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  header(name: string): string | undefined;
}

export type Scheme = 'SharedKey' | 'SharedKeyLite';

export interface ClientOptions {
  /** The part before `path` in the request target: `/devstoreaccount1` in path style, empty in host style. */
  readonly prefix?: string;
  /** Account whose name the resource to sign begins with. */
  readonly account?: string;
  readonly key?: string;
  readonly scheme?: Scheme;
}

export interface TableClient {
  send(request: WireRequest): Promise<WireAnswer>;
  /** The same connections, other credentials or another address style. */
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

async function send(pool: Pool, request: WireRequest, options: Required<ClientOptions>): Promise<WireAnswer> {
  const { method, path, body } = request;
  const target = options.prefix + path;
  const headers: Record<string, string | readonly string[] | undefined> = {
    Accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': '2019-02-02',
    'x-ms-date': new Date().toUTCString(),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...request.headers,
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
  // A test fails if its response is not described.
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
    // Not TextDecoder: it would remove a byte order mark.
    body: body.toString('utf8'),
    header: (name) => headers.find(([sent]) => sent.toLowerCase() === name.toLowerCase())?.[1],
  };
}

export interface SignedRequest {
  readonly method: string;
  /** As on the request line, query included. */
  readonly target: string;
  readonly headers: WireHeaders;
}

/** The Authorization header. Source: docs, Authorize with Shared Key (Table service). */
export function authorization(
  { method, target, headers }: SignedRequest,
  { account, key, scheme }: Pick<Required<ClientOptions>, 'account' | 'key' | 'scheme'>,
): string {
  const headerOf = (name: string): string => {
    const found = Object.entries(headers).find(([sent]) => sent.toLowerCase() === name)?.[1];
    return typeof found === 'string' ? found : (found?.[0] ?? '');
  };
  const [path = '', query = ''] = target.replace(/^https?:\/\/[^/?]*/, '').split(/\?(.*)/s);
  const comp = new URLSearchParams(query).get('comp');
  const resource = `/${account}${path || '/'}${comp ? `?comp=${comp}` : ''}`;
  const date = headerOf('x-ms-date') || headerOf('date');
  const lines =
    scheme === 'SharedKeyLite'
      ? [date, resource]
      : [method, headerOf('content-md5'), headerOf('content-type'), date, resource];
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(lines.join('\n'), 'utf8').digest('base64');
  return `${scheme} ${account}:${signature}`;
}

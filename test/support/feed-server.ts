import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

const pageEntitiesMax = 1_000;

/** A server that only returns tables from memory. The entities can have any order and any content. */
export interface FeedServer {
  readonly base: string;
  /** Tables by name. The entities have the form in which the service would send them. */
  readonly tables: Map<string, readonly Readonly<Record<string, unknown>>[]>;
  /** The addresses of requests, without the account. */
  readonly requests: string[];
}

export async function startFeedServer(): Promise<FeedServer> {
  const tables: FeedServer['tables'] = new Map();
  const requests: string[] = [];
  const server = createServer((request, response) => answer({ tables, requests }, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`, tables, requests };
}

function answer({ tables, requests }: Omit<FeedServer, 'base'>, { url }: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams, search } = new URL(url ?? '', 'http://feed');
  const path = decodeURIComponent(pathname.replace('/feed/', ''));
  requests.push(`${path}${search}`);
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  if (path === 'Tables') return send(200, { value: [...tables.keys()].map((TableName) => ({ TableName })) });
  const entities = tables.get(path.replace('()', ''));
  if (!entities || searchParams.has('comp')) return send(501, refusal('NotImplemented'));
  const at = Number(searchParams.get('NextPartitionKey') ?? '0');
  if (!Number.isInteger(at)) return send(400, refusal('InvalidInput'));
  const end = at + Math.min(pageEntitiesMax, Number(searchParams.get('$top') ?? pageEntitiesMax));
  if (end < entities.length) response.setHeader('x-ms-continuation-NextPartitionKey', String(end));
  return send(200, { value: entities.slice(at, end) });
}

const refusal = (code: string) => ({ 'odata.error': { code, message: { lang: 'en', value: `This is ${code}.` } } });

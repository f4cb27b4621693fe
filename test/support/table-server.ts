import { connect, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { createServer, type HttpServer, type ServerOptions } from '../../src/http/server.ts';
import type { RequestRecord } from '../../src/model/request-record.ts';
import type { HttpResponse } from '../../src/service/http-message.ts';
import type { TableService } from '../../src/service/serve-request.ts';
import { ManualTime } from './manual-time.ts';
import { tableService } from './table-service.ts';

export interface TestServer {
  readonly server: HttpServer;
  readonly service: TableService;
  readonly time: ManualTime;
  readonly port: number;
  /** The records of all answered requests. */
  readonly records: RequestRecord[];
  /** Stops the server. Otherwise, it stops after the last test of the file. */
  stop(): Promise<void>;
}

/** Starts a server in memory, on a free loopback port, with manual time. */
export async function startServer(
  changes: Partial<TableService> = {},
  options: Partial<ServerOptions> = {},
  host = '127.0.0.1',
): Promise<TestServer> {
  const time = new ManualTime();
  const service = await tableService({ time, ...changes });
  const records: RequestRecord[] = [];
  const onAnswered = (record: RequestRecord): void => void records.push(record);
  const server = createServer({ service, onAnswered, keepAliveTimeoutMs: 60_000, ...options });
  const { port } = await server.listen({ host, port: 0 });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= server.close());
  afterAll(async () => {
    await stop();
    await service.store.close();
  });
  return { server, service, time, port, records, stop };
}

export interface TestClient {
  readonly socket: Socket;
  /** The text received so far. */
  received(): string;
  /** Resolves with all received text when the connection is closed. */
  readonly closed: Promise<string>;
}

export function openClient(port: number, host = '127.0.0.1'): TestClient {
  const socket = connect({ port, host, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(received()));
    socket.once('close', () => resolve(received()));
  });
  return { socket, received, closed };
}

export function requestText(target: string, { method = 'GET', headers = '', body = '' } = {}): string {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\nContent-Type: application/json\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n${length}${headers}\r\n${body}`;
}

/** A response that does not fit into a socket's buffers. */
export const largeResponse = (bytes: number): HttpResponse => ({
  status: 200,
  headers: [['Content-Length', String(bytes)]],
  body: Buffer.alloc(bytes, 'x'),
});

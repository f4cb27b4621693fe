// A server that answers HTTP and HTTPS on the same port, and raw clients for both.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ServerOptions } from '../../src/http/server.ts';
import { openCertificates } from '../../src/identity/https-certificates.ts';
import type { TableService } from '../../src/service/serve-request.ts';
import { startServer, type TestClient, type TestServer } from './table-server.ts';

const names = { given: '', listenHost: '127.0.0.1', machine: '' };
export const { authority, served, renew } = await openCertificates({ folder: undefined, names, nowMs: Date.now() });

export const startShared = (
  changes: Partial<TableService> = {},
  options: Partial<ServerOptions> = {},
  host?: string,
): Promise<TestServer> => startServer(changes, { shared: served, ...options }, host);

/** A TLS client that checks the certificate. It uses the stream `below`, if that is given. */
export async function openSecure(
  port: number,
  { host = '127.0.0.1', below }: { readonly host?: string; readonly below?: Duplex } = {},
): Promise<TestClient & { readonly socket: TLSSocket }> {
  const socket = connectTls({ port, host, ca: authority, servername: 'localhost', ...(below && { socket: below }) });
  const chunks: Buffer[] = [];
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  await once(socket, 'secureConnect');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(received()));
    socket.once('close', () => resolve(received()));
  });
  return { socket, received, closed };
}

/** A connection with writes that arrive in pieces, each piece in a separate turn of the event loop. */
export function inPieces(port: number, sizeOf: () => number): Duplex {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => duplex.destroy());
  const duplex: Duplex = new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Buffer, _encoding, done) => void writePieces(socket, bytes, sizeOf).then(() => done(), done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (bytes) => {
    if (!duplex.push(bytes)) socket.pause();
  });
  socket.on('end', () => duplex.push(null));
  socket.on('close', () => duplex.destroy());
  return duplex;
}

export async function writePieces(socket: Socket, bytes: Buffer, sizeOf: () => number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + sizeOf();
    await new Promise<void>((resolve, reject) =>
      socket.write(bytes.subarray(at, end), (error) => (error ? reject(error) : setImmediate(resolve))),
    );
    at = end;
  }
}

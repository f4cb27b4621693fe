// Serves HTTP and HTTPS on one port. The plain server listens and looks at the first byte of each connection. If this
// byte begins a TLS handshake, the plain server passes the connection to a TLS server that never listens. The TLS
// server hands the decrypted socket back. As a result, one server reads all requests, with one set of limits.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Connections } from './connections.ts';

/** The first byte of a TLS record that carries a handshake. No HTTP method begins with it. */
const handshakeRecord = 22;

export interface SharedPortOptions {
  readonly cert: string;
  readonly key: string;
  readonly connections: Connections;
  /** Runs for each decrypted socket when the HTTP server has it. */
  readonly onDecrypted: (socket: Socket) => void;
}

/**
 * Makes a plain server accept HTTPS as well. Call this before the server listens. Returns the TLS server, whose
 * certificate can be replaced later.
 */
export function shareWithTls(server: Server, options: SharedPortOptions): TlsServer {
  const { cert, key, connections, onDecrypted } = options;
  const secure = createTlsServer({ cert, key, ALPNProtocols: ['http/1.1'] });
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  secure.on('secureConnection', (socket) => {
    connections.finishHandshake(socket);
    if (socket.destroyed) return;
    server.emit('connection', socket);
    onDecrypted(socket);
  });
  // Node's own listener, which turns a socket's bytes into requests.
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const serve = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (socket instanceof TLSSocket) {
      serve(socket);
      return;
    }
    connections.beginHandshake(socket);
    onFirstBytes(socket, (first) => {
      if (first === handshakeRecord) {
        // As in Node's HTTPS server: if the client ends its side during the handshake, the connection ends.
        socket.allowHalfOpen = false;
        secure.emit('connection', socket);
        return;
      }
      connections.finishHandshake(socket);
      serve(socket);
      socket.resume();
    });
  });
  return secure;
}

/**
 * Calls `take` with the first byte that a socket receives. Before the call, pauses the socket and puts all bytes back,
 * so that they can be read again. Closes a connection that ends before its first byte.
 */
function onFirstBytes(socket: Socket, take: (first: number | undefined) => void): void {
  const destroy = (): void => void socket.destroy();
  socket.once('end', destroy);
  socket.once('error', destroy);
  socket.once('data', (bytes: Buffer) => {
    socket.off('end', destroy);
    socket.off('error', destroy);
    socket.pause();
    socket.unshift(bytes);
    take(bytes[0]);
  });
}

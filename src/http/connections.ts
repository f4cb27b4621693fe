// Follows the open connections of all servers: which are in a TLS handshake, which carry a request, and how each ends.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, MachineTime } from '../model/time.ts';

/** A TLS handshake that takes longer is aborted. */
const handshakeMsMax = 10_000;

export interface Connection {
  readonly socket: Socket;
  /** The socket that carries the bytes: with TLS, the one below. */
  readonly carrier: Socket;
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** The latest request and its response. */
  latest: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** The client sent malformed HTTP: later bytes are not read as requests. */
  isMalformed: boolean;
  /** The connection itself was answered, rather than a request: no response can be sent any more. */
  isRefused: boolean;
}

/** The last response of a connection, until it is flushed to the operating system. */
export function responseUnderWay({ latest }: Connection): ServerResponse | undefined {
  return latest && !latest.response.writableFinished ? latest.response : undefined;
}

export class Connections {
  readonly #time: MachineTime;
  readonly #open = new Map<Socket, Connection>();
  readonly #handshakes = new Map<string, { readonly socket: Socket; readonly cancel: Cancel }>();
  /** Callbacks that end what waits for a request to be over. */
  readonly #waiting = new Set<() => void>();
  #isClosing = false;
  #arrived = 0;

  constructor(time: MachineTime) {
    this.#time = time;
  }

  /** Follows the connections of a server. */
  watch(server: Server, { isTls }: { readonly isTls: boolean }): void {
    if (!isTls) {
      server.on('connection', (socket: Socket) => this.#add(socket));
      return;
    }
    server.on('connection', (socket: Socket) => this.beginHandshake(socket));
    server.on('secureConnection', (socket: Socket) => this.finishHandshake(socket));
  }

  /**
   * Follows a socket on which no request can arrive yet, and destroys it if the handshake takes too long. No event of Node
   * names both the socket below TLS and the one above it, so the two are matched by their addresses.
   */
  beginHandshake(socket: Socket): void {
    const peers = peersOf(socket);
    const cancel = this.#time.after(handshakeMsMax, () => socket.destroy());
    this.#handshakes.set(peers, { socket, cancel });
    socket.once('close', () => {
      if (this.#handshakes.get(peers)?.socket !== socket) return;
      cancel();
      this.#handshakes.delete(peers);
    });
    if (this.#isClosing) socket.destroy();
  }

  /** The socket, or the one above it, carries requests from now on. */
  finishHandshake(socket: Socket): void {
    const handshake = this.#handshakes.get(peersOf(socket));
    handshake?.cancel();
    this.#handshakes.delete(peersOf(socket));
    this.#add(socket, handshake?.socket);
  }

  /** Undefined for a socket whose TLS handshake is not finished, and for one that is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  /** Whether the servers are stopping: no new request is accepted. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Closes every connection without a response under way, and each other connection when it has sent its last response. */
  close(): void {
    this.#isClosing = true;
    for (const { socket } of this.#handshakes.values()) socket.destroy();
    for (const connection of this.#open.values()) {
      const { socket } = connection;
      const response = responseUnderWay(connection);
      if (!response) {
        socket.destroy();
        continue;
      }
      // Makes Node send Connection: close if the head is not sent yet.
      response.shouldKeepAlive = false;
      response.once('close', () => socket.destroySoon());
    }
    for (const end of [...this.#waiting]) end();
  }

  /** Runs the listener once, when the socket is closed or the servers stop; in the next turn if that has already happened. */
  whenOver(socket: Socket, listener: () => void): Cancel {
    if (this.#isClosing || socket.destroyed) {
      const soon = setImmediate(listener);
      return () => clearImmediate(soon);
    }
    const cancel = (): void => {
      socket.off('close', end);
      this.#waiting.delete(end);
    };
    const end = (): void => {
      cancel();
      listener();
    };
    socket.once('close', end);
    this.#waiting.add(end);
    return cancel;
  }

  /** Resets the connection (TCP RST), which the client cannot mistake for the end of a response. */
  reset(socket: Socket): void {
    // The socket above it ends with it.
    (this.#open.get(socket)?.carrier ?? socket).resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #add(socket: Socket, carrier = socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, {
      socket,
      carrier,
      number: ++this.#arrived,
      latest: undefined,
      isMalformed: false,
      isRefused: false,
    });
    socket.once('close', () => this.#open.delete(socket));
  }
}

function peersOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

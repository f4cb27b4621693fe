// Keeps track of the open connections of all servers: which connections are in a TLS handshake, and which connections
// carry a request. Also closes and resets connections.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, MachineTime } from '../model/time.ts';

/** A TLS handshake that takes longer is aborted. */
const handshakeMsMax = 10_000;

export interface Connection {
  readonly socket: Socket;
  /** The socket that carries the bytes: with TLS, the socket below `socket`. */
  readonly carrier: Socket;
  /** Connections are numbered from 1 in the order of arrival. */
  readonly number: number;
  /** The latest request and its response. */
  latest: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** Whether the client sent malformed HTTP: later bytes are not read as requests. */
  isMalformed: boolean;
  /** Whether malformed HTTP was answered: no response to a request can be sent any more. */
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
  /** Callbacks of `whenOver` that run when the servers stop. */
  readonly #waiting = new Set<() => void>();
  #isClosing = false;
  #arrived = 0;

  constructor(time: MachineTime) {
    this.#time = time;
  }

  /** Keeps track of the connections of a server. */
  watch(server: Server, { isTls }: { readonly isTls: boolean }): void {
    if (!isTls) {
      server.on('connection', (socket: Socket) => this.#add(socket));
      return;
    }
    server.on('connection', (socket: Socket) => this.beginHandshake(socket));
    server.on('secureConnection', (socket: Socket) => this.finishHandshake(socket));
  }

  /**
   * Registers a socket on which a TLS handshake begins. No request can arrive on this socket yet. Destroys the socket
   * if the handshake takes too long. No event of Node names both this socket and the TLS socket above it, so
   * `finishHandshake` matches the two sockets by their addresses.
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

  /** Requests arrive on this socket from now on. With TLS, it is the TLS socket, not the socket below it. */
  finishHandshake(socket: Socket): void {
    const handshake = this.#handshakes.get(peersOf(socket));
    handshake?.cancel();
    this.#handshakes.delete(peersOf(socket));
    this.#add(socket, handshake?.socket);
  }

  /** The connection of a socket. Undefined before its TLS handshake is finished, and after it is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** The number of open connections. */
  get open(): number {
    return this.#open.size;
  }

  /** Whether the servers are stopping: no new request is accepted. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Closes connections without a response under way now, and the others when they have sent their last response. */
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

  /**
   * Runs the listener once, when the socket is closed or the servers stop. If one of these events has already happened,
   * runs the listener in the next turn of the event loop. Returns a function that cancels the call.
   */
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
    // With TLS, this ends the TLS socket too.
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

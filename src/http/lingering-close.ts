// Closes a connection while its client is still sending. If a server closes a connection before it has read all bytes,
// the operating system resets the connection. The client then loses the part of the response that it has not read yet.
// Therefore this server first reads and discards the remaining bytes, up to a maximum size and time.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { MachineTime } from '../model/time.ts';

const restBytesMax = 64 * 1024 * 1024;
/** The time limit for the rest of a request that was answered early. */
const restMsMax = 10_000;
/** The time limit for a client that sent malformed HTTP: it has nothing left to send. */
const garbageMsMax = 2_000;

interface Rest {
  readonly socket: Socket;
  readonly readable: Readable;
  readonly msMax: number;
  /** Closes the connection once what was written is flushed. */
  readonly close: () => void;
}

export class LingeringClose {
  readonly #time: MachineTime;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(time: MachineTime) {
    this.#time = time;
  }

  /** Whether a connection is being closed: bytes that still arrive are not requests. */
  isClosing(socket: Socket): boolean {
    return this.#sockets.size > 0 && this.#sockets.has(socket);
  }

  /** Called before a response with `Connection: close` is written to a request that may not have arrived in full. */
  afterResponseTo(request: IncomingMessage): void {
    const { socket } = request;
    const close = socket.destroySoon.bind(socket);
    // Otherwise Node would read the rest itself, without a bound.
    request.resume();
    // Node calls destroySoon once a response with `Connection: close` is written.
    socket.destroySoon = () => this.#linger({ socket, readable: request, msMax: restMsMax, close });
  }

  /** Writes a last message to a connection, for example after malformed HTTP, and closes the connection. */
  afterMessage(message: string, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    socket.end(message);
    this.#linger({ socket, readable: socket, msMax: garbageMsMax, close: () => socket.destroySoon() });
  }

  /** Closes all lingering connections immediately, and every later one too. */
  closeAll(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #linger({ socket, readable, msMax, close }: Rest): void {
    if (this.#isOver || readable.readableEnded || socket.destroyed) {
      close();
      return;
    }
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > restBytesMax) socket.destroy();
    };
    readable.on('data', count);
    readable.once('end', close);
    const cancel = this.#time.after(msMax, () => socket.destroy());
    this.#sockets.add(socket);
    socket.once('close', () => {
      cancel();
      this.#sockets.delete(socket);
    });
  }
}

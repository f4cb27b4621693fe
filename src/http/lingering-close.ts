// How a connection is closed on which the client still sends. The system resets a connection that is closed with bytes
// unread, and a reset takes back the answer that the client has not read yet; so what comes is read and thrown away,
// within bounds, and the connection is closed then.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

const restBytesMax = 64 * 1024 * 1024;
const restMsMax = 10_000;

export class LingeringClose {
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  /** Whether a connection is being closed: nothing more that comes over it is a request. */
  isClosing(socket: Socket): boolean {
    return this.#sockets.size > 0 && this.#sockets.has(socket);
  }

  /** Called before an answer with `Connection: close` is written to a request that may not have arrived in full. */
  afterAnswerTo(request: IncomingMessage): void {
    const { socket } = request;
    const hangUp = socket.destroySoon.bind(socket);
    // Otherwise Node would read the rest without letting anybody count it.
    request.resume();
    // What Node calls once such an answer is written.
    socket.destroySoon = () => this.#linger(socket, request, hangUp);
  }

  /** Writes the last words to a connection that speaks no HTTP any more. */
  afterWords(words: string, socket: Socket): void {
    const hangUp = (): void => void socket.destroy();
    socket.on('error', hangUp);
    socket.resume();
    this.#linger(socket, socket, hangUp);
    socket.end(words);
  }

  /** Waits for nobody any more, now and from now on. */
  closeAll(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #linger(socket: Socket, rest: Readable, hangUp: () => void): void {
    if (this.#isOver || rest.readableEnded || socket.destroyed) {
      hangUp();
      return;
    }
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= restBytesMax) return;
      rest.off('data', count);
      hangUp();
    };
    rest.on('data', count);
    rest.once('end', hangUp);
    const impatience = setTimeout(hangUp, restMsMax).unref();
    this.#sockets.add(socket);
    socket.once('close', () => {
      clearTimeout(impatience);
      this.#sockets.delete(socket);
    });
  }
}

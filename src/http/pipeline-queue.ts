// Requests that a client sends without waiting for the responses before them (pipelining) are carried out one after another:
// each sees what the one before has written, and at most one response of a connection is held in memory.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which this many requests wait is not read until fewer do. */
const waitingMax = 16;

export class PipelineQueue {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Whether the responses before are written; always so for requests that are not pipelined. */
  isNext(response: ServerResponse): boolean {
    // Node gives the socket to one response at a time.
    return response.socket !== null;
  }

  /** Calls `begin` once the responses before are written; never, if the connection is closed before. */
  wait(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { socket } = request;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, waiting);
    if (waiting === waitingMax) socket.pause();
    response.once('socket', () => {
      const left = (this.#waiting.get(socket) ?? 1) - 1;
      this.#waiting.set(socket, left);
      if (left === waitingMax - 1) socket.resume();
      if (socket.writable) begin();
    });
  }
}

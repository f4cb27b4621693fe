// Pipelining means that a client sends requests without waiting for earlier responses. The server carries out these
// requests one after another. Each request therefore sees what the previous request has written, and at most one
// response per connection is held in memory.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection with this many waiting requests is not read until fewer wait. */
const waitingMax = 16;

export class PipelineQueue {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Whether all earlier responses are written; always true for requests that are not pipelined. */
  isNext(response: ServerResponse): boolean {
    // Node gives the socket to one response at a time.
    return response.socket !== null;
  }

  /** Calls `begin` once all earlier responses are written; never if the connection is closed first. */
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

// Limits the memory for request bodies. A large body is read only when there is room for the entire body. Until there
// is room, the client cannot continue to send the body. The room is freed when the request is answered.

import type { IncomingMessage } from 'node:http';
import type { BufferPool } from '../model/buffer-pool.ts';
import { bodyBytesMax } from '../model/limits.ts';

/** 32 bodies of the maximum size: more than enough to keep the process busy. */
const defaultBytesMax = 32 * bodyBytesMax;
/**
 * A body of at most this size is read immediately, so that the write of a single entity does not wait behind large
 * bodies that clients send slowly.
 */
const smallBytesMax = 64 * 1024;

/** The room reserved for a body. */
interface Reservation {
  readonly bytes: number;
  /** The memory into which the body is read, if its length is known. */
  buffer?: Buffer;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly bytes: number;
  readonly settle: () => void;
}

export class BodyBudget {
  readonly #buffers: BufferPool;
  readonly #bytesMax: number;
  readonly #held = new Map<IncomingMessage, Reservation>();
  #bytes = 0;
  #waiting: Waiting[] = [];

  constructor(buffers: BufferPool, bytesMax = defaultBytesMax) {
    this.#buffers = buffers;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of large bodies whose requests are being read or carried out. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Requests whose bodies are not read yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Reserves room for the body of a request. Returns undefined if the body may be read now. Otherwise returns a promise
   * that resolves when the body may be read, or when the connection is closed.
   */
  reserve(request: IncomingMessage): Promise<void> | undefined {
    const bytes = Number(request.headers['content-length'] ?? bodyBytesMax);
    if (bytes <= smallBytesMax) return undefined;
    const size = this.#buffers.sizeFor(bytes);
    if (this.#waiting.length === 0 && this.#take(request, size)) return undefined;
    return new Promise((settle) => {
      this.#waiting.push({ request, bytes: size, settle });
      request.once('close', () => this.#leave(request));
    });
  }

  /**
   * Returns memory for the body of a request. The memory is valid until `release`. Returns undefined if no room is
   * reserved for the body, or if the request does not state the length of the body.
   */
  lend(request: IncomingMessage): Buffer | undefined {
    const held = this.#held.get(request);
    if (!held || request.headers['content-length'] === undefined) return undefined;
    held.buffer = this.#buffers.take(held.bytes);
    return held.buffer;
  }

  /** Call when the request is answered and nothing reads its body any more. Does nothing if it reserved no room. */
  release(request: IncomingMessage): void {
    const held = this.#held.get(request);
    if (!held) return;
    this.#held.delete(request);
    this.#bytes -= held.bytes;
    if (held.buffer) this.#buffers.giveBack(held.buffer);
    this.#admitWaiting();
  }

  #take(request: IncomingMessage, bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#held.set(request, { bytes });
    this.#bytes += bytes;
    return true;
  }

  #admitWaiting(): void {
    for (let next = this.#waiting[0]; next && this.#take(next.request, next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.settle();
    }
  }

  /** Called when a connection is closed. */
  #leave(request: IncomingMessage): void {
    const left = this.#waiting.find((waiting) => waiting.request === request);
    if (!left) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== left);
    left.settle();
    this.#admitWaiting();
  }
}

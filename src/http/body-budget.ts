// Bounds the memory of request bodies: a large one is read only when there is room for all of it, and its room is free again
// once its request is answered. Until then its client cannot send on, as the connection is not read.

import type { IncomingMessage } from 'node:http';
import { bodyBytesMax } from '../model/limits.ts';

/** Bodies of the largest size that may be read and carried out at a time: more than keep the process busy. */
const defaultBytesMax = 32 * bodyBytesMax;
/** Writes of single entities do not wait behind bodies that clients send slowly. */
const smallBytesMax = 64 * 1024;

interface Waiting {
  readonly request: IncomingMessage;
  readonly bytes: number;
  readonly settle: () => void;
}

export class BodyBudget {
  readonly #bytesMax: number;
  readonly #held = new Map<IncomingMessage, number>();
  #bytes = 0;
  #waiting: Waiting[] = [];

  constructor(bytesMax = defaultBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** Of large bodies that are being read or carried out. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Requests whose bodies are not read yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Undefined where the body may be read now; otherwise resolves when it may be, or when its connection is closed. */
  reserve(request: IncomingMessage): Promise<void> | undefined {
    const bytes = Number(request.headers['content-length'] ?? bodyBytesMax);
    if (bytes <= smallBytesMax) return undefined;
    if (this.#waiting.length === 0 && this.#take(request, bytes)) return undefined;
    return new Promise((settle) => {
      this.#waiting.push({ request, bytes, settle });
      request.once('close', () => this.#leave(request));
    });
  }

  /** The request is answered. Does nothing for one that holds no room. */
  release(request: IncomingMessage): void {
    const bytes = this.#held.get(request);
    if (bytes === undefined) return;
    this.#held.delete(request);
    this.#bytes -= bytes;
    this.#admitWaiting();
  }

  #take(request: IncomingMessage, bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#held.set(request, bytes);
    this.#bytes += bytes;
    return true;
  }

  #admitWaiting(): void {
    for (let next = this.#waiting[0]; next && this.#take(next.request, next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.settle();
    }
  }

  /** A connection is closed. */
  #leave(request: IncomingMessage): void {
    const left = this.#waiting.find((waiting) => waiting.request === request);
    if (!left) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== left);
    left.settle();
    this.#admitWaiting();
  }
}

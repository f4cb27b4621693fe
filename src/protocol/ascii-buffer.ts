import type { BufferPool } from '../model/buffer-pool.ts';

/**
 * Collects ASCII text, such as a JSON response, in one buffer of a pool. This method is several times faster than
 * joining the strings of a page.
 */
export class AsciiBuffer {
  readonly #pool: BufferPool;
  #buffer: Buffer;
  #length = 0;

  constructor(pool: BufferPool, bytesGuess: number) {
    this.#pool = pool;
    this.#buffer = pool.take(bytesGuess);
  }

  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    const end = this.#length + text.length;
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.write(text, this.#length, 'latin1');
    this.#length = end;
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(bytesMin: number): void {
    const small = this.#buffer;
    this.#buffer = this.#pool.take(Math.max(bytesMin, small.length * 2));
    small.copy(this.#buffer, 0, 0, this.#length);
    this.#pool.giveBack(small);
  }
}

/** Collects ASCII text in a string instead of a buffer, for texts of a few kilobytes. */
export class AsciiText {
  #text = '';

  get length(): number {
    return this.#text.length;
  }

  write(text: string): void {
    this.#text += text;
  }

  end(): string {
    return this.#text;
  }
}

// Memory for large bodies, of requests and of responses, used again and again. A buffer of some hundred kilobytes that is allocated for
// each of them may be mapped by the operating system each time, page by page, as it is written: that took a third of the time of
// a query of 400 entities (ADR 0008).

/** Larger buffers are not kept; of the others the last ones, no more than this in all. */
const keptBytesMax = 4 * 1_048_576;
/** Smaller buffers are not lent. From here on sizes are powers of two, so that a buffer fits the next body too. */
const bytesMin = 64 * 1024;

export class BufferPool {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** The memory that is lent, by which it is known again. */
  readonly #lent = new WeakSet<ArrayBufferLike>();

  /** A buffer of at least so many bytes, with anything in it. One that is not given back is garbage. */
  take(bytes: number): Buffer {
    if (bytes < bytesMin) return Buffer.allocUnsafeSlow(bytes);
    const size = 2 ** Math.ceil(Math.log2(bytes));
    // A larger one would do, but the limits on what slow clients hold count the bytes that were asked for.
    const at = this.#kept.findIndex(({ length }) => length === size);
    const [kept] = at === -1 ? [] : this.#kept.splice(at, 1);
    if (kept) this.#keptBytes -= kept.length;
    const buffer = kept ?? Buffer.allocUnsafeSlow(size);
    this.#lent.add(buffer.buffer);
    return buffer;
  }

  /** Takes back a buffer, or a part of one, that nothing reads any more. Leaves alone what is not its own. */
  giveBack({ buffer: memory }: Buffer): void {
    if (!this.#lent.delete(memory) || memory.byteLength > keptBytesMax) return;
    this.#kept.push(Buffer.from(memory));
    this.#keptBytes += memory.byteLength;
    while (this.#keptBytes > keptBytesMax) this.#keptBytes -= this.#kept.shift()?.length ?? 0;
  }
}

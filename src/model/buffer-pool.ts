// Reuses memory for large bodies of requests and responses. When a program writes to a new buffer of a few hundred
// kilobytes, the operating system may map the buffer page by page. This mapping takes up to a third of the time of a
// query of 400 entities (ADR 0008).

/** Total memory kept for reuse. A larger buffer is never kept; the oldest is dropped first. */
const keptBytesMax = 4 * 1_048_576;
/**
 * Buffers below this size are not pooled. The size of a pooled buffer is a power of two, so that the buffer also fits
 * the next body.
 */
const bytesMin = 64 * 1024;

export class BufferPool {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Memory that is on loan; `giveBack` ignores anything else. */
  readonly #lent = new WeakSet<ArrayBufferLike>();

  /** The size of the buffer that holds this many bytes. */
  sizeFor(bytes: number): number {
    return bytes < bytesMin ? bytes : 2 ** Math.ceil(Math.log2(bytes));
  }

  /**
   * Returns a buffer of `sizeFor(bytes)` bytes with arbitrary contents. If the buffer is never given back, the garbage
   * collector frees it.
   */
  take(bytes: number): Buffer {
    const size = this.sizeFor(bytes);
    if (bytes < bytesMin) return Buffer.allocUnsafeSlow(size);
    // Only a kept buffer of exactly this size is used. The limits on the memory of slow clients assume that each buffer
    // has the size that sizeFor returns.
    const at = this.#kept.findIndex(({ length }) => length === size);
    const [kept] = at === -1 ? [] : this.#kept.splice(at, 1);
    if (kept) this.#keptBytes -= kept.length;
    const buffer = kept ?? Buffer.allocUnsafeSlow(size);
    this.#lent.add(buffer.buffer);
    return buffer;
  }

  /** Takes back a buffer, or a part of one, that nothing reads any more. */
  giveBack({ buffer: memory }: Buffer): void {
    if (!this.#lent.delete(memory) || memory.byteLength > keptBytesMax) return;
    this.#kept.push(Buffer.from(memory));
    this.#keptBytes += memory.byteLength;
    while (this.#keptBytes > keptBytesMax) this.#keptBytes -= this.#kept.shift()?.length ?? 0;
  }
}

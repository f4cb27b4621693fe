/** Collects ASCII text, as JSON responses are, into one buffer. Joining the strings of a page takes several times as long. */
export class AsciiBuffer {
  #buffer: Buffer;
  #length = 0;

  constructor(bytesGuess: number) {
    this.#buffer = Buffer.allocUnsafe(bytesGuess);
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
    const larger = Buffer.allocUnsafe(Math.max(bytesMin, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** The same as one string, for texts of some kilobytes. */
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

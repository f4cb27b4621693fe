// Cuts the bytes of a file into blocks of complete lines, without parsing them.

import { LineFault, recordBytesMax, tooLongText } from './file-fault.ts';

export interface LineBlock {
  /** Complete lines with their line ends. The last line of a file may lack one. */
  readonly bytes: Buffer;
  /** Line number in the file, 1-based. */
  readonly firstLine: number;
}

export interface BlockLimits {
  /** Limits of a block: it ends after the line with which it reaches either of them. Blank lines do not count. */
  readonly lines: number;
  readonly bytes: number;
}

/** Cuts bytes into blocks. Throws LineFault for a line that is too long. */
export class LineBlocks {
  readonly #limits: BlockLimits;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #lines = 0;
  #filledLines = 0;
  /** Bytes of the unfinished line. */
  #lineBytes = 0;
  #firstLine = 1;

  constructor(limits: BlockLimits) {
    this.#limits = limits;
  }

  *push(bytes: Buffer): Generator<LineBlock> {
    let [start, from] = [0, 0];
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
      this.#grow(end - from);
      this.#lines += 1;
      if (this.#lineBytes > 1) this.#filledLines += 1;
      this.#lineBytes = 0;
      from = end + 1;
      if (this.#filledLines < this.#limits.lines && this.#bytes + from - start < this.#limits.bytes) continue;
      this.#add(bytes.subarray(start, from));
      yield this.#take();
      start = from;
    }
    this.#grow(bytes.length - from);
    // A copy, because the buffer is reused.
    this.#add(Buffer.from(bytes.subarray(start)));
  }

  *end(): Generator<LineBlock> {
    if (this.#bytes > 0) yield this.#take();
  }

  #grow(bytes: number): void {
    this.#lineBytes += bytes;
    if (this.#lineBytes > recordBytesMax) throw new LineFault(this.#firstLine + this.#lines, tooLongText);
  }

  #add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  #take(): LineBlock {
    const block = { bytes: Buffer.concat(this.#pieces), firstLine: this.#firstLine };
    this.#firstLine += this.#lines;
    this.#pieces = [];
    [this.#bytes, this.#lines, this.#filledLines] = [0, 0, 0];
    return block;
  }
}

const lineFeed = 0x0a;

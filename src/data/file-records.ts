// Cuts the bytes of a file into records: a line of NDJSON, an element of a JSON array, a record of CSV. Bytes come in pieces; what
// is kept between them is less than a record, which has a limit.

import { isUtf8 } from 'node:buffer';
import { LineFault, recordBytesMax, tooLongText } from './file-fault.ts';

export interface FileRecord {
  readonly text: string;
  /** Where it begins, 1-based. */
  readonly line: number;
}

/** Both throw LineFault. */
export interface RecordCutter {
  push(bytes: Buffer): Iterable<FileRecord>;
  /** After the last bytes. */
  end(): Iterable<FileRecord>;
}

const [lineFeed, quotationMark, backslash, comma] = [0x0a, 0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
export interface LineBlock {
  /** Whole lines, with their ends but for the last one of a file. */
  readonly bytes: Buffer;
  /** Of the file, 1-based. */
  readonly firstLine: number;
}

export interface BlockLimits {
  /** A block ends with the line in which it has reached either. Blank lines do not count. */
  readonly lines: number;
  readonly bytes: number;
}

/** Cuts the bytes of a file into blocks of whole lines, which it does not look into. Throws LineFault for a line that is too long. */
export class LineBlocks {
  readonly #limits: BlockLimits;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #lines = 0;
  #filledLines = 0;
  /** Bytes of the line that has not ended. */
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
    // A copy: the buffer is used again.
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

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** The bytes of a record that have come so far. */
class Pieces {
  line = 1;
  #pieces: Buffer[] = [];
  #size = 0;

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > recordBytesMax) throw new LineFault(this.line, tooLongText);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** The record as text, which the pieces forget. */
  take(): string {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    if (!isUtf8(bytes)) throw new LineFault(this.line, 'is not UTF-8');
    const text = bytes.toString('utf8');
    return this.line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

/** Lines, or records of CSV, whose quoted cells may hold line ends. Blank ones are left out. */
export function lineCutter({ hasQuotes }: { readonly hasQuotes: boolean }): RecordCutter {
  const pieces = new Pieces();
  let line = 1;
  let isQuoted = false;
  const taken = function* (): Generator<FileRecord> {
    const text = pieces.take();
    if (text.trim() !== '') yield { text: text.replace(/\r$/, ''), line: pieces.line };
    pieces.line = line;
  };
  const followQuotes = (bytes: Buffer, start: number, end: number): void => {
    const part = bytes.subarray(start, end);
    for (let at = part.indexOf(quotationMark); at !== -1; at = part.indexOf(quotationMark, at + 1))
      isQuoted = !isQuoted;
  };
  return {
    *push(bytes) {
      let start = 0;
      let from = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
        if (hasQuotes) followQuotes(bytes, from, end);
        line += 1;
        from = end + 1;
        if (isQuoted) continue;
        pieces.add(bytes.subarray(start, end));
        start = from;
        yield* taken();
      }
      if (hasQuotes) followQuotes(bytes, from, bytes.length);
      // A copy: the buffer is used again.
      pieces.add(Buffer.from(bytes.subarray(start)));
    },
    *end() {
      if (isQuoted) throw new LineFault(pieces.line, 'has a quotation mark without its counterpart');
      yield* taken();
    },
  };
}

/** What stands around the array in the response to a query: texts before it, a link to the next page behind it. */
const headOfFeed = /^\s*\{(?:\s*"[^"\\]*"\s*:\s*"[^"\\]*"\s*,)*\s*"value"\s*:\s*$/;
const tailOfFeed = /^\s*(?:,\s*"[^"\\]*"\s*:\s*"[^"\\]*"\s*)*\}\s*$/;

/** The objects of a JSON array, or of the response to a query, which has one. */
export function arrayCutter(): RecordCutter {
  const pieces = new Pieces();
  let line = 1;
  let [state, isFeed]: ['head' | 'first' | 'element' | 'next' | 'inside' | 'tail', boolean] = ['head', false];
  let [depth, isText, isEscape] = [0, false, false];
  /** Whether the byte ends the element. */
  const isLastOfElement = (byte: number): boolean => {
    if (isEscape) isEscape = false;
    else if (isText) {
      if (byte === backslash) isEscape = true;
      else if (byte === quotationMark) isText = false;
    } else if (byte === quotationMark) isText = true;
    else if (byte === openBrace) depth += 1;
    else if (byte === closeBrace) depth -= 1;
    return depth === 0;
  };
  const between = (byte: number): void => {
    if (isBlank(byte)) return;
    if (byte === comma && state === 'next') state = 'element';
    else if (byte === closeBracket && state !== 'element') state = 'tail';
    else if (byte === openBrace && state !== 'next') {
      state = 'inside';
      pieces.line = line;
      depth = 1;
    } else {
      const expected = state === 'next' ? 'a comma or ]' : 'an entity';
      throw new LineFault(line, `has ${JSON.stringify(String.fromCharCode(byte))} where ${expected} is expected`);
    }
  };
  return {
    *push(bytes) {
      let start = 0;
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] as number;
        if (state === 'inside') {
          if (isLastOfElement(byte)) {
            pieces.add(bytes.subarray(start, at + 1));
            start = at + 1;
            state = 'next';
            yield { text: pieces.take(), line: pieces.line };
          }
        } else if (state === 'head') {
          if (byte === openBracket) {
            pieces.add(bytes.subarray(start, at));
            const head = pieces.take();
            isFeed = headOfFeed.test(head);
            if (!isFeed && head.trim() !== '') throw new LineFault(1, 'begins with no JSON array');
            state = 'first';
          }
        } else if (state !== 'tail') {
          between(byte);
          start = byte === openBrace ? at : at + 1;
        }
        if (byte === lineFeed) line += 1;
      }
      pieces.add(Buffer.from(bytes.subarray(start)));
    },
    // biome-ignore lint/correctness/useYield: the array has ended before.
    *end() {
      const rest = pieces.take();
      if (state !== 'tail')
        throw new LineFault(line, state === 'head' ? 'holds no JSON array' : 'ends within the array');
      if (!(isFeed ? tailOfFeed.test(rest) : rest.trim() === '')) throw new LineFault(line, 'goes on after the array');
    },
  };
}

// Cuts the bytes of a file into records: lines of NDJSON, elements of a JSON array, or records of CSV. The bytes arrive
// in pieces. Between two pieces, the module keeps at most an incomplete record. The size of a record is limited.

import { byteOrderMark } from './csv.ts';
import { LineFault, recordBytesMax, tooLongText } from './file-fault.ts';

export interface FileRecord {
  readonly text: string;
  /** The line on which the record begins, 1-based. */
  readonly line: number;
}

/** Both methods throw LineFault. */
export interface RecordCutter {
  push(bytes: Uint8Array): Iterable<FileRecord>;
  /** To be called after the last bytes. */
  end(): Iterable<FileRecord>;
}

const [lineFeed, quotationMark, backslash, comma] = [0x0a, 0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** The bytes of a record received so far. */
class Pieces {
  line = 1;
  #pieces: Uint8Array[] = [];
  #size = 0;

  add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > recordBytesMax) throw new LineFault(this.line, tooLongText);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Returns the record as text and forgets its bytes. */
  take(): string {
    const text = decode(this.#joined());
    this.#pieces = [];
    this.#size = 0;
    if (text === undefined) throw new LineFault(this.line, 'is not UTF-8');
    return this.line === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }

  #joined(): Uint8Array {
    const [first] = this.#pieces;
    if (this.#pieces.length === 1 && first) return first;
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as text; undefined if they are not UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A copy is needed because the caller reuses the memory. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Lines, or records of CSV, whose quoted cells may contain line ends. Blank ones are left out. */
export function lineCutter({ hasQuotes }: { readonly hasQuotes: boolean }): RecordCutter {
  const pieces = new Pieces();
  let line = 1;
  let isQuoted = false;
  const taken = function* (): Generator<FileRecord> {
    const text = pieces.take();
    if (text.trim() !== '') yield { text: text.replace(/\r$/, ''), line: pieces.line };
    pieces.line = line;
  };
  const followQuotes = (bytes: Uint8Array, start: number, end: number): void => {
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
      pieces.add(copyOf(bytes.subarray(start)));
    },
    *end() {
      if (isQuoted) throw new LineFault(pieces.line, 'has a quotation mark that is not closed');
      yield* taken();
    },
  };
}

/** The response to a query has text members before its array, and may have a link to the next page after it. */
const headOfFeed = /^\s*\{(?:\s*"[^"\\]*"\s*:\s*"[^"\\]*"\s*,)*\s*"value"\s*:\s*$/;
const tailOfFeed = /^\s*(?:,\s*"[^"\\]*"\s*:\s*"[^"\\]*"\s*)*\}\s*$/;

/** The objects of a JSON array, or of the array in the response to a query. */
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
            if (!isFeed && head.trim() !== '') throw new LineFault(1, 'does not begin with a JSON array');
            state = 'first';
          }
        } else if (state !== 'tail') {
          between(byte);
          start = byte === openBrace ? at : at + 1;
        }
        if (byte === lineFeed) line += 1;
      }
      pieces.add(copyOf(bytes.subarray(start)));
    },
    // biome-ignore lint/correctness/useYield: all elements of the array were yielded before.
    *end() {
      const rest = pieces.take();
      if (state !== 'tail')
        throw new LineFault(line, state === 'head' ? 'does not contain a JSON array' : 'ends within the array');
      if (!(isFeed ? tailOfFeed.test(rest) : rest.trim() === '')) throw new LineFault(line, 'has text after the array');
    },
  };
}

// Reads MIME multipart bodies (RFC 2046, 5.1) in the same way as the service. The bytes between two delimiters are
// returned unchanged. A delimiter may start at any byte if the rest of its line is blank. Lines end with CR LF, LF or
// CR. Any text may come before the first delimiter and after the last delimiter. The last delimiter may lack its two
// hyphens, or be missing. Evidence: recorded (LF, and a last delimiter without hyphens), sdk (azure-sdk-for-cpp: its
// delimiters directly follow JSON), assumed (all other cases, as in ODataLib's reader).

import { type Delimiter, DelimiterSearch, isBlank, isLineEnd } from './multipart-delimiters.ts';

/** Limit: RFC 2046, 5.1.1. */
const boundaryCharsMax = 70;

const parameter = /;\s*([^=;"\s]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^;]*))?/g;
const printable = /^[\x20-\x7e]+$/;

/**
 * Returns the boundary in a Content-Type. The boundary may be quoted or bare, and it may be at any place among the
 * parameters. Returns undefined if there is no boundary, or if RFC 2046 forbids the boundary.
 */
export function parseBoundary(contentType: string): string | undefined {
  for (const [, name = '', value = ''] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() !== 'boundary') continue;
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    const boundary = (isQuoted ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value).trimEnd();
    return boundary.length <= boundaryCharsMax && printable.test(boundary) ? boundary : undefined;
  }
  return undefined;
}

/**
 * How a multipart body ended. `closed`: with its last delimiter, which may lack its two hyphens. `open`: in the middle
 * of a part. `absent`: the body has no delimiter at all.
 */
export type MultipartEnd = 'closed' | 'open' | 'absent';

/** Reads the parts of a multipart body in their order. */
export class MultipartReader {
  readonly #source: { readonly body: Buffer; position: number };
  readonly #own: DelimiterSearch;
  readonly #outer: DelimiterSearch | undefined;
  #partStart = 0;
  #isDone = false;
  #end: MultipartEnd = 'absent';

  /** `outer` reads the multipart body that contains this body. Both readers share their position. */
  constructor(body: Buffer, boundary: string, outer?: MultipartReader) {
    this.#source = outer ? outer.#source : { body, position: 0 };
    this.#own = new DelimiterSearch(body, boundary);
    this.#outer = outer ? outer.#own : undefined;
  }

  /**
   * Returns a reader of an inner multipart body, which begins at `offset` in the part that was read last. When the new
   * reader has read the inner body, this reader continues at the end of the inner body.
   */
  inside(offset: number, boundary: string): MultipartReader {
    this.#source.position = this.#partStart + offset;
    return new MultipartReader(this.#source.body, boundary, this);
  }

  /** How the body ended, as far as it is read. */
  get end(): MultipartEnd {
    return this.#end;
  }

  /** The next part with its headers; undefined after the last. */
  next(): Buffer | undefined {
    const part = this.#isDone ? undefined : this.#nextPart();
    this.#isDone = part === undefined;
    return part;
  }

  #nextPart(): Buffer | undefined {
    const source = this.#source;
    const opening = this.#delimiterFrom(source.position);
    if (opening === undefined || opening.isOuter) return undefined;
    const { isLast, next: start } = opening.delimiter;
    this.#end = 'closed';
    this.#partStart = start;
    source.position = start;
    if (isLast) return undefined;
    const closing = this.#delimiterFrom(start);
    const part = source.body.subarray(start, closing?.delimiter.contentEnd ?? source.body.length);
    source.position = closing?.delimiter.at ?? source.body.length;
    if (closing && !closing.isOuter) return part;
    // Only blanks may follow a last delimiter without hyphens; anything else is a part without an end.
    if (part.every((byte) => isLineEnd(byte) || isBlank(byte))) return undefined;
    this.#end = 'open';
    return part;
  }

  /**
   * Returns the next delimiter. A delimiter of the outer body also ends this body. A delimiter that fits the boundaries
   * of both bodies belongs to this body.
   */
  #delimiterFrom(from: number): { readonly delimiter: Delimiter; readonly isOuter: boolean } | undefined {
    const outer = this.#outer?.firstFrom(from);
    const own = this.#own.firstFrom(from, outer?.at);
    if (outer && (own === undefined || outer.at < own.at)) return { delimiter: outer, isOuter: true };
    return own && { delimiter: own, isOuter: false };
  }
}

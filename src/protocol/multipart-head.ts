// Parses the head of a MIME part, or the head of an HTTP request in a part. A head consists of headers, and ends at a
// blank line or at the end of the part.

import { isLineEnd, nextLine } from './multipart-delimiters.ts';

/**
 * The values of headers by name. Names are in lower case, and values have no white space at their ends. If a header is
 * repeated, its values are joined in the same way as in Node.
 */
export type PartHeaders = Readonly<Record<string, string>>;

/** Limit: a request line has room for two keys of the maximum length, percent-encoded, or for a filter. */
const lineBytesMax = 65_536;
const headerLinesMax = 100;
/** Limit: more than the entire head of an HTTP request may have. The last line may go beyond the limit. */
const headBytesMax = 65_536;

export interface HeadLine {
  /** Without its line end. */
  readonly text: string;
  /** Where the next line starts. */
  readonly next: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a head must not contain these, nor a response echo them
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Reads the line at an offset. Returns undefined for a line that is too long or has control characters. */
export function readLine(part: Buffer, at: number): HeadLine | undefined {
  const end = lineEnd(part, at);
  if (end === undefined) return undefined;
  const text = part.toString('utf8', at, end);
  return control.test(text) ? undefined : { text, next: nextLine(part, end) };
}

/** Searches no further than the maximum length of a line. */
function lineEnd(part: Buffer, at: number): number | undefined {
  const last = Math.min(part.length, at + lineBytesMax);
  for (let end = at; end < last; end++) if (isLineEnd(part[end])) return end;
  return last - at < lineBytesMax ? last : undefined;
}

/** The first offset after blank lines. */
export function skipBlankLines(part: Buffer, from: number): number {
  let at = from;
  while (isLineEnd(part[at])) at++;
  return at;
}

export interface Head {
  readonly headers: PartHeaders;
  /** The offset after the blank line; without one, the end of the part or beyond. */
  readonly next: number;
}

/** Reads headers, starting at an offset. Returns undefined if a line is not a header, or there are too many. */
export function readHeaders(part: Buffer, from: number): Head | undefined {
  const fields = new Map<string, string>();
  let name: string | undefined;
  let at = from;
  for (let lines = 0; at < part.length; lines++) {
    const line = lines < headerLinesMax && at - from < headBytesMax ? readLine(part, at) : undefined;
    if (line === undefined) return undefined;
    at = line.next;
    if (line.text === '') break;
    name = takeLine(fields, line.text, name);
    if (name === undefined) return undefined;
  }
  const headers: Record<string, string> = Object.create(null);
  for (const [field, value] of fields) headers[field] = value;
  return { headers, next: at };
}

/**
 * Reads the heads of many parts. Most heads are identical, so a head that is equal to the previous head is not parsed
 * again.
 */
export class RepeatedHeads {
  #last: { readonly bytes: Buffer; readonly headers: PartHeaders } | undefined;

  /** Like `readHeaders`. */
  read(part: Buffer, from: number): Head | undefined {
    const last = this.#last;
    const end = from + (last?.bytes.length ?? 0);
    if (last && end <= part.length && part.compare(last.bytes, 0, last.bytes.length, from, end) === 0) {
      return { headers: last.headers, next: end };
    }
    const head = readHeaders(part, from);
    // A head that ends with its part may be the beginning of a longer head.
    const isComplete = head !== undefined && head.next < part.length;
    this.#last = isComplete ? { bytes: part.subarray(from, head.next), headers: head.headers } : undefined;
    return head;
  }
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers whose first value counts, as in Node. */
const singular = new Set(['content-type', 'content-length', 'host', 'authorization', 'user-agent']);

/** Adds a header line, or a line that continues the previous header. Returns the name of the header. */
function takeLine(fields: Map<string, string>, text: string, previous: string | undefined): string | undefined {
  if (text.startsWith(' ') || text.startsWith('\t')) {
    if (previous !== undefined) fields.set(previous, `${fields.get(previous)} ${text.trim()}`.trim());
    return previous;
  }
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  if (!token.test(name)) return undefined;
  const value = text.slice(colon + 1).trim();
  const earlier = fields.get(name);
  if (earlier === undefined) fields.set(name, value);
  else if (!singular.has(name)) fields.set(name, `${earlier}, ${value}`);
  return name;
}

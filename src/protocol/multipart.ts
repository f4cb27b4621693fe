// MIME multipart (RFC 2046, 5.1) in bytes: the content between two delimiters is returned unchanged. Accepts what clients
// send: both line ends, anything before the first and after the last delimiter, a last delimiter without its two hyphens.

/** Limit: RFC 2046, 5.1.1. */
const boundaryCharsMax = 70;

const parameter = /;\s*([^=;"\s]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^;]*))?/g;
const printable = /^[\x20-\x7e]+$/;

/** The boundary in a Content-Type: quoted or bare, at any place among the parameters. Undefined for one that RFC 2046 forbids. */
export function parseBoundary(contentType: string): string | undefined {
  for (const [, name = '', value = ''] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() !== 'boundary') continue;
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    const boundary = (isQuoted ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value).trimEnd();
    return boundary.length <= boundaryCharsMax && printable.test(boundary) ? boundary : undefined;
  }
  return undefined;
}

export interface SplitOptions {
  readonly boundary: string;
  /** Parts beyond this number are not read. */
  readonly partsMax: number;
  /** Whether an outer delimiter has already set the end; then the last part may lack its own. */
  readonly isEnclosed: boolean;
}

/** The parts of a multipart body with their headers. Undefined if it has no delimiter or ends in the middle of a part. */
export function splitMultipart(body: Buffer, { boundary, partsMax, isEnclosed }: SplitOptions): Buffer[] | undefined {
  const marker = Buffer.from(`\n--${boundary}`, 'latin1');
  const parts: Buffer[] = [];
  let opening = firstDelimiter(body, marker);
  if (opening === undefined) return undefined;
  while (!opening.isLast && parts.length < partsMax) {
    const closing = findDelimiter(body, marker, opening.lineEnd);
    const start = opening.lineEnd + 1;
    if (closing === undefined) return endOf(body.subarray(start), parts, isEnclosed);
    parts.push(body.subarray(start, closing.contentEnd));
    opening = closing;
  }
  return parts;
}

/** Handles a last delimiter without hyphens: behind it is nothing, or a part without an end. */
function endOf(rest: Buffer, parts: Buffer[], isEnclosed: boolean): Buffer[] | undefined {
  if (rest.every((byte) => byte === lf || byte === cr || isPadding(byte))) return parts;
  return isEnclosed ? [...parts, rest] : undefined;
}

interface Delimiter {
  /** Where the part before it ends. The line end in between belongs to the delimiter. */
  readonly contentEnd: number;
  /** Where its own line ends: a line feed, or the end of the body. */
  readonly lineEnd: number;
  readonly isLast: boolean;
}

const lf = 0x0a;
const cr = 0x0d;
const hyphen = 0x2d;

function firstDelimiter(body: Buffer, marker: Buffer): Delimiter | undefined {
  const isAtStart = body.subarray(0, marker.length - 1).equals(marker.subarray(1));
  return (isAtStart ? readDelimiter(body, marker, -1) : undefined) ?? findDelimiter(body, marker, 0);
}

/** False matches after which the native search stops: it is faster on common bodies, and far slower on many false matches. */
const missesMax = 100;

function findDelimiter(body: Buffer, marker: Buffer, from: number): Delimiter | undefined {
  let at = body.indexOf(marker, from);
  for (let misses = 0; at !== -1 && misses < missesMax; misses++) {
    const delimiter = readDelimiter(body, marker, at);
    if (delimiter !== undefined) return delimiter;
    at = body.indexOf(marker, at + 1);
  }
  return at === -1 ? undefined : findSlowly(body, marker, at);
}

/** Byte by byte. */
function findSlowly(body: Buffer, marker: Buffer, from: number): Delimiter | undefined {
  for (let at = from; at < body.length; at++) {
    if (body[at] !== lf || body[at + 1] !== hyphen || !isMarkerAt(body, marker, at)) continue;
    const delimiter = readDelimiter(body, marker, at);
    if (delimiter !== undefined) return delimiter;
  }
  return undefined;
}

function isMarkerAt(body: Buffer, marker: Buffer, at: number): boolean {
  for (let i = 0; i < marker.length; i++) if (body[at + i] !== marker[i]) return false;
  return true;
}

/** Reads the rest of a delimiter's line. Returns undefined if it is not blank: then the line is content. */
function readDelimiter(body: Buffer, marker: Buffer, at: number): Delimiter | undefined {
  let end = at + marker.length;
  const isLast = body[end] === hyphen && body[end + 1] === hyphen;
  if (isLast) end += 2;
  while (isPadding(body[end])) end++;
  if (body[end] === cr) end++;
  if (end < body.length && body[end] !== lf) return undefined;
  return { contentEnd: body[at - 1] === cr ? at - 1 : at, lineEnd: end, isLast };
}

function isPadding(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

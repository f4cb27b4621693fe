// The lines at the head of a part, MIME's or HTTP's: headers up to a blank line, or to the end of the part.

/** Values by lower-case name, white space trimmed; of a repeated header all values, as Node joins them. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Limit: two keys of the greatest length, percent-encoded, and a filter fit into a request line. */
const lineBytesMax = 65_536;
const headerLinesMax = 100;

export interface Line {
  /** Without its line end. */
  readonly text: string;
  /** Where the next line starts. */
  readonly next: number;
}

const lf = 0x0a;
// biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may stand in a head, nor be echoed in one
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Reads the line at an offset. Undefined for one that is too long, or has control characters in it. */
export function readLine(part: Buffer, at: number): Line | undefined {
  const end = lineEnd(part, at);
  if (end === undefined) return undefined;
  const line = part.toString('utf8', at, end);
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return control.test(text) ? undefined : { text, next: end + 1 };
}

/** Looks no further than a line may reach. */
function lineEnd(part: Buffer, at: number): number | undefined {
  const window = part.subarray(at, at + lineBytesMax);
  const found = window.indexOf(lf);
  if (found !== -1) return at + found;
  return window.length < lineBytesMax ? part.length : undefined;
}

/** The first offset that is not in a blank line. */
export function skipBlankLines(part: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const feed = part[at] === 0x0d ? at + 1 : at;
    if (part[feed] !== lf) return at;
    at = feed + 1;
  }
}

export interface Head {
  readonly headers: HeaderFields;
  /** Behind the blank line, or at least the end of the part. */
  readonly next: number;
}

/** Reads headers from an offset on. Undefined when one of the lines is none, or there are too many. */
export function readHeaders(part: Buffer, from: number): Head | undefined {
  const fields = new Map<string, string>();
  let name: string | undefined;
  let at = from;
  for (let lines = 0; at < part.length; lines++) {
    const line = lines < headerLinesMax ? readLine(part, at) : undefined;
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

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Of these the first counts, as with Node. */
const singular = new Set(['content-type', 'content-length', 'host', 'authorization', 'user-agent']);

/** Takes one header line, or the continuation of the header before it, and gives the name of its header. */
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

// Writes JSON text as the service does, and reads flat objects. The reader keeps what JSON.parse loses: the text of a
// number (`1.0` is a Double, and 2^53 + 1 is not rounded) and duplicate members. A member named `__proto__` is like any
// other member.

const plainText = /^[\x20-\x21\x23-\x5b\x5d-\x7f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const escaped = /["\\\x00-\x1f\u0080-\uffff]/g;
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A JSON string with everything beyond ASCII as `\uXXXX`, lower case. Evidence: recorded. */
export function quoteJson(text: string): string {
  if (isPlain(text)) return `"${text}"`;
  const body = text.replace(
    escaped,
    (unit) => shortEscapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${body}"`;
}

/** Up to this length, such as in keys and names, a loop over the characters is faster than a regular expression. */
const shortCharsMax = 24;

/** Whether a JSON string can contain the text without escapes. */
function isPlain(text: string): boolean {
  if (text.length > shortCharsMax) return plainText.test(text);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7f || unit === 0x22 || unit === backslash) return false;
  }
  return true;
}

const backslash = 0x5c;

export type JsonScalar =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'null' };

export interface JsonMember {
  readonly name: string;
  readonly value: JsonScalar;
}

/** The text is not a JSON object of scalars. */
export class JsonSyntaxError extends Error {
  /** Position in the text, in UTF-16 units. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} at position ${at}`);
    this.at = at;
  }
}

const whitespace = /[\t\n\r ]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Reads the members of one JSON object in document order, including duplicates. Takes linear time and does not recurse.
 * Throws JsonSyntaxError if the text is not one JSON object, or if a value is itself an object or an array.
 */
export function readFlatObject(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipWhitespace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  at = expectChar(text, at, '{');
  at = skipWhitespace(text, at);
  if (text[at] === '}') return expectEnd(text, at + 1, members);
  for (;;) {
    const name = readString(text, at);
    at = skipWhitespace(text, name.end);
    at = skipWhitespace(text, expectChar(text, at, ':'));
    const value = readScalar(text, at);
    members.push({ name: name.text, value: value.scalar });
    at = skipWhitespace(text, value.end);
    if (text[at] === '}') return expectEnd(text, at + 1, members);
    at = skipWhitespace(text, expectChar(text, at, ','));
  }
}

function skipWhitespace(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit > 0x20 || Number.isNaN(unit)) return at;
  whitespace.lastIndex = at;
  whitespace.test(text);
  return whitespace.lastIndex;
}

function expectChar(text: string, at: number, char: string): number {
  if (text[at] !== char) throw new JsonSyntaxError(`'${char}' expected`, at);
  return at + 1;
}

function expectEnd(text: string, at: number, members: JsonMember[]): JsonMember[] {
  if (skipWhitespace(text, at) !== text.length) throw new JsonSyntaxError('end expected', at);
  return members;
}

function readString(text: string, start: number): { text: string; end: number } {
  expectChar(text, start, '"');
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw new JsonSyntaxError('string without an end', start);
  const raw = text.slice(start + 1, end);
  if (isPlain(raw)) return { text: raw, end: end + 1 };
  try {
    return { text: JSON.parse(text.slice(start, end + 1)) as string, end: end + 1 };
  } catch {
    throw new JsonSyntaxError('malformed string', start);
  }
}

/** Whether the quotation mark at `quoteAt` is escaped, and so does not end its string. */
export function isEscaped(text: string, quoteAt: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quoteAt - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

const words = ['true', 'false', 'null'] as const;

function readScalar(text: string, at: number): { scalar: JsonScalar; end: number } {
  if (text[at] === '"') {
    const { text: value, end } = readString(text, at);
    return { scalar: { kind: 'string', text: value }, end };
  }
  for (const kind of words) {
    if (text.startsWith(kind, at)) return { scalar: { kind }, end: at + kind.length };
  }
  number.lastIndex = at;
  const match = number.exec(text);
  if (!match) throw new JsonSyntaxError('value expected', at);
  return { scalar: { kind: 'number', text: match[0] }, end: at + match[0].length };
}

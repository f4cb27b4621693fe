// Divides a filter, or the keys in an address, into OData tokens. The rules are those of ODataLib, the service's parser
// library. This module finds the start and the end of each token, and detects lexical errors. The caller interprets the
// tokens.

import { odataError, type ServiceError } from './service-error.ts';

export type OdataToken = {
  /** 0-based, in UTF-16 units; `end` is one past the last. */
  readonly start: number;
  readonly end: number;
} & (
  | { readonly kind: 'string' }
  /**
   * `datetime'…'` and the like. `valueStart` is the position after the opening quote; `end - 1` is the position of the
   * closing quote.
   */
  | { readonly kind: 'typed'; readonly prefix: LiteralPrefix; readonly valueStart: number }
  /** A number, or `-INF`, or `0x…`. */
  | { readonly kind: 'number' }
  | { readonly kind: 'word' }
  | { readonly kind: 'symbol' }
  | { readonly kind: 'end' }
);

const prefixes = ['datetime', 'datetimeoffset', 'guid', 'x', 'binary', 'time'] as const;
export type LiteralPrefix = (typeof prefixes)[number];

const blanks = /\s*/y;
// A name, with the same characters as in `$select` except for the dot.
const word = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*/uy;
// Also matches a number that has no digits after its point or after the `e` of its exponent, so that the error can give
// the position where a digit is missing.
const number =
  /(?:-\s*)?(?:0x[0-9a-f]*|(?<upToPoint>\d+\.(?!\d))|(?<upToExponent>\d+(?:\.\d+)?e(?:[+-](?!\d)|(?![+\d-])))|\d+(?:\.\d+)?(?:e[+-]?\d+)?[ldfm]?)/iy;
const negativeInfinity = /-\s*INF(?![\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}_])/uy;
// All symbols of ODataLib's lexer. Most of these symbols are not valid in a filter, but the error for an invalid symbol
// differs from the error for an unknown character.
const symbols = new Set('(),-=/?.*:');

/** Returns the next token at each call. The last token has the kind `end`. */
export type NextToken = () => OdataToken;

/**
 * Returns a function that returns the next token at each call, and throws InvalidInput at the first fault. The time for
 * all tokens together is linear in the length of the text. Evidence: recorded; sdk; assumed (the error for a missing
 * digit).
 */
export function createTokenReader(text: string): NextToken {
  let position = 0;
  return () => {
    const token = readToken(text, endOfBlanks(text, position));
    position = token.end;
    return token;
  };
}

/** The position of the first character at or after `start` that is not white space. */
export function endOfBlanks(text: string, start: number): number {
  return start + (matchAt(blanks, text, start)?.[0].length ?? 0);
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function readToken(text: string, start: number): OdataToken {
  if (start >= text.length) return { kind: 'end', start, end: start };
  const character = text.charAt(start);
  if (character === "'") return { kind: 'string', start, end: endOfString(text, start) };
  const token = readNumber(text, start) ?? readWord(text, start);
  if (token !== undefined) return token;
  if (symbols.has(character)) return { kind: 'symbol', start, end: start + 1 };
  throw invalidCharacter(text, start);
}

/** Within a string, a quote is written twice. */
function endOfString(text: string, start: number): number {
  for (let from = start; ; ) {
    const close = text.indexOf("'", from + 1);
    if (close < 0) throw unterminated('string literal', start, text);
    if (text.charAt(close + 1) !== "'") return close + 1;
    from = close + 1;
  }
}

/**
 * Returns the value of a string token: its text without the enclosing quotation marks. Two quotation marks in a row
 * become one.
 */
export function stringValue(text: string, { start, end }: OdataToken): string {
  return text.slice(start + 1, end - 1).replaceAll("''", "'");
}

function readNumber(text: string, start: number): OdataToken | undefined {
  const infinity = matchAt(negativeInfinity, text, start);
  if (infinity !== null) return { kind: 'number', start, end: start + infinity[0].length };
  const match = matchAt(number, text, start);
  if (match === null) return undefined;
  const end = start + match[0].length;
  const { upToPoint, upToExponent } = match.groups ?? {};
  if (upToPoint !== undefined || upToExponent !== undefined) {
    throw odataError(`A digit was expected at position ${end} in '${text}'.`, { start: end, end });
  }
  return { kind: 'number', start, end };
}

function readWord(text: string, start: number): OdataToken | undefined {
  const found = matchAt(word, text, start)?.[0];
  if (found === undefined) return undefined;
  const end = start + found.length;
  const prefix = text.charAt(end) === "'" ? prefixOf(found) : undefined;
  if (prefix === undefined) return { kind: 'word', start, end };
  const close = text.indexOf("'", end + 1);
  if (close < 0) throw unterminated('literal', end, text);
  return { kind: 'typed', prefix, valueStart: end + 1, start, end: close + 1 };
}

/** Evidence: documented; assumed (upper and lower case, as in ODataLib). */
function prefixOf(found: string): LiteralPrefix | undefined {
  const lower = found.toLowerCase();
  return prefixes.find((prefix) => prefix === lower);
}

/** Evidence: recorded. */
function invalidCharacter(text: string, start: number): ServiceError {
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return odataError(`Syntax error: character '${character}' is not valid at position ${start} in '${text}'.`, {
    start,
    end: start + character.length,
  });
}

/**
 * Returns the refusal of a literal without a closing quotation mark. The message of the refusal gives the position of
 * the end of the text. `open` is the position of the opening quotation mark. Evidence: sdk (azure-sdk-for-net #31464:
 * for a string).
 */
function unterminated(what: 'string literal' | 'literal', open: number, text: string): ServiceError {
  const place = { start: open, end: text.length };
  return odataError(`There is an unterminated ${what} at position ${text.length} in '${text}'.`, place);
}

import { digitExpected, invalidCharacter, unrecognizedLiteral, unterminatedString } from './filter-faults.ts';
import {
  type Literal,
  type LiteralType,
  literalOfWord,
  minusInfinity,
  readNumber,
  readQuoted,
  typeOfNumber,
  typeOfPrefix,
} from './literals.ts';

export type Token = {
  /** 0-based, in UTF-16 units; `end` is one past the last. */
  readonly start: number;
  readonly end: number;
} & (
  | { readonly kind: 'literal'; readonly literal: Literal }
  /** A property, a function or an operator, depending on its position. */
  | { readonly kind: 'word'; readonly word: string; readonly opensCall: boolean }
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'end' }
);

const blanks = /\s*/y;
// As in `$select`, without the dot.
const word = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*/uy;
// Also matches numbers whose digits after a point or an exponent are missing, so that the error can name the position.
const number =
  /(-\s*)?(0x[0-9a-f]*|(?<upToPoint>\d+\.(?!\d))|(?<upToExponent>\d+(?:\.\d+)?e(?:[+-](?!\d)|(?![+\d-])))|\d+(?:\.\d+)?(?:e[+-]?\d+)?[ldfm]?)/iy;
const negativeInfinity = /-\s*INF(?![\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}_])/uy;
// All symbols of ODataLib's lexer. Most are valid nowhere in a filter, but the error differs from that of an unknown character.
const symbols = new Set('(),-=/?.*:');

/** Returns the next token at each call, the last of kind `end`. Linear in the length of the text. */
export type Lexer = () => Token;

/** The lexer throws InvalidInput for invalid characters and for literals outside their type. */
export function createLexer(text: string): Lexer {
  let position = 0;
  return () => {
    const start = position + (matchAt(blanks, text, position)?.[0].length ?? 0);
    const token = readToken(text, start);
    position = token.end;
    return token;
  };
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function readToken(text: string, start: number): Token {
  if (start >= text.length) return { kind: 'end', start, end: start };
  const character = text.charAt(start);
  if (character === "'") return readString(text, start);
  const token = readNumeric(text, start) ?? readWord(text, start);
  if (token !== undefined) return token;
  if (symbols.has(character)) return { kind: 'symbol', symbol: character, start, end: start + 1 };
  throw invalidCharacter(String.fromCodePoint(text.codePointAt(start) ?? 0), start, text);
}

function readString(text: string, start: number): Token {
  let end = closingQuote(text, start);
  while (text.charAt(end) === "'") end = closingQuote(text, end);
  const value = text.slice(start + 1, end - 1).replaceAll("''", "'");
  return { kind: 'literal', literal: { type: 'Edm.String', value }, start, end };
}

/** The position after the first quote that follows the one at `open`. */
function closingQuote(text: string, open: number): number {
  const quote = text.indexOf("'", open + 1);
  if (quote < 0) throw unterminatedString(open, text);
  return quote + 1;
}

function readNumeric(text: string, start: number): Token | undefined {
  const infinity = matchAt(negativeInfinity, text, start);
  if (infinity !== null) return { kind: 'literal', literal: minusInfinity, start, end: start + infinity[0].length };
  const match = matchAt(number, text, start);
  if (match === null) return undefined;
  const end = start + match[0].length;
  const { upToPoint, upToExponent } = match.groups ?? {};
  if (upToPoint !== undefined || upToExponent !== undefined) throw digitExpected(end, text);
  const written = `${match[1] === undefined ? '' : '-'}${match[2]}`;
  const isHex = /^-?0x/i.test(written);
  const type = isHex ? 'Edm.Binary' : typeOfNumber(written);
  return literalToken({ text, start, end, type, literal: readNumber(type, written) });
}

interface LiteralMatch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly type: LiteralType;
  readonly literal: Literal | undefined;
}

function literalToken({ text, start, end, type, literal }: LiteralMatch): Token {
  if (literal === undefined) {
    throw unrecognizedLiteral({ type, literalText: text.slice(start, end), position: start, text });
  }
  return { kind: 'literal', literal, start, end };
}

function readWord(text: string, start: number): Token | undefined {
  const found = matchAt(word, text, start)?.[0];
  if (found === undefined) return undefined;
  const end = start + found.length;
  const type = text.charAt(end) === "'" ? typeOfPrefix(found) : undefined;
  if (type !== undefined) {
    const close = closingQuote(text, end);
    return literalToken({ text, start, end: close, type, literal: readQuoted(type, text.slice(end + 1, close - 1)) });
  }
  const literal = literalOfWord(found);
  if (literal !== undefined) return { kind: 'literal', literal, start, end };
  const afterBlanks = end + (matchAt(blanks, text, end)?.[0].length ?? 0);
  return { kind: 'word', word: found, opensCall: text.charAt(afterBlanks) === '(', start, end };
}

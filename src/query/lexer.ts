// The tokens of a filter with the values of its literals.

import { createTokenReader, endOfBlanks, type OdataToken, stringValue } from '../model/odata-tokens.ts';
import { unrecognizedLiteral } from './filter-faults.ts';
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

/** Returns the next token at each call. The last token has the kind `end`. Linear in the length of the text. */
export type Lexer = () => Token;

/** The lexer throws InvalidInput for invalid characters and for literals that do not fit their type. */
export function createLexer(text: string): Lexer {
  const next = createTokenReader(text);
  return () => interpret(next(), text);
}

function interpret(token: OdataToken, text: string): Token {
  const { start, end } = token;
  switch (token.kind) {
    case 'end':
      return { kind: 'end', start, end };
    case 'symbol':
      return { kind: 'symbol', symbol: text.charAt(start), start, end };
    case 'string':
      return { kind: 'literal', literal: { type: 'Edm.String', value: stringValue(text, token) }, start, end };
    case 'word':
      return wordToken(token, text);
    case 'number':
      return numberToken(token, text);
    case 'typed': {
      const type = typeOfPrefix(token.prefix);
      const literal = readQuoted(type, text.slice(token.valueStart, end - 1));
      return literalToken({ text, start, end, type, literal });
    }
  }
}

function wordToken({ start, end }: OdataToken, text: string): Token {
  const word = text.slice(start, end);
  const literal = literalOfWord(word);
  if (literal !== undefined) return { kind: 'literal', literal, start, end };
  return { kind: 'word', word, opensCall: text.charAt(endOfBlanks(text, end)) === '(', start, end };
}

function numberToken({ start, end }: OdataToken, text: string): Token {
  const written = text.slice(start, end).replace(/^-\s+/, '-');
  if (written === '-INF') return { kind: 'literal', literal: minusInfinity, start, end };
  const type = /^-?0x/i.test(written) ? 'Edm.Binary' : typeOfNumber(written);
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

// Parses key expressions. A key expression says how to make a PartitionKey or a RowKey from the properties of an
// entity. Examples: `{Department}`, `empid_{EmployeeId:000000}`, `{hash(CustomerId,16)}_{OrderDate:yyyyMM}`.
// docs/keys.md describes key expressions.

import { quote } from '../../model/printable-text.ts';
import { type DatePattern, parseDatePattern } from './date-pattern.ts';

export interface KeyExpression {
  /** The expression as the developer wrote it. */
  readonly text: string;
  readonly parts: readonly KeyPart[];
}

export type KeyPart = LiteralPart | ValuePart | BucketPart;

export interface LiteralPart {
  readonly kind: 'literal';
  readonly text: string;
}

export interface ValuePart {
  readonly kind: 'value';
  readonly property: string;
  readonly format: ValueFormat;
}

/** The number of a bucket, which the hash of a property's value chooses. */
export interface BucketPart {
  readonly kind: 'bucket';
  readonly property: string;
  readonly buckets: number;
}

export type ValueFormat =
  | { readonly kind: 'plain' | 'ticks' | 'inverted' | 'lower' | 'upper' }
  /** The value with zeros in front, up to a width. */
  | { readonly kind: 'padded'; readonly width: number }
  | { readonly kind: 'date'; readonly pattern: DatePattern };

/** Thrown if a text is not a key expression. The message says what is wrong and where. */
export class KeyExpressionFault extends Error {}

const expressionCharsMax = 1_024;
const partsMax = 32;
const bucketsMax = 1_000;
const widthMax = 40;

const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;
const bucketCall = /^hash\(\s*([^,()]*?)\s*,\s*([^,()]*?)\s*\)$/;

/** Parses an expression. An empty text is valid: the key is then empty. Throws KeyExpressionFault. */
export function parseKeyExpression(text: string): KeyExpression {
  if (text.length > expressionCharsMax) {
    throw new KeyExpressionFault(`it has ${text.length} characters; ${expressionCharsMax} are allowed`);
  }
  const parts: KeyPart[] = [];
  let literal = '';
  const endLiteral = (): void => {
    if (literal !== '') parts.push({ kind: 'literal', text: literal });
    literal = '';
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    if ((char === '{' || char === '}') && text[at + 1] === char) {
      literal += char;
      at += 2;
    } else if (char === '{') {
      endLiteral();
      const end = endOfPart(text, at);
      parts.push(parsePart(text.slice(at + 1, end), at));
      at = end + 1;
    } else if (char === '}') {
      throw faultAt(at, 'a } without its {: write }} for the character');
    } else {
      literal += char;
      at += 1;
    }
  }
  endLiteral();
  if (parts.length > partsMax) throw new KeyExpressionFault(`it has ${parts.length} parts; ${partsMax} are allowed`);
  return { text, parts };
}

const faultAt = (at: number, reason: string): KeyExpressionFault =>
  new KeyExpressionFault(`character ${at + 1}: ${reason}`);

function endOfPart(text: string, start: number): number {
  const end = text.indexOf('}', start);
  const nested = text.indexOf('{', start + 1);
  if (end === -1 || (nested !== -1 && nested < end)) {
    throw faultAt(start, 'a { without its }: write {{ for the character');
  }
  return end;
}

function parsePart(content: string, at: number): KeyPart {
  const call = bucketCall.exec(content.trim());
  if (call) {
    const [, property = '', count = ''] = call;
    return { kind: 'bucket', property: propertyIn(property, at), buckets: bucketsIn(count, at) };
  }
  if (content.includes('(')) {
    throw faultAt(at, `${quote(content)} is not understood: a hash is written {hash(CustomerId,16)}`);
  }
  const colon = content.indexOf(':');
  const name = colon === -1 ? content : content.slice(0, colon);
  const property = propertyIn(name.trim(), at);
  return { kind: 'value', property, format: colon === -1 ? { kind: 'plain' } : formatIn(content.slice(colon + 1), at) };
}

function propertyIn(name: string, at: number): string {
  if (identifier.test(name)) return name;
  if (name === '') throw faultAt(at, 'names no property: write {Department}');
  throw faultAt(at, `${quote(name)} is not the name of a property`);
}

function bucketsIn(count: string, at: number): number {
  const buckets = /^\d{1,4}$/.test(count) ? Number(count) : 0;
  if (buckets >= 2 && buckets <= bucketsMax) return buckets;
  throw faultAt(at, `a hash has 2 to ${bucketsMax} buckets, not ${quote(count)}`);
}

const words = ['ticks', 'inverted', 'lower', 'upper'] as const;

function formatIn(text: string, at: number): ValueFormat {
  const word = words.find((known) => known === text);
  if (word) return { kind: word };
  if (/^0+$/.test(text)) {
    if (text.length > widthMax) throw faultAt(at, `${text.length} zeros; ${widthMax} are allowed`);
    return { kind: 'padded', width: text.length };
  }
  const pattern = parseDatePattern(text);
  if (pattern) return { kind: 'date', pattern };
  throw faultAt(
    at,
    `the format ${quote(text)} is none of these: zeros for a width (000000), ${words.join(', ')}, or a date such as yyyyMMdd`,
  );
}

/** The names of the properties from which a key is made. */
export const propertiesOfKey = ({ parts }: KeyExpression): readonly string[] => [
  ...new Set(parts.flatMap((part) => (part.kind === 'literal' ? [] : [part.property]))),
];

/** The constant text with which every key of the expression begins. It may be empty. */
export function literalPrefixOf({ parts: [first] }: KeyExpression): string {
  return first?.kind === 'literal' ? first.text : '';
}

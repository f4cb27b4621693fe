import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { LiteralPrefix } from '../model/odata-tokens.ts';
import { parseDateTime } from '../model/ticks.ts';

/** A literal of a filter: a value, null, or a literal of a type that no property can have. */
export type Literal =
  | EdmValue
  | { readonly type: 'null' }
  | { readonly type: 'Edm.Single' | 'Edm.Decimal' | 'Edm.Time' };

export type LiteralType = Exclude<Literal['type'], 'null'>;

const words: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['true', { type: 'Edm.Boolean', value: true }],
  ['false', { type: 'Edm.Boolean', value: false }],
  ['null', { type: 'null' }],
  ['NaN', { type: 'Edm.Double', value: Number.NaN }],
  ['INF', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
]);

/**
 * Returns the literal with this word as its text, or undefined if there is none. `True` is a property, not a literal.
 * Evidence: documented; assumed (`NaN`, `INF`).
 */
export function literalOfWord(word: string): Literal | undefined {
  return words.get(word);
}

export const minusInfinity: Literal = { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY };

const typesOfPrefixes: Readonly<Record<LiteralPrefix, LiteralType>> = {
  datetime: 'Edm.DateTime',
  datetimeoffset: 'Edm.DateTime',
  guid: 'Edm.Guid',
  x: 'Edm.Binary',
  binary: 'Edm.Binary',
  time: 'Edm.Time',
};

/** The type of a quoted literal with this prefix. Evidence: documented. */
export function typeOfPrefix(prefix: LiteralPrefix): LiteralType {
  return typesOfPrefixes[prefix];
}

/** The value of a prefixed literal; undefined if the quoted text is not valid for the type. */
export function readQuoted(type: LiteralType, quoted: string): Literal | undefined {
  switch (type) {
    case 'Edm.DateTime': {
      const value = parseDateTime(quoted);
      return value === undefined ? undefined : { type, value };
    }
    case 'Edm.Guid':
      return edmFromJson(type, { kind: 'string', text: quoted }) ?? undefined;
    case 'Edm.Binary': {
      const isHex = quoted.length % 2 === 0 && /^[0-9a-f]*$/i.test(quoted);
      return isHex ? { type, value: Buffer.from(quoted, 'hex') } : undefined;
    }
    case 'Edm.Time':
      return { type };
    default:
      return undefined;
  }
}

const suffixes: ReadonlyMap<string, LiteralType> = new Map<string, LiteralType>([
  ['l', 'Edm.Int64'],
  ['d', 'Edm.Double'],
  ['f', 'Edm.Single'],
  ['m', 'Edm.Decimal'],
]);

/** The type of a number, by its suffix and form. Evidence: documented (`L`); recorded (`D`); assumed (`F`, `M`). */
export function typeOfNumber(number: string): LiteralType {
  const type = suffixes.get(number.slice(-1).toLowerCase());
  if (type !== undefined) return type;
  return /[.e]/i.test(number) ? 'Edm.Double' : 'Edm.Int32';
}

/** The value of a number as written; undefined if it is out of range for the type. */
export function readNumber(type: LiteralType, number: string): Literal | undefined {
  switch (type) {
    case 'Edm.Int32':
      return edmFromJson(type, { kind: 'number', text: number }) ?? undefined;
    case 'Edm.Int64':
    case 'Edm.Double':
      return edmFromJson(type, { kind: 'number', text: number.replace(/[ld]$/i, '') }) ?? undefined;
    case 'Edm.Single':
    case 'Edm.Decimal':
      return { type };
    default:
      return undefined;
  }
}

// Makes the text that a value becomes in a key, and tells what this text says about the value.

import { formatDouble } from '../../model/double-text.ts';
import type { EdmValue } from '../../model/edm.ts';
import { hashText } from '../../model/hash-text.ts';
import { formatTicksFull, ticksMax } from '../../model/ticks.ts';
import { formatDate } from './date-pattern.ts';
import type { BucketPart, KeyExpression, ValueFormat } from './key-expression.ts';

/** Returns the value of a property. Undefined if the entity does not have the property. */
export type ReadValue = (property: string) => EdmValue | undefined;

/**
 * Thrown if the key expression gives no key for an entity: a property is missing, or its value does not fit the format.
 */
export class NoKey extends Error {
  readonly kind: 'missing' | 'unfit';
  readonly property: string;

  constructor(kind: 'missing' | 'unfit', property: string, reason: string) {
    super(reason);
    this.kind = kind;
    this.property = property;
  }
}

/** Throws NoKey. */
export function makeKeyText({ parts }: KeyExpression, read: ReadValue): string {
  let text = '';
  for (const part of parts) {
    if (part.kind === 'literal') {
      text += part.text;
      continue;
    }
    const value = read(part.property);
    if (!value) throw new NoKey('missing', part.property, `${part.property} is missing`);
    text += part.kind === 'bucket' ? bucketText(part, value) : keyValueText(part.property, part.format, value);
  }
  return text;
}

/** The text of a bucket, such as `07` if there are sixteen buckets. Throws NoKey. */
export function bucketText({ property, buckets }: BucketPart, value: EdmValue): string {
  return bucketName(hashText(keyValueText(property, { kind: 'plain' }, value)) % buckets, buckets);
}

export const bucketName = (bucket: number, buckets: number): string =>
  String(bucket).padStart(String(buckets - 1).length, '0');

/** The text of a value in a format. Throws NoKey. */
export function keyValueText(property: string, format: ValueFormat, value: EdmValue): string {
  const text = formatted(format, value);
  if (text !== undefined) return text;
  throw new NoKey('unfit', property, `${property} is ${shortType(value)}, ${needs(format)}`);
}

const shortType = ({ type }: EdmValue): string => type.slice('Edm.'.length);

function needs(format: ValueFormat): string {
  switch (format.kind) {
    case 'plain':
      return 'which cannot be part of a key';
    case 'padded':
      return `and {…:${'0'.repeat(format.width)}} takes whole numbers from 0 to ${'9'.repeat(format.width)}, also as texts`;
    case 'inverted':
      return 'and {…:inverted} takes DateTime, and whole numbers from 0 up';
    case 'ticks':
    case 'date':
      return 'and its format takes DateTime';
    case 'lower':
    case 'upper':
      return 'and its format takes String';
  }
}

/** Returns undefined for a value that the format does not accept. */
function formatted(format: ValueFormat, value: EdmValue): string | undefined {
  switch (format.kind) {
    case 'plain':
      return plain(value);
    case 'padded':
      return padded(value, format.width);
    case 'inverted':
      return inverted(value);
    case 'ticks':
      return value.type === 'Edm.DateTime' ? ticksText(value.value) : undefined;
    case 'date':
      return value.type === 'Edm.DateTime' ? formatDate(value.value, format.pattern) : undefined;
    case 'lower':
      return value.type === 'Edm.String' ? value.value.toLowerCase() : undefined;
    case 'upper':
      return value.type === 'Edm.String' ? value.value.toUpperCase() : undefined;
  }
}

function plain(value: EdmValue): string | undefined {
  switch (value.type) {
    case 'Edm.Binary':
      return undefined;
    case 'Edm.DateTime':
      return formatTicksFull(value.value);
    case 'Edm.Double':
      // A filter treats 0 and -0 as equal.
      return formatDouble(value.value === 0 ? 0 : value.value);
    default:
      return String(value.value);
  }
}

function padded(value: EdmValue, width: number): string | undefined {
  if (value.type !== 'Edm.Int32' && value.type !== 'Edm.Int64' && value.type !== 'Edm.String') return undefined;
  const digits = String(value.value);
  return /^\d+$/.test(digits) && digits.length <= width ? digits.padStart(width, '0') : undefined;
}

const int32Max = 2_147_483_647n;
const int64Max = 9_223_372_036_854_775_807n;
const ticksWidth = 19;

const ticksText = (ticks: bigint): string => String(ticks).padStart(ticksWidth, '0');

/** The largest value of the type minus the value, so that later or larger values sort first. */
function inverted(value: EdmValue): string | undefined {
  switch (value.type) {
    case 'Edm.DateTime':
      return ticksText(ticksMax - value.value);
    case 'Edm.Int32':
      return value.value < 0 ? undefined : String(int32Max - BigInt(value.value)).padStart(10, '0');
    case 'Edm.Int64':
      return value.value < 0n ? undefined : ticksText(int64Max - value.value);
    default:
      return undefined;
  }
}

export interface TextTraits {
  /** Whether the texts sort like the values (`rising`), in the opposite order (`falling`), or neither. */
  readonly order: 'rising' | 'falling' | 'none';
  /** Whether different values always have different texts. */
  readonly isInjective: boolean;
  readonly hasFixedWidth: boolean;
}

/** What is true of the texts of all values of a type that the format accepts. */
export function textTraitsOf(format: ValueFormat, type: EdmValue['type']): TextTraits {
  const isString = type === 'Edm.String';
  switch (format.kind) {
    case 'plain': {
      const hasFixedWidth = type === 'Edm.Guid' || type === 'Edm.DateTime';
      return { order: isString || hasFixedWidth ? 'rising' : 'none', isInjective: true, hasFixedWidth };
    }
    case 'padded':
      return { order: isString ? 'none' : 'rising', isInjective: !isString, hasFixedWidth: true };
    case 'ticks':
      return { order: 'rising', isInjective: true, hasFixedWidth: true };
    case 'inverted':
      return { order: 'falling', isInjective: true, hasFixedWidth: true };
    case 'date':
      return { order: format.pattern.isRising ? 'rising' : 'none', isInjective: false, hasFixedWidth: true };
    case 'lower':
    case 'upper':
      return { order: 'none', isInjective: false, hasFixedWidth: false };
  }
}

import type { EntityKey } from './entity.ts';
import { quote } from './printable-text.ts';
import { querySyntaxError, ServiceError } from './service-error.ts';

// Limit: characters that a key must not contain (docs: Understanding the Table Service Data Model).
// biome-ignore lint/suspicious/noControlCharactersInRegex: a key must not contain control characters
const forbidden = /[/\\#?\u0000-\u001f\u007f-\u009f]/;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Checks the keys in the body of an insert. Throws OutOfRangeInput for a forbidden character, and InvalidInput for half
 * a surrogate pair. Evidence: recorded; assumed (PartitionKey is checked first; the error for half a surrogate pair).
 */
export function checkBodyKey(key: EntityKey): void {
  checkBodyKeyPart('PartitionKey', key.partitionKey);
  checkBodyKeyPart('RowKey', key.rowKey);
}

function checkBodyKeyPart(name: string, value: string): void {
  if (loneSurrogate.test(value)) {
    throw new ServiceError('InvalidInput', { stage: 'parse', why: `${name} holds half a surrogate pair.` });
  }
  if (!forbidden.test(value)) return;
  const message = `The '${name}' parameter of value '${value}' is out of range.`;
  throw new ServiceError('OutOfRangeInput', { stage: 'parse', message, why: forbiddenFault(name, value) });
}

/**
 * Checks the keys in an address. Throws InvalidInput for a slash or a backslash, and OutOfRangeInput for any other
 * forbidden character. Evidence: recorded.
 */
export function checkAddressKey(key: EntityKey): void {
  for (const { name, value } of partsOf(key)) {
    if (/[/\\]/.test(value)) throw querySyntaxError(forbiddenFault(name, value));
  }
  for (const { name, value } of partsOf(key)) {
    if (forbidden.test(value)) throw new ServiceError('OutOfRangeInput', { why: forbiddenFault(name, value) });
  }
}

const partsOf = ({ partitionKey, rowKey }: EntityKey) => [
  { name: 'PartitionKey', value: partitionKey },
  { name: 'RowKey', value: rowKey },
];

function forbiddenFault(name: string, value: string): string[] {
  const character = forbidden.exec(value)?.[0] ?? '';
  return [
    `${name} ${quote(value)} holds ${quote(character)}, which no key may hold.`,
    'Keys must not hold / \\ # ? or control characters.',
  ];
}

import type { EntityKey } from './entity.ts';
import { querySyntaxError, ServiceError } from './service-error.ts';

// Limit: characters no key may hold (docs: Understanding the Table Service Data Model).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const forbidden = /[/\\#?\u0000-\u001f\u007f-\u009f]/;
const loneSurrogate = /\p{Surrogate}/u;

/** Refuses the keys of an entity to be inserted. Evidence: recorded; PartitionKey first is assumed. */
export function checkBodyKey(key: EntityKey): void {
  checkBodyKeyPart('PartitionKey', key.partitionKey);
  checkBodyKeyPart('RowKey', key.rowKey);
}

function checkBodyKeyPart(name: string, value: string): void {
  if (loneSurrogate.test(value)) throw new ServiceError('InvalidInput', { stage: 'parse' });
  if (!forbidden.test(value)) return;
  const message = `The '${name}' parameter of value '${value}' is out of range.`;
  throw new ServiceError('OutOfRangeInput', { stage: 'parse', message });
}

/** Refuses keys that stand in an address: a slash is a syntax error there. Evidence: recorded. */
export function checkAddressKey(key: EntityKey): void {
  if (/[/\\]/.test(key.partitionKey) || /[/\\]/.test(key.rowKey)) throw querySyntaxError();
  if (forbidden.test(key.partitionKey) || forbidden.test(key.rowKey)) throw new ServiceError('OutOfRangeInput');
}

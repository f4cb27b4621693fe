// The size of an entity in its stored form, measured without decoding large values.

import type { EntityKey } from './entity.ts';
import { valueBytes } from './entity-limits.ts';
import { entityBytesMax } from './limits.ts';
import { decodeProperty, type PropertyText, readPropertyText } from './properties.ts';

/**
 * Whether a stored entity exceeds the maximum size, by the formula of `entityBytes`. In this formula, a property has at
 * most 4 bytes plus twice the length of its stored text. If the sum of these upper bounds does not exceed the maximum
 * size, the values are not measured.
 */
export function isStoredEntityTooLarge(key: EntityKey, properties: readonly PropertyText[]): boolean {
  const keyBytes = 4 + 2 * (key.partitionKey.length + key.rowKey.length);
  let bytesMax = keyBytes;
  for (const { text } of properties) bytesMax += 4 + 2 * text.length;
  if (bytesMax <= entityBytesMax) return false;
  let bytes = keyBytes;
  for (const property of properties) bytes += 8 + 2 * property.name.length + storedValueBytes(property);
  return bytes > entityBytesMax;
}

/** Measures texts and binary values, the only ones that can be large, without decoding them. */
function storedValueBytes(property: PropertyText): number {
  const { type, json } = readPropertyText(property);
  if (type === 'Edm.Binary') return Buffer.byteLength(json.slice(1, -1), 'base64') + 4;
  if (type === undefined && json.startsWith('"')) return 2 * unescapedLength(json.slice(1, -1)) + 4;
  return valueBytes(decodeProperty(property));
}

/**
 * Returns the length, in UTF-16 units, of the text that a JSON string encodes. `body` is the part of the JSON string
 * between the quotation marks, in ASCII.
 */
export function unescapedLength(body: string): number {
  const first = body.indexOf('\\');
  if (first === -1) return body.length;
  // A substring is slow to read unit by unit.
  const units = Buffer.from(body, 'latin1');
  let length = units.length;
  for (let at = first; at < units.length; at++) {
    if (units[at] !== backslash) continue;
    const escapeChars = units[at + 1] === lowerU ? 6 : 2;
    length -= escapeChars - 1;
    at += escapeChars - 1;
  }
  return length;
}

const lowerU = 0x75;
const backslash = 0x5c;

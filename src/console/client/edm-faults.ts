// Checks values, keys and names while they are typed, with the server's own rules and messages.

import { isSystemProperty } from '../../data/entity-text.ts';
import { fittingText } from '../../data/property-text.ts';
import type { EntityKey } from '../../model/entity.ts';
import { checkBodyKey } from '../../model/entity-key.ts';
import { checkDateTimes, findLimitViolation, findTooLarge } from '../../model/entity-limits.ts';
import { ServiceError } from '../../model/service-error.ts';
import { parseTableName } from '../../model/table-name.ts';
import { edmOf, type TypedText, type WrittenEntity } from './edm.ts';

/** The message of the refusal that `check` returns or throws; undefined if it does not refuse. */
function faultOf(check: () => unknown): string | undefined {
  try {
    const refusal = check();
    return refusal instanceof ServiceError ? reasonOf(refusal) : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return reasonOf(error);
    throw error;
  }
}

const reasonOf = ({ why, message }: ServiceError): string => (why.length === 0 ? message : why.join(' '));

/** Why a text is not a value of the type; undefined if it is one. */
export function typedTextFault(name: string, typed: TypedText): string | undefined {
  const value = edmOf(typed);
  if (!value) return `Give ${fittingText(typed.type)}.`;
  const properties = new Map([[name, value]]);
  return faultOf(() => {
    checkDateTimes(properties);
    return findTooLarge(properties);
  });
}

/** Why a text is not a key; undefined if it is one. An empty text is a key. */
export function keyFault(name: keyof EntityKey, text: string): string | undefined {
  const key = { partitionKey: '', rowKey: '', [name]: text };
  return faultOf(() => {
    checkBodyKey(key);
    return findLimitViolation({ ...key, properties: new Map() });
  });
}

/** Why a text is not the name of a property; undefined if it is one. */
export function nameFault(text: string): string | undefined {
  if (isSystemProperty(text)) return 'Every entity has this one.';
  const properties = new Map([[text, { type: 'Edm.Boolean', value: true } as const]]);
  return faultOf(() => findLimitViolation({ partitionKey: '', rowKey: '', properties }));
}

/** Why an entity is too large or has too many properties. Its keys, names and values were checked before. */
export function entityFault({ partitionKey, rowKey, properties }: WrittenEntity): string | undefined {
  const values = [...properties].flatMap(([name, typed]) => {
    const value = edmOf(typed);
    return value ? [[name, value] as const] : [];
  });
  return faultOf(() => findLimitViolation({ partitionKey, rowKey, properties: new Map(values) }));
}

/** Why a text is not the name of a table; undefined if it is one. */
export const tableNameFault = (text: string): string | undefined => faultOf(() => parseTableName(text));

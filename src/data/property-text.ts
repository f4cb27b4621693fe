import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import { EntityTextError, isSystemProperty } from './entity-text.ts';

/** What the text of each type looks like. */
const fitting = {
  String: 'any text',
  Boolean: 'true or false',
  Int32: 'a whole number from -2147483648 to 2147483647',
  Int64: 'a whole number from -9223372036854775808 to 9223372036854775807',
  Double: 'a number such as 1.5 or 1e300, NaN, Infinity or -Infinity',
  DateTime: 'an ISO 8601 time such as 2030-01-31T12:00:00Z',
  Guid: '32 hexadecimal digits such as 01234567-89ab-cdef-0123-456789abcdef',
  Binary: 'base64',
} as const;

export const typeNames: readonly string[] = Object.keys(fitting);

/** Describes the texts that a type accepts: the end of a sentence that begins with "Give". */
export const fittingText = (type: EdmValue['type']): string =>
  Object.entries(fitting).find(([name]) => `Edm.${name}` === type)?.[1] ?? 'any text';

const isTypeName = (name: string): name is keyof typeof fitting => Object.hasOwn(fitting, name);

/**
 * Reads a property from a text such as `name=text` or `name:Type=value`. Throws EntityTextError, which names the
 * property and the accepted values.
 */
export function readProperty(text: string): readonly [name: string, value: EdmValue] {
  const sign = text.indexOf('=');
  if (sign === -1) throw new EntityTextError(`${text}: write a property as name=value or name:Type=value`);
  const [name = '', type = 'String', ...rest] = text.slice(0, sign).split(':');
  if (name === '' || rest.length > 0) throw new EntityTextError(`${text}: begin with name= or name:Type=`);
  if (isSystemProperty(name))
    throw new EntityTextError(`${name} cannot be written as a property: the keys come before the properties`);
  if (!isTypeName(type)) throw new EntityTextError(`${name}: there is no type ${type}, only ${typeNames.join(', ')}`);
  const value = text.slice(sign + 1);
  const edm = edmFromJson(`Edm.${type}`, { kind: 'string', text: value });
  if (!edm) throw new EntityTextError(`${name}: '${value}' does not fit ${type}, which takes ${fitting[type]}`);
  return [name, edm];
}

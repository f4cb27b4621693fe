import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { JsonMember, JsonScalar } from '../model/json-text.ts';
import { quote } from '../model/printable-text.ts';
import type { Properties } from '../model/properties.ts';
import { ServiceError, unreadableInput } from '../model/service-error.ts';
import { readJsonBody } from './json-body.ts';
import { valueFault } from './value-fault.ts';

/** An entity as a request holds it. A key may be missing. */
export interface DecodedEntity {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  /** The custom properties. */
  readonly properties: Properties;
}

/**
 * Where the keys of a written entity come from. With `address`, the keys in the body are ignored, so they may have any
 * type.
 */
export type KeySource = 'body' | 'address';

const annotationSuffix = '@odata.type';

/**
 * Reads the JSON of one entity, at any metadata level. The type annotation of a property may come before or after the
 * property. The reader ignores a Timestamp, properties that are null, annotations of absent properties, and all other
 * names that contain a dot or an at sign. Evidence: recorded; sdk (azure-sdk-for-python, test_encoder: the body of an
 * update contains keys of any type).
 */
export function decodeEntityJson(body: Buffer, keySource: KeySource): DecodedEntity {
  const members = readJsonBody(body);
  const types = readTypes(members);
  const properties = new Map<string, EdmValue>();
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (const { name, value } of members) {
    if (name === 'PartitionKey' || name === 'RowKey') {
      if (keySource === 'address') continue;
      const key = readKey(name, types.get(name), value);
      if (name === 'PartitionKey') partitionKey = key ?? partitionKey;
      else rowKey = key ?? rowKey;
    } else if (name !== 'Timestamp' && !isAnnotation(name)) {
      const edm = edmFromJson(types.get(name), value);
      if (edm === undefined) throw unreadableValue({ name, type: types.get(name), value });
      if (edm !== null) properties.set(name, withoutNegativeZero(edm));
    }
  }
  return { partitionKey, rowKey, properties };
}

const isAnnotation = (name: string): boolean => name.includes('.') || name.includes('@');

function readTypes(members: readonly JsonMember[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { name, value } of members) {
    if (!name.endsWith(annotationSuffix)) continue;
    const property = name.slice(0, -annotationSuffix.length);
    if (isAnnotation(property) || property === 'Timestamp' || value.kind === 'null') continue;
    if (value.kind !== 'string')
      throw unreadableInput(`${quote(name)} must be the name of a type, such as "Edm.Int64".`);
    types.set(property, value.text);
  }
  return types;
}

function readKey(name: string, type: string | undefined, value: JsonScalar): string | undefined {
  if (value.kind === 'null') return undefined;
  if (value.kind === 'string' && (type === undefined || type === 'Edm.String')) return value.text;
  const given = value.kind === 'string' ? `of type ${quote(type ?? '')}` : `${textOf(value)}, not in quotation marks`;
  throw new ServiceError('InvalidInput', { stage: 'parse', why: `${name} is ${given}; keys are strings.` });
}

function unreadableValue({
  name,
  type,
  value,
}: {
  name: string;
  type: string | undefined;
  value: JsonScalar;
}): ServiceError {
  return unreadableInput(() => valueFault({ name, type, text: textOf(value) }));
}

const textOf = (value: JsonScalar): string =>
  value.kind === 'string' || value.kind === 'number' ? value.text : value.kind;

/** JSON does not carry the sign of a zero. Evidence: documented (Payload format for Table service operations). */
function withoutNegativeZero(edm: EdmValue): EdmValue {
  return edm.type === 'Edm.Double' && edm.value === 0 ? { type: edm.type, value: 0 } : edm;
}

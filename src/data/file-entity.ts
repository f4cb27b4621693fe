// An entity of a file, judged by the data model.

import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { EntityKey } from '../model/entity.ts';
import { checkBodyKey } from '../model/entity-key.ts';
import { findLimitViolation } from '../model/entity-limits.ts';
import { type JsonMember, type JsonScalar, JsonSyntaxError, readFlatObject } from '../model/json-text.ts';
import { quote } from '../model/printable-text.ts';
import { encodeProperties, type Properties, type PropertiesText } from '../model/properties.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseDateTime, type Ticks } from '../model/ticks.ts';

/** An entity that the service takes. */
export interface FileEntity extends EntityKey {
  readonly properties: PropertiesText;
  /** The Timestamp that the file gives it, where it is one. */
  readonly ticks?: Ticks;
}

/** The text is no entity that the service takes. The message says why. */
export class EntityFault extends Error {}

const annotationSuffix = '@odata.type';
const isMetadata = (name: string): boolean => name.includes('.') || name.includes('@');

/**
 * Reads one JSON object as the service writes an entity at any metadata level. Null stands for no value; metadata is read over.
 * Throws EntityFault.
 */
export function readFileEntity(text: string): FileEntity {
  const members = readMembers(text);
  const types = readTypes(members);
  const row = new Map<string, EdmValue>();
  let timestamp: string | undefined;
  for (const { name, value } of members) {
    if (isMetadata(name)) continue;
    if (name === 'Timestamp') {
      if (value.kind === 'string') timestamp = value.text;
      continue;
    }
    const edm = edmFromJson(types.get(name), value);
    if (edm === undefined) throw valueFault(name, types.get(name), textOf(value));
    if (row.has(name)) throw new EntityFault(`property ${quote(name)} occurs twice`);
    if (edm !== null) row.set(name, edm);
  }
  const ticks = timestamp === undefined ? undefined : parseDateTime(timestamp);
  return { ...judgeEntity(row), ...(ticks === undefined ? {} : { ticks }) };
}

/** Takes the keys out of a row and judges what is left by every limit of the data model. Throws EntityFault. */
export function judgeEntity(row: ReadonlyMap<string, EdmValue>): FileEntity {
  const properties = new Map<string, EdmValue>();
  for (const [name, edm] of row) {
    if (name === 'PartitionKey' || name === 'RowKey' || isEtag(name, edm)) continue;
    // The service has no negative zero.
    properties.set(name, edm.type === 'Edm.Double' && edm.value === 0 ? { type: edm.type, value: 0 } : edm);
  }
  const key = { partitionKey: keyIn(row, 'PartitionKey'), rowKey: keyIn(row, 'RowKey') };
  checkLimits(key, properties);
  return { ...key, properties: encodeProperties(properties) };
}

/** What SDKs and tools write of an entity beside its properties; a property of that name with another value is kept. */
const isEtag = (name: string, edm: EdmValue): boolean =>
  name === 'ETag' && edm.type === 'Edm.String' && edm.value.startsWith('W/"');

function readMembers(text: string): readonly JsonMember[] {
  try {
    return readFlatObject(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new EntityFault(`${error.message}; an entity is one JSON object of texts, numbers, true, false and null`);
  }
}

function readTypes(members: readonly JsonMember[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { name, value } of members) {
    if (!name.endsWith(annotationSuffix)) continue;
    if (value.kind !== 'string') throw new EntityFault(`${quote(name)} must name a type, such as "Edm.Int64"`);
    types.set(name.slice(0, -annotationSuffix.length), value.text);
  }
  return types;
}

function keyIn(row: ReadonlyMap<string, EdmValue>, name: string): string {
  const key = row.get(name);
  if (key?.type === 'Edm.String') return key.value;
  throw new EntityFault(key ? `${name} is no text` : `${name} is missing`);
}

function checkLimits(key: EntityKey, properties: Properties): void {
  try {
    checkBodyKey(key);
    const violation = findLimitViolation({ ...key, properties });
    if (violation) throw violation;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = error.why.length === 0 ? error.message : error.why.join(' ');
    throw new EntityFault(`${error.code}: ${reason.replace(/\.$/, '')}`);
  }
}

const typeNames = ['String', 'Boolean', 'Int32', 'Int64', 'Double', 'DateTime', 'Guid', 'Binary'];

export function valueFault(name: string, type: string | undefined, text: string): EntityFault {
  if (type !== undefined && !typeNames.includes(type.replace(/^Edm\./, '')))
    return new EntityFault(
      `property ${quote(name)} has the type ${quote(type)}; the types are Edm.${typeNames.join(', Edm.')}`,
    );
  return new EntityFault(`property ${quote(name)} is ${quote(text)}, which is no value of ${type ?? 'any type'}`);
}

const textOf = (value: JsonScalar): string =>
  value.kind === 'string' || value.kind === 'number' ? value.text : value.kind;

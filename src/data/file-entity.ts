// An entity of a file, validated by the data model.

import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { Entity, EntityKey } from '../model/entity.ts';
import { checkEntity } from '../model/entity-limits.ts';
import { type JsonMember, type JsonScalar, JsonSyntaxError, quoteJson, readFlatObject } from '../model/json-text.ts';
import { misspeltKey } from '../model/misspelt-key.ts';
import { quote } from '../model/printable-text.ts';
import { encodeProperties, type PropertiesText } from '../model/properties.ts';
import { ServiceError } from '../model/service-error.ts';
import { formatTicks, parseDateTime, type Ticks } from '../model/ticks.ts';

/** An entity that the service accepts. */
export interface FileEntity extends EntityKey {
  readonly properties: PropertiesText;
  /** The entity's Timestamp in the file, if it is a time. */
  readonly ticks?: Ticks;
}

/** The text is not an entity that the service accepts. The message says why. */
export class EntityFault extends Error {}

const annotationSuffix = '@odata.type';
const isMetadata = (name: string): boolean => name.includes('.') || name.includes('@');

/**
 * Reads an entity from one JSON object. The object has the form in which the service writes entities, at any metadata
 * level. Null means that the property is absent. Metadata is ignored. Throws EntityFault.
 */
export function readFileEntity(text: string): FileEntity {
  const { row, ticks } = readRow(text);
  return { ...judgeEntity(row), ...(ticks === undefined ? {} : { ticks }) };
}

/**
 * Like readFileEntity, but keys may be missing, nothing is validated, and the Timestamp is a property. Throws
 * EntityFault.
 */
export function readFileRow(text: string): ReadonlyMap<string, EdmValue> {
  const { row, ticks } = readRow(text);
  return ticks === undefined ? row : new Map(row).set('Timestamp', { type: 'Edm.DateTime', value: ticks });
}

/**
 * Like readFileEntity, but validates only the keys, because an earlier version may have stored the entity. Throws
 * EntityFault.
 */
export function readStoredEntity(text: string): FileEntity {
  const { properties, ...key } = entityIn(readRow(text).row);
  return { ...key, properties: encodeProperties(properties) };
}

/** Takes the keys out of a row and validates the entity as the service does. Throws EntityFault. */
export function judgeEntity(row: ReadonlyMap<string, EdmValue>): FileEntity {
  const entity = entityIn(row);
  try {
    checkEntity(entity);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = error.why.length === 0 ? error.message : error.why.join(' ');
    throw new EntityFault(`${error.code}: ${reason.replace(/\.$/, '')}`);
  }
  return { ...entity, properties: encodeProperties(entity.properties) };
}

/** One line of NDJSON, ASCII without line end, from which readFileEntity reads the same entity. */
export function fileLine({ partitionKey, rowKey, properties, ticks }: FileEntity): string {
  const timestamp = ticks === undefined ? '' : `,"Timestamp":"${formatTicks(ticks)}"`;
  const rest = properties === '' ? '' : `,${properties.replace(etagProperty, annotatedEtag)}`;
  return `{"PartitionKey":${quoteJson(partitionKey)},"RowKey":${quoteJson(rowKey)}${timestamp}${rest}}`;
}

/**
 * Matches a property that would be read as an ETag. The pattern cannot match inside a value, because quotation marks
 * are escaped there.
 */
const etagProperty = /"ETag":(?="W\/\\")/;
const annotatedEtag = '"ETag@odata.type":"Edm.String","ETag":';

/** SDKs and tools write the ETag next to the properties, as a member or a column without a type. */
export const isEtag = (name: string, text: string): boolean => name === 'ETag' && text.startsWith('W/"');

function readRow(text: string): { readonly row: ReadonlyMap<string, EdmValue>; readonly ticks: Ticks | undefined } {
  const members = readMembers(text);
  const types = readTypes(members);
  // If there is an `odata.etag`, a member named `ETag` is a property.
  const hasEtag = members.some(({ name }) => name === 'odata.etag');
  const row = new Map<string, EdmValue>();
  let timestamp: string | undefined;
  for (const { name, value } of members) {
    if (isMetadata(name)) continue;
    const type = types.get(name);
    if (name === 'Timestamp') {
      if (value.kind === 'string') timestamp = value.text;
      continue;
    }
    if (!hasEtag && type === undefined && value.kind === 'string' && isEtag(name, value.text)) continue;
    const edm = edmFromJson(type, value);
    if (edm === undefined) throw fileValueFault(name, type, textOf(value));
    if (row.has(name)) throw new EntityFault(`property ${quote(name)} occurs twice`);
    if (edm !== null) row.set(name, edm);
  }
  return { row, ticks: timestamp === undefined ? undefined : parseDateTime(timestamp) };
}

function entityIn(row: ReadonlyMap<string, EdmValue>): Entity {
  const properties = new Map<string, EdmValue>();
  for (const [name, edm] of row) {
    if (name === 'PartitionKey' || name === 'RowKey') continue;
    // The service does not store a negative zero.
    properties.set(name, edm.type === 'Edm.Double' && edm.value === 0 ? { type: edm.type, value: 0 } : edm);
  }
  return { partitionKey: keyIn(row, 'PartitionKey'), rowKey: keyIn(row, 'RowKey'), properties };
}

function readMembers(text: string): readonly JsonMember[] {
  try {
    return readFlatObject(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new EntityFault(`${error.message}: an entity is one JSON object of texts, numbers, true, false and null`);
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
  if (key) throw new EntityFault(`${name} is not a text`);
  const meant = [...row.keys()].find((other) => other.toLowerCase() === name.toLowerCase());
  throw new EntityFault(`${name} is missing${meant === undefined ? '' : `: ${misspeltKey([meant])}`}`);
}

const typeNames = ['String', 'Boolean', 'Int32', 'Int64', 'Double', 'DateTime', 'Guid', 'Binary'];

export function fileValueFault(name: string, type: string | undefined, text: string): EntityFault {
  if (type !== undefined && !typeNames.includes(type.replace(/^Edm\./, '')))
    return new EntityFault(
      `property ${quote(name)} has the type ${quote(type)}: the types are Edm.${typeNames.join(', Edm.')}`,
    );
  return new EntityFault(`property ${quote(name)} is ${quote(text)}, which is not a value of ${type ?? 'any type'}`);
}

const textOf = (value: JsonScalar): string =>
  value.kind === 'string' || value.kind === 'number' ? value.text : value.kind;

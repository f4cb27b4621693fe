// Reads a document of Azurite as an entity, and its access policies.

import { encodeSignedIdentifiers } from '../model/access-policy.ts';
import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { JsonScalar } from '../model/json-text.ts';
import { quote } from '../model/printable-text.ts';
import { parseDateTime, type Ticks } from '../model/ticks.ts';
import { isObject } from './azurite-file.ts';
import { EntityFault, type FileEntity, fileValueFault, judgeEntity } from './file-entity.ts';
import { readSignedIdentifiers } from './table-files.ts';

/**
 * Returns access policies in the form in which the store keeps them. Returns undefined if there are no policies or if
 * they are invalid. For invalid policies, also calls `refuse` with the reason.
 */
export function policiesOf(acl: unknown, refuse: (reason: string) => void): string | undefined {
  if (!Array.isArray(acl) || acl.length === 0) return undefined;
  const policies = readSignedIdentifiers(
    acl.map((one: unknown) => {
      const { id, accessPolicy } = isObject(one) ? one : {};
      // Azurite stores members without a value as empty texts.
      const members = Object.entries(isObject(accessPolicy) ? accessPolicy : {}).filter(([, value]) => value);
      return { ...Object.fromEntries(members), id };
    }),
  );
  if (typeof policies !== 'string') return encodeSignedIdentifiers(policies);
  refuse(policies);
  return undefined;
}

export function keysText(document: unknown): string {
  const { PartitionKey, RowKey } = isObject(document) ? document : {};
  return `PartitionKey ${shown(PartitionKey)} and RowKey ${shown(RowKey)}`;
}

/** Any JSON value as text. It may be nested too deeply for JSON.stringify. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Reads a document as an entity. If the service would refuse the entity, returns the reason. */
export function attemptEntity(document: unknown): FileEntity | string {
  try {
    return entityOf(document);
  } catch (error) {
    if (error instanceof EntityFault) return error.message;
    throw error;
  }
}

const annotationSuffix = '@odata.type';

function entityOf(document: unknown): FileEntity {
  const { properties, PartitionKey, RowKey, eTag, lastModifiedTime } = isObject(document) ? document : {};
  if (!isObject(properties)) throw new EntityFault('has no properties');
  const row = new Map<string, EdmValue>();
  for (const [name, key] of Object.entries({ PartitionKey, RowKey })) {
    if (typeof key === 'string') row.set(name, { type: 'Edm.String', value: key });
  }
  for (const [name, value] of Object.entries(properties)) {
    if (row.has(name) || name === 'Timestamp' || /[.@]/.test(name) || value === null) continue;
    const type = properties[name + annotationSuffix];
    row.set(name, edmOf(name, typeof type === 'string' ? type : undefined, value));
  }
  const ticks = ticksOf(eTag) ?? (typeof lastModifiedTime === 'string' ? parseDateTime(lastModifiedTime) : undefined);
  return { ...judgeEntity(row), ...(ticks === undefined ? {} : { ticks }) };
}

function edmOf(name: string, type: string | undefined, value: unknown): EdmValue {
  const scalar = scalarOf(value);
  const edm = scalar && (edmFromJson(type, scalar) ?? guidFromBase64(type, scalar));
  if (edm) return edm;
  throw fileValueFault(name, type, typeof value === 'string' ? value : shown(value));
}

function scalarOf(value: unknown): JsonScalar | undefined {
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  return typeof value === 'boolean' ? { kind: value ? 'true' : 'false' } : undefined;
}

/** Azurite stores a GUID as the base64 of its text. Evidence: peers (Azurite 3.35). */
function guidFromBase64(type: string | undefined, scalar: JsonScalar): EdmValue | undefined {
  if (type !== 'Edm.Guid' || scalar.kind !== 'string') return undefined;
  return (
    edmFromJson(type, { kind: 'string', text: Buffer.from(scalar.text, 'base64').toString('latin1') }) ?? undefined
  );
}

/** The time in an ETag that has the service's form. */
function ticksOf(etag: unknown): Ticks | undefined {
  const [, encoded] = typeof etag === 'string' ? (/^W\/"datetime'([^']+)'"$/.exec(etag) ?? []) : [];
  return encoded === undefined ? undefined : parseDateTime(encoded.replaceAll(/%3A/gi, ':'));
}

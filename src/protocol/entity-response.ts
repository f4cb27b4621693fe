// Renders JSON responses that contain entities. The stored text of the properties already has the form of minimal
// metadata, so a response at this level is a concatenation. The other metadata levels add annotations to the text or
// remove annotations from it.

import type { BufferPool } from '../model/buffer-pool.ts';
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { createEtagFormat, etagOfAsJson } from '../model/etag.ts';
import { quoteJson } from '../model/json-text.ts';
import { type PropertiesText, splitProperties, withoutAnnotations } from '../model/properties.ts';
import { entityPathOf } from './address.ts';
import { AsciiBuffer, AsciiText } from './ascii-buffer.ts';
import type { MetadataLevel } from './payload-format.ts';
import type { Projection } from './select.ts';

export interface EntityRenderOptions {
  readonly level: MetadataLevel;
  /** Whether `odata.etag` is part of minimal metadata. */
  readonly hasMinimalEtag: boolean;
  readonly base: string;
  readonly account: string;
  /** The name of the table as written in the request. */
  readonly table: string;
  readonly selection: Projection;
}

export function renderEntity(entity: EntityRecord, options: EntityRenderOptions): string {
  const system = joinMembers(renderIdentity(entity, options, etagOfAsJson), renderSystem(entity, options));
  const members = joinMembers(system, renderRest(entity, options));
  if (options.level === 'none') return `{${members}}`;
  const metadata = `${options.base}/$metadata#${options.table}/@Element${options.selection.metadataSuffix}`;
  return `{${joinMembers(`"odata.metadata":${quoteJson(metadata)}`, members)}}`;
}

/**
 * Renders a feed of the first entities that fit into `bytesMax`. The first entity is always in the feed. `count` is the
 * number of entities in the feed. Only this function can count them, because the size of an entity depends on the
 * metadata level.
 */
export function renderEntityFeed(
  entities: readonly EntityRecord[],
  options: EntityRenderOptions,
  { bytesMax, buffers }: { readonly bytesMax: number; readonly buffers: BufferPool },
): { body: string | Buffer; count: number } {
  const metadata = `${options.base}/$metadata#${options.table}${options.selection.metadataSuffix}`;
  const start = options.level === 'none' ? '{"value":[' : `{"odata.metadata":${quoteJson(metadata)},"value":[`;
  // Joining a small text is cheaper than allocating a buffer.
  const isShort = entities.length <= shortFeedEntities;
  const body = isShort
    ? new AsciiText()
    : new AsciiBuffer(buffers, Math.min(bytesMax, start.length + feedBytesGuess(entities, options)));
  body.write(start);
  const etagText = createEtagFormat();
  let count = 0;
  for (const entity of entities) {
    const system = joinMembers(renderIdentity(entity, options, etagText), renderSystem(entity, options));
    const custom = renderRest(entity, options);
    const head = `${count === 0 ? '{' : '},{'}${system}${system !== '' && custom !== '' ? ',' : ''}`;
    if (count > 0 && body.length + head.length + custom.length + lastEntityEnd.length > bytesMax) break;
    body.write(head);
    body.write(custom);
    count += 1;
  }
  body.write(count === 0 ? ']}' : lastEntityEnd);
  return { body: body.end(), count };
}

const shortFeedEntities = 32;
/**
 * The number of bytes that an entity in a feed takes at the minimal level, in addition to its keys and properties.
 * These bytes are the ETag, the Timestamp and the names.
 */
const entityFrameBytes = 200;

/**
 * Estimates the size of a feed, because a buffer that is too small has to be copied into a larger one. Selected
 * properties are assumed to be small.
 */
function feedBytesGuess(entities: readonly EntityRecord[], { selection }: EntityRenderOptions): number {
  if (selection.names) return entities.length * entityFrameBytes;
  let bytes = 0;
  for (const { partitionKey, rowKey, properties } of entities) {
    bytes += partitionKey.length + rowKey.length + properties.length + entityFrameBytes;
  }
  return bytes;
}

/** Ends the last entity and the feed. */
const lastEntityEnd = '}]}';

function joinMembers(first: string, second: string): string {
  if (first === '') return second;
  return second === '' ? first : `${first},${second}`;
}

function renderIdentity(
  entity: EntityRecord,
  options: EntityRenderOptions,
  etagText: (timestamp: string) => string,
): string {
  if (options.level === 'none' || (options.level === 'minimal' && !options.hasMinimalEtag)) return '';
  const etag = `"odata.etag":${etagText(entity.timestamp)}`;
  if (options.level === 'minimal') return etag;
  const path = entityPathOf(options.table, entity);
  const type = quoteJson(`${options.account}.${options.table}`);
  const id = quoteJson(`${options.base}/${path}`);
  return `"odata.type":${type},"odata.id":${id},${etag},"odata.editLink":${quoteJson(path)}`;
}

/** Keys and Timestamp. Empty for a selection, which `renderSelected` renders completely. */
function renderSystem(entity: EntityRecord, { level, selection }: EntityRenderOptions): string {
  return selection.names ? '' : `${renderKeys(entity)},${renderTimestamp(entity, level)}`;
}

function renderRest(entity: EntityRecord, { level, selection }: EntityRenderOptions): string {
  return selection.names ? renderSelected(entity, level, selection.names) : atLevel(entity.properties, level);
}

function renderKeys({ partitionKey, rowKey }: EntityKey): string {
  return `"PartitionKey":${quoteJson(partitionKey)},"RowKey":${quoteJson(rowKey)}`;
}

function renderTimestamp({ timestamp }: EntityRecord, level: MetadataLevel): string {
  const annotation = level === 'full' ? '"Timestamp@odata.type":"Edm.DateTime",' : '';
  return `${annotation}"Timestamp":"${timestamp}"`;
}

function atLevel(stored: PropertiesText, level: MetadataLevel): string {
  const properties = withoutNegativeZero(stored);
  return level === 'none' ? withoutAnnotations(properties) : properties;
}

/** JSON does not show the sign of a zero that was sent as Atom. Evidence: documented (Payload format). */
function withoutNegativeZero(stored: PropertiesText): PropertiesText {
  // Matches only after a name: inside a value the quotation mark would be escaped.
  return stored.includes('-0.0') ? stored.replace(/(?<!\\)":-0\.0(?=,|$)/g, '":0.0') : stored;
}

/**
 * Renders the selected properties: first the system properties, then all others in ordinal order. A selected property
 * that the entity does not have is null. Evidence: recorded; null at the no-metadata level is assumed.
 */
function renderSelected(entity: EntityRecord, level: MetadataLevel, names: ReadonlySet<string>): string {
  const rendered: string[] = [];
  if (names.has('PartitionKey')) rendered.push(`"PartitionKey":${quoteJson(entity.partitionKey)}`);
  if (names.has('RowKey')) rendered.push(`"RowKey":${quoteJson(entity.rowKey)}`);
  if (names.has('Timestamp')) rendered.push(renderTimestamp(entity, level));
  const stored = new Map(splitProperties(entity.properties).map(({ name, text }) => [name, text]));
  for (const name of [...names].sort()) {
    // A name with a dot is an annotation, which a selection does not cover.
    if (name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp' || name.includes('.')) continue;
    const text = stored.get(name);
    rendered.push(text === undefined ? `${quoteJson(name)}:null` : atLevel(text, level));
  }
  return rendered.join(',');
}

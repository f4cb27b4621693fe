// JSON answers made of entities. The stored text of the properties already is the minimal-metadata form, so an answer
// is a concatenation; the other levels add to it or take annotations out.

import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { etagOfAsJson } from '../model/etag.ts';
import { quoteJson } from '../model/json-text.ts';
import { type PropertiesText, splitProperties, withoutAnnotations } from '../model/properties.ts';
import { entityPathOf } from './address.ts';
import { AsciiBuffer } from './ascii-buffer.ts';
import type { MetadataLevel } from './payload-format.ts';
import type { Selection } from './select.ts';

export interface EntityFrame {
  readonly level: MetadataLevel;
  readonly base: string;
  readonly account: string;
  /** As written in the request. */
  readonly table: string;
  readonly selection: Selection;
}

export function renderEntity(entity: EntityRecord, frame: EntityFrame): string {
  const members = renderProperties(entity, frame);
  if (frame.level === 'none') return `{${members}}`;
  const metadata = `${frame.base}/$metadata#${frame.table}/@Element${frame.selection.metadataSuffix}`;
  return `{"odata.metadata":${quoteJson(metadata)},${renderIdentity(entity, frame)}${separated(members)}}`;
}

/**
 * A feed of the entities that fit, at least one: `count` says how many of them the body holds. Only here is the size of
 * an answer known, since it depends on the metadata level.
 */
export function renderEntityFeed(
  entities: readonly EntityRecord[],
  frame: EntityFrame,
  bytesMax: number,
): { body: Buffer; count: number } {
  const metadata = `${frame.base}/$metadata#${frame.table}${frame.selection.metadataSuffix}`;
  const start = frame.level === 'none' ? '{"value":[' : `{"odata.metadata":${quoteJson(metadata)},"value":[`;
  const body = new AsciiBuffer(start.length + feedEnd.length + entities.length * entityBytesGuess);
  body.write(start);
  let count = 0;
  for (const entity of entities) {
    const item = renderFeedItem(entity, frame);
    if (count > 0 && body.length + item.length + 1 + feedEnd.length > bytesMax) break;
    body.write(count === 0 ? item : `,${item}`);
    count += 1;
  }
  body.write(feedEnd);
  return { body: body.bytes(), count };
}

/** An entity of an answer, about. */
const entityBytesGuess = 1024;

const feedEnd = ']}';

function renderFeedItem(entity: EntityRecord, frame: EntityFrame): string {
  const members = renderProperties(entity, frame);
  return frame.level === 'none' ? `{${members}}` : `{${renderIdentity(entity, frame)}${separated(members)}}`;
}

const separated = (members: string): string => (members === '' ? '' : `,${members}`);

function renderIdentity(entity: EntityRecord, frame: EntityFrame): string {
  const etag = `"odata.etag":${etagOfAsJson(entity.timestamp)}`;
  if (frame.level !== 'full') return etag;
  const path = entityPathOf(frame.table, entity);
  const type = quoteJson(`${frame.account}.${frame.table}`);
  const id = quoteJson(`${frame.base}/${path}`);
  return `"odata.type":${type},"odata.id":${id},${etag},"odata.editLink":${quoteJson(path)}`;
}

function renderProperties(entity: EntityRecord, frame: EntityFrame): string {
  const { names } = frame.selection;
  if (names) return renderSelected(entity, frame.level, names);
  const properties = atLevel(entity.properties, frame.level);
  return `${renderKeys(entity)},${renderTimestamp(entity, frame.level)}${separated(properties)}`;
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

/** A zero that Atom brought with its sign shows none in JSON. Evidence: documented (Payload format). */
function withoutNegativeZero(stored: PropertiesText): PropertiesText {
  // After a name only: within a value the quotation mark would be escaped.
  return stored.includes('":-0.0') ? stored.replace(/(?<!\\)":-0\.0(?=,|$)/g, '":0.0') : stored;
}

/**
 * The system properties first, then ordinal order; a name the entity does not have is null.
 * Evidence: recorded; null at the no-metadata level is assumed.
 */
function renderSelected(entity: EntityRecord, level: MetadataLevel, names: ReadonlySet<string>): string {
  const rendered: string[] = [];
  if (names.has('PartitionKey')) rendered.push(`"PartitionKey":${quoteJson(entity.partitionKey)}`);
  if (names.has('RowKey')) rendered.push(`"RowKey":${quoteJson(entity.rowKey)}`);
  if (names.has('Timestamp')) rendered.push(renderTimestamp(entity, level));
  const stored = new Map(splitProperties(entity.properties).map(({ name, text }) => [name, text]));
  for (const name of [...names].sort()) {
    // A name with a dot is an annotation: no property, and not the selection's to give.
    if (name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp' || name.includes('.')) continue;
    const text = stored.get(name);
    rendered.push(text === undefined ? `${quoteJson(name)}:null` : atLevel(text, level));
  }
  return rendered.join(',');
}

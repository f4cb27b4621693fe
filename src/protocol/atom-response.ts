// Renders Atom responses that consist of entities or tables. Since 2013, the service has written these responses in the
// same form at every version: in one line, without white space, and in UTF-8 without a byte order mark. Evidence:
// recorded (attributes, elements and their order).

import type { EdmValue } from '../model/edm.ts';
import type { EntityRecord } from '../model/entity.ts';
import { etagOf } from '../model/etag.ts';
import { decodeProperties } from '../model/properties.ts';
import { entityPathOf } from './address.ts';
import { atomNamespace, metadataNamespace, propertyNamespace } from './atom-body.ts';
import { atomTextOf } from './atom-literal.ts';
import type { EntityRenderOptions } from './entity-response.ts';
import { type TableRenderOptions, tablePathOf } from './table-response.ts';
import { escapeXmlAttribute, escapeXmlText } from './xml-text.ts';

/** Content-Type of a response. Evidence: recorded. */
export const atomEntryContentType = 'application/atom+xml;type=entry;charset=utf-8';
export const atomFeedContentType = 'application/atom+xml;type=feed;charset=utf-8';

const categoryScheme = 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme';

/** How a table is rendered in Atom. */
export interface AtomTableOptions extends Pick<TableRenderOptions, 'base' | 'account'> {
  /** Time of the response in whole seconds: `2015-03-02T08:15:31Z`. */
  readonly updated: string;
  /**
   * Whether the document declares the georss and gml namespaces. Both in batches and elsewhere, documents at data
   * service version 3.0 declare these namespaces, and documents at `2.0;NetFx` do not. Evidence: recorded (node-storage
   * and xplat for 3.0, py-storage for `2.0;NetFx`).
   */
  readonly isGeoDeclared: boolean;
}

/** How an entity is rendered in Atom. */
export interface AtomEntityOptions extends AtomTableOptions, Pick<EntityRenderOptions, 'table' | 'selection'> {}

/** Half of a surrogate pair becomes U+FFFD, because XML cannot hold it. Evidence: assumed. */
export function renderEntityAtom(entity: EntityRecord, options: AtomEntityOptions): Buffer {
  return Buffer.from(`${prolog}${renderEntityEntry(entity, options, rootAttributes(options))}`);
}

/**
 * Renders a feed of the first entities that fit into `bytesMax`. The first entity is always in the feed. `count` is the
 * number of entities in the feed.
 */
export function renderEntityFeedAtom(
  entities: readonly EntityRecord[],
  options: AtomEntityOptions,
  bytesMax: number,
): { body: Buffer; count: number } {
  const parts = [Buffer.from(renderFeedStart(options.table, options, { isEmpty: entities.length === 0 }))];
  let bytes = feedEnd.length + (parts[0]?.length ?? 0);
  let count = 0;
  for (const entity of entities) {
    const entry = Buffer.from(renderEntityEntry(entity, options, ''));
    bytes += entry.length;
    if (count > 0 && bytes > bytesMax) break;
    parts.push(entry);
    count += 1;
  }
  parts.push(Buffer.from(feedEnd));
  return { body: Buffer.concat(parts), count };
}

export function renderTableAtom(name: string, options: AtomTableOptions): Buffer {
  return Buffer.from(`${prolog}${renderTableEntry(name, options, rootAttributes(options))}`);
}

export function renderTableFeedAtom(names: readonly string[], options: AtomTableOptions): Buffer {
  const start = renderFeedStart('Tables', options, { isEmpty: names.length === 0 });
  const entries = names.map((name) => renderTableEntry(name, options, '')).join('');
  return Buffer.from(`${start}${entries}${feedEnd}`);
}

const prolog = '<?xml version="1.0" encoding="utf-8"?>';
const feedEnd = '</feed>';
const author = '<author><name /></author>';

/** Attributes of the root element. Evidence: recorded. */
function rootAttributes({ base, isGeoDeclared }: AtomTableOptions): string {
  const geo = isGeoDeclared
    ? ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"'
    : '';
  const namespaces = `xmlns="${atomNamespace}" xmlns:d="${propertyNamespace}" xmlns:m="${metadataNamespace}"${geo}`;
  return ` xml:base="${escapeXmlAttribute(base)}/" ${namespaces}`;
}

/** Only a feed without entries has an author. Evidence: recorded. */
function renderFeedStart(set: string, options: AtomTableOptions, { isEmpty }: { isEmpty: boolean }): string {
  const name = escapeXmlAttribute(set);
  const id = `<id>${escapeXmlText(`${options.base}/${set}`)}</id>`;
  const title = `<title type="text">${escapeXmlText(set)}</title><updated>${options.updated}</updated>`;
  const link = `<link rel="self" title="${name}" href="${name}" />`;
  return `${prolog}<feed${rootAttributes(options)}>${id}${title}${isEmpty ? author : ''}${link}`;
}

function renderEntityEntry(entity: EntityRecord, options: AtomEntityOptions, attributes: string): string {
  const etag = ` m:etag="${escapeXmlAttribute(etagOf(entity.timestamp))}"`;
  const path = entityPathOf(options.table, entity);
  return renderEntry(
    { path, set: options.table, properties: renderProperties(entity, options) },
    options,
    attributes + etag,
  );
}

function renderTableEntry(name: string, options: AtomTableOptions, attributes: string): string {
  const properties = renderString('TableName', name);
  // Encodes the dollar sign of a system table; other names need no encoding. Evidence: recorded.
  const path = encodeURIComponent(tablePathOf(name));
  return renderEntry({ path, set: 'Tables', properties }, options, attributes);
}

interface Entry {
  /** The path below the base. */
  readonly path: string;
  readonly set: string;
  readonly properties: string;
}

function renderEntry(
  { path, set, properties }: Entry,
  { base, account, updated }: AtomTableOptions,
  attributes: string,
): string {
  const term = escapeXmlAttribute(`${account}.${set}`);
  const link = `<link rel="edit" title="${escapeXmlAttribute(set)}" href="${escapeXmlAttribute(path)}" />`;
  return (
    `<entry${attributes}><id>${escapeXmlText(`${base}/${path}`)}</id>` +
    `<category term="${term}" scheme="${categoryScheme}" />${link}` +
    `<title /><updated>${updated}</updated>${author}` +
    `<content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
  );
}

function renderProperties(entity: EntityRecord, { selection: { names } }: AtomEntityOptions): string {
  const system = [
    ['PartitionKey', renderString('PartitionKey', entity.partitionKey)],
    ['RowKey', renderString('RowKey', entity.rowKey)],
    ['Timestamp', renderTyped('Timestamp', 'Edm.DateTime', entity.timestamp)],
  ] as const;
  const custom = decodeProperties(entity.properties);
  const isAsked = (name: string): boolean => names === undefined || names.has(name);
  const rendered: string[] = system.filter(([name]) => isAsked(name)).map(([, text]) => text);
  for (const name of names ? customNames(names) : custom.keys()) rendered.push(renderProperty(name, custom.get(name)));
  return rendered.join('');
}

/**
 * Returns the names of the custom properties in a selection, in ordinal order. A name with a dot belongs to an
 * annotation and is left out, because a selection does not cover annotations. Evidence: recorded for JSON; assumed for
 * Atom (the same order).
 */
function customNames(names: ReadonlySet<string>): string[] {
  const isCustom = (name: string): boolean => !systemNames.has(name) && !name.includes('.');
  return [...names].filter(isCustom).sort();
}

const systemNames: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/** A property that is selected but missing is null. Evidence: documented (Query Entities). */
function renderProperty(name: string, edm: EdmValue | undefined): string {
  if (edm === undefined) return `<d:${name} m:null="true" />`;
  return edm.type === 'Edm.String' ? renderString(name, edm.value) : renderTyped(name, edm.type, atomTextOf(edm));
}

/** Evidence: recorded; it is assumed that the same characters count as white space as in .NET. */
function renderString(name: string, value: string): string {
  const space =
    blank.test(value.charAt(0)) || blank.test(value.charAt(value.length - 1)) ? ' xml:space="preserve"' : '';
  return `<d:${name}${space}>${escapeXmlText(value)}</d:${name}>`;
}

const blank = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** `text` must need no escaping. */
function renderTyped(name: string, type: string, text: string): string {
  return `<d:${name} m:type="${type}">${text}</d:${name}>`;
}

// Atom answers made of entities and tables, as the service has written them since 2013, for every version: one line,
// no white space, UTF-8 without a mark. Evidence: recorded (attributes, elements and their order).

import type { EdmValue } from '../model/edm.ts';
import type { EntityRecord } from '../model/entity.ts';
import { etagOf } from '../model/etag.ts';
import { decodeProperties } from '../model/properties.ts';
import { entityPathOf } from './address.ts';
import { atomTextOf } from './atom-literal.ts';
import { atomNamespace, categoryScheme, metadataNamespace, propertyNamespace } from './atom-names.ts';
import type { EntityFrame } from './entity-response.ts';
import { type TableFrame, tablePathOf } from './table-response.ts';
import { escapeXmlAttribute, escapeXmlText } from './xml-text.ts';

interface AtomTerms {
  /** Time of the answer in whole seconds: `2015-03-02T08:15:31Z`. */
  readonly updated: string;
  /** Whether the two geographic namespaces are declared, as in version 3.0 of the data service protocol. */
  readonly isGeoDeclared: boolean;
}

export type AtomFrame = Omit<EntityFrame, 'level'> & AtomTerms;
export type AtomTableFrame = Pick<TableFrame, 'base' | 'account'> & AtomTerms;

/** A half of a surrogate pair, which no XML can hold, becomes U+FFFD in the bytes. Evidence: assumed. */
export function renderEntityAtom(entity: EntityRecord, frame: AtomFrame): Buffer {
  return Buffer.from(`${prolog}${renderEntityEntry(entity, frame, rootAttributes(frame))}`);
}

/** A feed of the entities that fit, at least one: `count` says how many of them the body holds. */
export function renderEntityFeedAtom(
  entities: readonly EntityRecord[],
  frame: AtomFrame,
  bytesMax: number,
): { body: Buffer; count: number } {
  const parts = [Buffer.from(renderFeedStart(frame.table, frame, { isEmpty: entities.length === 0 }))];
  let bytes = feedEnd.length + (parts[0]?.length ?? 0);
  let count = 0;
  for (const entity of entities) {
    const entry = Buffer.from(renderEntityEntry(entity, frame, ''));
    bytes += entry.length;
    if (count > 0 && bytes > bytesMax) break;
    parts.push(entry);
    count += 1;
  }
  parts.push(Buffer.from(feedEnd));
  return { body: Buffer.concat(parts), count };
}

export function renderTableAtom(name: string, frame: AtomTableFrame): Buffer {
  return Buffer.from(`${prolog}${renderTableEntry(name, frame, rootAttributes(frame))}`);
}

export function renderTableFeedAtom(names: readonly string[], frame: AtomTableFrame): Buffer {
  const start = renderFeedStart('Tables', frame, { isEmpty: names.length === 0 });
  const entries = names.map((name) => renderTableEntry(name, frame, '')).join('');
  return Buffer.from(`${start}${entries}${feedEnd}`);
}

const prolog = '<?xml version="1.0" encoding="utf-8"?>';
const feedEnd = '</feed>';
const author = '<author><name /></author>';

/** Of the document's first element. Evidence: recorded. */
function rootAttributes({ base, isGeoDeclared }: AtomTableFrame): string {
  const geo = isGeoDeclared
    ? ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"'
    : '';
  const namespaces = `xmlns="${atomNamespace}" xmlns:d="${propertyNamespace}" xmlns:m="${metadataNamespace}"${geo}`;
  return ` xml:base="${escapeXmlAttribute(base)}/" ${namespaces}`;
}

/** Only a feed without entries has an author. Evidence: recorded (atom.md §5). */
function renderFeedStart(set: string, frame: AtomTableFrame, { isEmpty }: { isEmpty: boolean }): string {
  const name = escapeXmlAttribute(set);
  const id = `<id>${escapeXmlText(`${frame.base}/${set}`)}</id>`;
  const title = `<title type="text">${escapeXmlText(set)}</title><updated>${frame.updated}</updated>`;
  const link = `<link rel="self" title="${name}" href="${name}" />`;
  return `${prolog}<feed${rootAttributes(frame)}>${id}${title}${isEmpty ? author : ''}${link}`;
}

function renderEntityEntry(entity: EntityRecord, frame: AtomFrame, attributes: string): string {
  const etag = ` m:etag="${escapeXmlAttribute(etagOf(entity.timestamp))}"`;
  const path = entityPathOf(frame.table, entity);
  return renderEntry({ path, set: frame.table, properties: renderProperties(entity, frame) }, frame, attributes + etag);
}

function renderTableEntry(name: string, frame: AtomTableFrame, attributes: string): string {
  const properties = renderString('TableName', name);
  // The dollar of a system table is encoded, the rest needs it not. Evidence: recorded.
  const path = encodeURIComponent(tablePathOf(name));
  return renderEntry({ path, set: 'Tables', properties }, frame, attributes);
}

interface Entry {
  /** Below the base. */
  readonly path: string;
  readonly set: string;
  readonly properties: string;
}

function renderEntry(
  { path, set, properties }: Entry,
  { base, account, updated }: AtomTableFrame,
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

function renderProperties(entity: EntityRecord, { selection: { names } }: AtomFrame): string {
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
 * In ordinal order. A name with a dot is an annotation: no property, and not the selection's to give.
 * Evidence: recorded for JSON; that Atom has the same order is assumed.
 */
function customNames(names: ReadonlySet<string>): string[] {
  const isCustom = (name: string): boolean => !systemNames.has(name) && !name.includes('.');
  return [...names].filter(isCustom).sort();
}

const systemNames: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/** A property that was selected and is not there is null. Evidence: documented (Query Entities). */
function renderProperty(name: string, edm: EdmValue | undefined): string {
  if (edm === undefined) return `<d:${name} m:null="true" />`;
  return edm.type === 'Edm.String' ? renderString(name, edm.value) : renderTyped(name, edm.type, atomTextOf(edm));
}

/** Evidence: recorded; which characters count as white space is .NET's rule, assumed. */
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

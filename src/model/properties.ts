// The custom properties of an entity, and the text in which they are stored. This text consists of the members of a
// JSON object with minimal metadata, without the braces and in ASCII only. The most frequent response consists of such
// texts, so a read concatenates texts and parses nothing.

import type { EdmValue } from './edm.ts';
import { canonicalDateTime, edmFromJson, edmToJson } from './edm-json.ts';
import { isEscaped, type JsonScalar, quoteJson, readFlatObject } from './json-text.ts';

/** Values by name, in the order in which reads return them. */
export type Properties = ReadonlyMap<string, EdmValue>;

/** `"a":1,"b@odata.type":"Edm.Int64","b":"5"`, or an empty text for no properties. */
export type PropertiesText = string;

const annotationSuffix = '@odata.type';

export function encodeProperties(properties: Properties, dateTimeText = canonicalDateTime): PropertiesText {
  let text = '';
  for (const [name, value] of properties) {
    if (text !== '') text += ',';
    text += edmToJson(name, value, dateTimeText);
  }
  return text;
}

/**
 * Returns the text of the properties for the response to an insert. If a client sent a DateTime with a zone offset, the
 * response repeats the DateTime as the client sent it. Evidence: recorded (net-tables,
 * InsertedCustomEntitiesAreRoundtripped).
 */
export function encodeEcho(properties: Properties, stored: PropertiesText): PropertiesText {
  for (const value of properties.values()) {
    if (value.type === 'Edm.DateTime' && value.sentText !== undefined) {
      return encodeProperties(properties, (moment) => moment.sentText ?? canonicalDateTime(moment));
    }
  }
  return stored;
}

/** Reads a text that encodeProperties wrote. Throws an Error for any other text, because the data is damaged. */
export function decodeProperties(text: PropertiesText): Map<string, EdmValue> {
  const properties = new Map<string, EdmValue>();
  let type: string | undefined;
  for (const member of readFlatObject(`{${text}}`)) {
    if (member.name.endsWith(annotationSuffix) && member.value.kind === 'string') {
      type = member.value.text;
      continue;
    }
    const value = edmFromJson(type, member.value);
    if (!value) throw notOfType(member.name, type);
    properties.set(member.name, value);
    type = undefined;
  }
  return properties;
}

function notOfType(name: string, type: string | undefined): Error {
  return new Error(`stored property ${name} is not a value of ${type ?? 'any type'}`);
}

/**
 * Returns a function that finds one property in a stored text, and decodes only this property. The function searches
 * for the name in quotation marks, followed by a colon. This sequence cannot occur inside a value, because quotation
 * marks in a value are always escaped.
 */
export function propertyFinder(name: string): (text: PropertiesText) => EdmValue | undefined {
  const member = `${quoteJson(name)}:`;
  const annotation = `${member.slice(0, -2)}${annotationSuffix}":"`;
  return (text) => {
    const at = text.indexOf(member);
    if (at === -1) return undefined;
    const typeAt = text.lastIndexOf('"', at - 3) + 1;
    const type = text.startsWith(annotation, typeAt - annotation.length) ? text.slice(typeAt, at - 2) : undefined;
    return edmFromJson(type, scalarAt(text, at + member.length)) ?? undefined;
  };
}

/** The value of one property of a stored text. */
export function decodeProperty(property: PropertyText): EdmValue {
  const { type, json } = readPropertyText(property);
  const value = edmFromJson(type, scalarAt(json, 0));
  if (!value) throw notOfType(property.name, type);
  return value;
}

/** A value as encodeProperties writes it. */
function scalarAt(text: PropertiesText, start: number): JsonScalar {
  if (text.charCodeAt(start) === quotationMark) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    // JSON.parse makes a new string. A slice would keep the text of the entire entity in memory.
    return { kind: 'string', text: JSON.parse(text.slice(start, end + 1)) as string };
  }
  const comma = text.indexOf(',', start);
  const word = text.slice(start, comma === -1 ? text.length : comma);
  return word === 'true' || word === 'false' ? { kind: word } : { kind: 'number', text: word };
}

const quotationMark = 0x22;

/**
 * Sorts properties by name, in the order of UTF-16 code units. The service stores the properties in this order if PUT,
 * MERGE or PATCH wrote the entity. Evidence: recorded.
 */
export function sortProperties(properties: Properties): Properties {
  const sorted = new Map<string, EdmValue>();
  for (const name of [...properties.keys()].sort()) sorted.set(name, properties.get(name) as EdmValue);
  return sorted;
}

/** One property of a stored text. */
export interface PropertyText {
  readonly name: string;
  /** The property's members as stored, including its annotation. */
  readonly text: PropertiesText;
}

/** Splits a stored text into its properties without decoding values. Throws an Error if the text is damaged. */
export function splitProperties(text: PropertiesText): PropertyText[] {
  const properties: PropertyText[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const nameEnd = endOfString(text, at);
    if (text[nameEnd] !== ':') throw damagedAt(at);
    const end = endOfValue(text, nameEnd + 1);
    if (end < text.length && text[end] !== ',') throw damagedAt(end);
    if (!text.endsWith(annotationSuffix, nameEnd - 1)) {
      const name = text.slice(at + 1, nameEnd - 1);
      properties.push({ name: unescaped(name), text: text.slice(start, end) });
      start = end + 1;
    }
    at = end + 1;
  }
  return properties;
}

/** The position after a string's closing quotation mark. */
function endOfString(text: string, start: number): number {
  if (text.charCodeAt(start) !== quotationMark) throw damagedAt(start);
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw damagedAt(start);
  return end + 1;
}

function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) === quotationMark) return endOfString(text, start);
  const comma = text.indexOf(',', start);
  return comma === -1 ? text.length : comma;
}

const unescaped = (name: string): string => (name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name);

const damagedAt = (at: number): Error => new Error(`stored properties are damaged at position ${at}`);

/**
 * Merges changes into a stored text. A changed property gets its new type and value; every other property keeps its
 * text. The result is in the order of sortProperties. The joined result is the same text that would come from decoding
 * all properties, merging them, sorting them and encoding them again.
 */
export function mergeIntoText(stored: PropertiesText, changes: Properties): PropertyText[] {
  const merged = new Map(splitProperties(stored).map((property) => [property.name, property]));
  for (const [name, value] of changes) merged.set(name, { name, text: edmToJson(name, value) });
  return [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function joinProperties(properties: readonly PropertyText[]): PropertiesText {
  return properties.map(({ text }) => text).join(',');
}

/** The annotation of a property and the JSON text of its value, neither decoded. */
export function readPropertyText({ text }: PropertyText): { readonly type: string | undefined; readonly json: string } {
  const nameEnd = endOfString(text, 0);
  if (!text.endsWith(annotationSuffix, nameEnd - 1)) return { type: undefined, json: text.slice(nameEnd + 1) };
  const typeEnd = endOfString(text, nameEnd + 1);
  const type = text.slice(nameEnd + 2, typeEnd - 1);
  return { type, json: text.slice(endOfString(text, typeEnd + 1) + 1) };
}

const annotationMember = /"(?:[^"\\]|\\u[0-9a-f]{4})*@odata\.type":"Edm\.[A-Za-z0-9]+",/g;

/**
 * Removes the annotations from the members, because responses without metadata contain no annotations. The pattern
 * never matches inside a value: in a value, every quotation mark is escaped, and a colon follows only after a name.
 */
export function withoutAnnotations(text: PropertiesText): string {
  return text.includes('@odata.type":"Edm.') ? text.replace(annotationMember, '') : text;
}

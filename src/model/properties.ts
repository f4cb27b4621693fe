// The custom properties of an entity, and their stored text: the members of a minimal-metadata JSON object without its
// braces, ASCII only. It is what the commonest answer consists of, so a read concatenates and never parses.

import type { EdmValue } from './edm.ts';
import { canonicalDateTime, edmFromJson, edmToJson } from './edm-json.ts';
import { isEscaped, type JsonScalar, quoteJson, readFlatObject } from './json-text.ts';

/** By name, in the order in which reads give them. */
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
 * The text with which an insert answers: a DateTime that came with a zone offset is repeated as it was sent.
 * Evidence: recorded (net-tables, InsertedCustomEntitiesAreRoundtripped).
 */
export function encodeEcho(properties: Properties, stored: PropertiesText): PropertiesText {
  for (const value of properties.values()) {
    if (value.type === 'Edm.DateTime' && value.sentText !== undefined) {
      return encodeProperties(properties, (moment) => moment.sentText ?? canonicalDateTime(moment));
    }
  }
  return stored;
}

/** Only for what encodeProperties wrote: a value that does not read back is damage, not bad input. */
export function decodeProperties(text: PropertiesText): Map<string, EdmValue> {
  const properties = new Map<string, EdmValue>();
  let type: string | undefined;
  for (const member of readFlatObject(`{${text}}`)) {
    if (member.name.endsWith(annotationSuffix) && member.value.kind === 'string') {
      type = member.value.text;
      continue;
    }
    const value = edmFromJson(type, member.value);
    if (!value) throw new Error(`stored property ${member.name} is not a value of ${type ?? 'any type'}`);
    properties.set(member.name, value);
    type = undefined;
  }
  return properties;
}

/**
 * Finds one property in stored texts and decodes nothing else. The name with its quotation marks and a colon occurs only
 * as a member: inside a value a quotation mark is always escaped.
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

/** A value as encodeProperties writes it. */
function scalarAt(text: PropertiesText, start: number): JsonScalar {
  if (text.charCodeAt(start) === quotationMark) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    // JSON.parse makes a text of its own; a slice would keep all of the entity in memory.
    return { kind: 'string', text: JSON.parse(text.slice(start, end + 1)) as string };
  }
  const comma = text.indexOf(',', start);
  const word = text.slice(start, comma === -1 ? text.length : comma);
  return word === 'true' || word === 'false' ? { kind: word } : { kind: 'number', text: word };
}

const quotationMark = 0x22;

/** `changes` laid over `current`; values in `changes` win, whatever their type. */
export function mergeProperties(current: Properties, changes: Properties): Properties {
  return sortProperties(new Map([...current, ...changes]));
}

/** By UTF-16 code unit, as the service stores an entity that PUT, MERGE or PATCH wrote. Evidence: recorded. */
export function sortProperties(properties: Properties): Properties {
  return new Map([...properties].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export interface PropertyText {
  readonly name: string;
  /** The property's members as stored, its annotation among them. */
  readonly text: string;
}

const memberPattern = /"([^"\\]*(?:\\.[^"\\]*)*)":(?:"[^"\\]*(?:\\.[^"\\]*)*"|[^,]*)/gy;

/** Cuts a stored text into its properties without decoding a value; names come unescaped. */
export function splitProperties(text: PropertiesText): PropertyText[] {
  const properties: PropertyText[] = [];
  let annotation = '';
  for (let at = 0; at < text.length; at = memberPattern.lastIndex + 1) {
    memberPattern.lastIndex = at;
    const match = memberPattern.exec(text);
    if (!match) throw new Error(`stored properties are damaged at position ${at}`);
    const [member, name = ''] = match;
    if (name.endsWith(annotationSuffix)) {
      annotation = `${member},`;
    } else {
      properties.push({
        name: name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name,
        text: annotation + member,
      });
      annotation = '';
    }
  }
  return properties;
}

const annotationMember = /"(?:[^"\\]|\\u[0-9a-f]{4})*@odata\.type":"Edm\.[A-Za-z0-9]+",/g;

/**
 * The members without their annotations, as no-metadata answers carry them. A match cannot lie inside a value:
 * there a quotation mark is always escaped, and only a name is followed by a colon.
 */
export function withoutAnnotations(text: PropertiesText): string {
  return text.includes('@odata.type":"Edm.') ? text.replace(annotationMember, '') : text;
}

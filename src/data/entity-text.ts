// Entities as text, in two forms. The first form is the JSON that the service writes at minimal metadata, which keeps
// every type. The second form is plain text for the cells of a table on a terminal.

import { base64Of } from '../model/binary.ts';
import { formatDouble } from '../model/double-text.ts';
import type { EdmValue } from '../model/edm.ts';
import { canonicalDateTime, edmFromJson, edmToJson } from '../model/edm-json.ts';
import { isEscaped, JsonSyntaxError, quoteJson, readFlatObject } from '../model/json-text.ts';
import { escapeControls } from '../model/printable-text.ts';

/** The properties of an entity in their order, including its keys and its Timestamp if present. */
export type EntityRow = ReadonlyMap<string, EdmValue>;

/** The text is not an entity. The message says why. */
export class EntityTextError extends Error {}

export const keyNames = ['PartitionKey', 'RowKey'] as const;
/** Properties that every entity has, and that a client cannot write like the others. */
export const isSystemProperty = (name: string): boolean =>
  name === 'Timestamp' || name === keyNames[0] || name === keyNames[1];

const annotationSuffix = '@odata.type';

/**
 * Reads one JSON object. A value without a type annotation has the type that the service infers. Null means that the
 * property is absent. Apart from type annotations, members whose names contain a dot or an at sign are ignored, as in
 * the service. Throws EntityTextError.
 */
export const readEntityJson = (text: string): EntityRow => readEntityText(text).row;

/** Like readEntityJson, with the service's ETag of the entity; empty if there is none. Throws EntityTextError. */
export function readEntityText(text: string): { readonly row: EntityRow; readonly etag: string } {
  const members = readMembers(text);
  const etag = members.find(({ name }) => name === 'odata.etag')?.value;
  const types = new Map<string, string>();
  for (const { name, value } of members) {
    if (name.endsWith(annotationSuffix) && value.kind === 'string') {
      types.set(name.slice(0, -annotationSuffix.length), value.text);
    }
  }
  const row = new Map<string, EdmValue>();
  for (const { name, value } of members) {
    if (/[.@]/.test(name) || value.kind === 'null') continue;
    const type = types.get(name) ?? (name === 'Timestamp' ? 'Edm.DateTime' : undefined);
    const edm = edmFromJson(type, value);
    if (!edm) throw new EntityTextError(`the value of property ${name} is not of type ${type}`);
    if (row.has(name)) throw new EntityTextError(`property ${name} occurs twice`);
    row.set(name, edm);
  }
  return { row, etag: etag?.kind === 'string' ? etag.text : '' };
}

function readMembers(text: string): ReturnType<typeof readFlatObject> {
  try {
    return readFlatObject(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new EntityTextError(`${error.message}: an entity is one JSON object of texts, numbers, true, false and null`);
  }
}

/** The JSON of an entity: ASCII without control characters, on one line. */
export function entityJson(row: EntityRow): string {
  const members = [...row].map(([name, value]) =>
    // The service annotates the Timestamp only at full metadata.
    name === 'Timestamp' ? `${quoteJson(name)}:${quoteJson(valueText(value))}` : edmToJson(name, value),
  );
  // The only ASCII control character left to escape is DEL, and it can occur only inside a string.
  return escapeControls(`{${members.join(',')}}`);
}

/** The value as text, as `readProperty` accepts it. */
export function valueText(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.Double':
      return formatDouble(edm.value);
    case 'Edm.DateTime':
      return canonicalDateTime(edm);
    case 'Edm.Binary':
      return base64Of(edm.value);
    default:
      return String(edm.value);
  }
}

/**
 * Returns the text of each object in the array of a feed. JSON.parse is not used, because it would lose the types of
 * numbers. Throws EntityTextError.
 */
export function splitFeed(text: string): string[] {
  const objects: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' && ++depth === 2) start = at;
    else if (char === '}' && --depth === 1) objects.push(text.slice(start, at + 1));
  }
  if (depth !== 0 || !text.startsWith('{')) throw new EntityTextError('the response is not a feed');
  return objects;
}

/** The position of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw new EntityTextError('the response is not a feed');
  return end;
}

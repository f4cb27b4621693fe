// The Atom forms of Edm values. Only a few of them differ from the JSON forms, so a text in Atom is first translated
// into its JSON form and then read as JSON.

import { base64Of } from '../model/binary.ts';
import { formatDouble } from '../model/double-text.ts';
import type { EdmValue } from '../model/edm.ts';
import { canonicalDateTime, edmFromJson } from '../model/edm-json.ts';

/**
 * Reads the text of a property as a value of its type. A property without a type is a string. White space around the
 * text is part of a string, but is ignored for all other types. Returns undefined if the text does not fit the type, or
 * if the type does not exist.
 */
export function edmFromAtom(type: string | undefined, text: string): EdmValue | undefined {
  if (type === undefined || type === 'Edm.String') return { type: 'Edm.String', value: text };
  return edmFromJson(type, { kind: 'string', text: jsonTextOf(type, text.trim()) }) ?? undefined;
}

const booleans: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);
const infinities: ReadonlyMap<string, string> = new Map([
  ['INF', 'Infinity'],
  ['-INF', '-Infinity'],
]);

/** Evidence: documented (Payload format for Table service operations); signs and leading zeros are assumed. */
function jsonTextOf(type: string, text: string): string {
  switch (type) {
    case 'Edm.Int32':
    case 'Edm.Int64':
      return text.replace(/^(?:\+|(-))?0*(?=\d)/, '$1');
    case 'Edm.Double':
      return infinities.get(text) ?? text.replace(/^\+(?=[\d.])/, '');
    case 'Edm.Boolean':
      return booleans.get(text) ?? '';
    case 'Edm.Binary':
      return text.replace(/[ \t\r\n]+/g, '');
    default:
      return text;
  }
}

/** The text of a value, not yet escaped. Evidence: recorded; documented for NaN and the infinities. */
export function atomTextOf(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.Double':
      return formatAtomDouble(edm.value);
    case 'Edm.Binary':
      return base64Of(edm.value);
    case 'Edm.DateTime':
      return edm.sentText ?? canonicalDateTime(edm);
    default:
      return String(edm.value);
  }
}

/** In Atom, a Double lacks the `.0` that marks it in JSON, and the infinities have the names of XML Schema. */
function formatAtomDouble(value: number): string {
  return formatDouble(value).replace(/\.0$/, '').replace('Infinity', 'INF');
}

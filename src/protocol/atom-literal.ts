// The Atom forms of Edm values. They differ from the JSON forms in few places, so each is brought to the form of the
// other and read, or written, there.

import { formatDouble } from '../model/double-text.ts';
import type { EdmValue } from '../model/edm.ts';
import { canonicalDateTime, edmFromJson } from '../model/edm-json.ts';

/**
 * The typed value of a text, a string without a type. White space is part of a string and around nothing else.
 * `undefined` says that the text does not fit the type, or that there is no such type.
 */
export function edmFromAtom(type: string | undefined, text: string): EdmValue | undefined {
  if (type === undefined || type === 'Edm.String') return { type: 'Edm.String', value: text };
  return edmFromJson(type, { kind: 'string', text: jsonTextOf(type, text.trim()) }) ?? undefined;
}

const bareGuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;
const enclosedGuid = /^(?:\{([^{}]*)\}|\(([^()]*)\))$/;
const booleans: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
]);
const infinities: ReadonlyMap<string, string> = new Map([
  ['INF', 'Infinity'],
  ['-INF', '-Infinity'],
]);

/** Evidence: documented (Boolean, Double, Binary); signs, leading zeros and the forms of a Guid are assumed. */
function jsonTextOf(type: string, text: string): string {
  switch (type) {
    case 'Edm.Int32':
    case 'Edm.Int64':
      return text.replace(/^(?:\+|(-))?0*(?=\d)/, '$1');
    case 'Edm.Double':
      return infinities.get(text) ?? text.replace(/^\+(?=[\d.])/, '');
    case 'Edm.Boolean':
      return booleans.get(text) ?? text;
    case 'Edm.Guid':
      return text.replace(enclosedGuid, '$1$2').replace(bareGuid, '$1-$2-$3-$4-$5');
    case 'Edm.Binary':
      return text.replace(/[ \t\r\n]+/g, '');
    default:
      return text;
  }
}

/** The text of a value, not yet escaped. Evidence: recorded; documented for the doubles that are no numbers. */
export function atomTextOf(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.Double':
      return formatAtomDouble(edm.value);
    case 'Edm.Binary':
      return edm.value.toString('base64');
    case 'Edm.DateTime':
      return edm.sentText ?? canonicalDateTime(edm);
    default:
      return String(edm.value);
  }
}

/** Without the `.0` that tells JSON's doubles from its integers, and with XML Schema's names. */
function formatAtomDouble(value: number): string {
  return formatDouble(value).replace(/\.0$/, '').replace('Infinity', 'INF');
}

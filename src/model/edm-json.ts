// Converts Edm values from and to JSON: parses the members of a request, and writes values for responses and the store.
// Each value has one canonical text, which is the text at minimal metadata. The canonical text has a type annotation
// only if JSON does not show the type.

import { base64Of, bytesFromBase64 } from './binary.ts';
import { formatDouble } from './double-text.ts';
import type { EdmDateTime, EdmValue } from './edm.ts';
import { type JsonScalar, quoteJson } from './json-text.ts';
import { formatTicks, parseDateTime } from './ticks.ts';

const integer = /^-?\d{1,19}$/;
const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const enclosedGuid = /^(?:\{([^{}]*)\}|\(([^()]*)\))$/;
const bareGuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;
/** The texts that .NET reads as an integer with NumberStyles.Integer. */
const integerText = /^[\t-\r ]*(?:\+(?=\d))?(-?\d{1,19})[\t-\r ]*$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const zone = /([+-])(\d\d):(\d\d)\s*$/;

const int32Max = 2_147_483_647;
const int64Max = 9_223_372_036_854_775_807n;

const isInt32 = (value: number): boolean => value >= -int32Max - 1 && value <= int32Max;

/**
 * Reads a JSON scalar as a value of the annotated type. Without an annotation, the type is inferred: for example, an
 * integer beyond Int32 is a Double, and a string is a String. Returns null for JSON's null, which means that the
 * property is absent. Returns undefined if the type does not exist or the scalar does not fit the type. Evidence:
 * recorded; sdk (azure-sdk-for-python, test_encoder: "False" as Edm.Boolean); assumed: other spellings of a Boolean, an
 * Int32 with blanks or a plus sign, and the forms of a Guid. ODataLib reads the assumed texts as .NET does.
 */
export function edmFromJson(type: string | undefined, scalar: JsonScalar): EdmValue | null | undefined {
  if (scalar.kind === 'null') return isEdmType(type) ? null : undefined;
  if (type === undefined) return inferred(scalar);
  if (scalar.kind === 'true' || scalar.kind === 'false') {
    return type === 'Edm.Boolean' ? { type, value: scalar.kind === 'true' } : undefined;
  }
  if (scalar.kind === 'number') return fromNumber(type, scalar.text);
  return fromText(type, scalar.text);
}

function isEdmType(type: string | undefined): boolean {
  return type === undefined || /^Edm\.(String|Boolean|Int32|Int64|Double|DateTime|Guid|Binary)$/.test(type);
}

function inferred(scalar: JsonScalar): EdmValue | undefined {
  if (scalar.kind === 'string') return { type: 'Edm.String', value: scalar.text };
  if (scalar.kind === 'number') return fromNumber('Edm.Int32', scalar.text) ?? fromNumber('Edm.Double', scalar.text);
  return { type: 'Edm.Boolean', value: scalar.kind === 'true' };
}

function fromNumber(type: string, text: string): EdmValue | undefined {
  switch (type) {
    case 'Edm.Int32':
    case 'Edm.Int64':
    case 'Edm.Double':
      return fromText(type, text);
    default:
      return undefined;
  }
}

function fromText(type: string, text: string): EdmValue | undefined {
  switch (type) {
    case 'Edm.String':
      return { type, value: text };
    case 'Edm.Boolean':
      return parseBoolean(text);
    case 'Edm.Int32':
      return parseInt32(text);
    case 'Edm.Int64':
      return parseInt64(text);
    case 'Edm.Double':
      return parseDouble(text);
    case 'Edm.DateTime':
      return parseEdmDateTime(text);
    case 'Edm.Guid':
      return parseGuid(text);
    case 'Edm.Binary':
      return base64.test(text) ? { type, value: bytesFromBase64(text) } : undefined;
    default:
      return undefined;
  }
}

function parseBoolean(text: string): EdmValue | undefined {
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? { type: 'Edm.Boolean', value: word === 'true' } : undefined;
}

function parseInt32(text: string): EdmValue | undefined {
  const digits = integerText.exec(text)?.[1];
  if (digits === undefined || !isInt32(Number(digits))) return undefined;
  // Adding 0 turns -0 into 0, because Edm.Int32 has no negative zero.
  return { type: 'Edm.Int32', value: Number(digits) + 0 };
}

/** Accepts 32 digits with or without hyphens. The form with hyphens may be enclosed in braces or parentheses. */
function parseGuid(text: string): EdmValue | undefined {
  const dashed = text.replace(enclosedGuid, '$1$2');
  if (guid.test(dashed)) return { type: 'Edm.Guid', value: dashed.toLowerCase() };
  if (!bareGuid.test(text)) return undefined;
  return { type: 'Edm.Guid', value: text.replace(bareGuid, '$1-$2-$3-$4-$5').toLowerCase() };
}

function parseInt64(text: string): EdmValue | undefined {
  if (!integer.test(text)) return undefined;
  const value = BigInt(text);
  return value >= -int64Max - 1n && value <= int64Max ? { type: 'Edm.Int64', value } : undefined;
}

function parseDouble(text: string): EdmValue | undefined {
  const type = 'Edm.Double';
  if (text === 'NaN') return { type, value: Number.NaN };
  if (text === 'Infinity') return { type, value: Number.POSITIVE_INFINITY };
  if (text === '-Infinity') return { type, value: Number.NEGATIVE_INFINITY };
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { type, value } : undefined;
}

function parseEdmDateTime(text: string): EdmValue | undefined {
  const value = parseDateTime(text);
  if (value === undefined) return undefined;
  const [, sign, hours, minutes] = (!text.endsWith('Z') && zone.exec(text)) || [];
  if (sign === undefined) return { type: 'Edm.DateTime', value };
  const offset = 600_000_000n * BigInt(Number(hours) * 60 + Number(minutes));
  const local = formatTicks(sign === '-' ? value - offset : value + offset);
  return { type: 'Edm.DateTime', value, sentText: `${local.slice(0, -1)}${sign}${hours}:${minutes}` };
}

/** Formats a DateTime. Only the response to an insert may use a form that is not canonical. */
export type DateTimeText = (value: EdmDateTime) => string;

export const canonicalDateTime: DateTimeText = ({ value }) => formatTicks(value);

/** One property as members of a JSON object: `"n":5`, or `"n@odata.type":"Edm.Int64","n":"5"`. */
export function edmToJson(name: string, edm: EdmValue, dateTimeText = canonicalDateTime): string {
  const quoted = quoteJson(name);
  switch (edm.type) {
    case 'Edm.String':
      return `${quoted}:${quoteJson(edm.value)}`;
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return `${quoted}:${edm.value}`;
    case 'Edm.Double':
      return Number.isFinite(edm.value)
        ? `${quoted}:${formatDouble(edm.value)}`
        : annotated(quoted, edm.type, formatDouble(edm.value));
    case 'Edm.Int64':
      return annotated(quoted, edm.type, String(edm.value));
    case 'Edm.DateTime':
      return annotated(quoted, edm.type, dateTimeText(edm));
    case 'Edm.Guid':
      return annotated(quoted, edm.type, edm.value);
    case 'Edm.Binary':
      return annotated(quoted, edm.type, base64Of(edm.value));
  }
}

/** `value` must not contain characters that JSON escapes. */
function annotated(quotedName: string, type: string, value: string): string {
  return `${quotedName.slice(0, -1)}@odata.type":"${type}",${quotedName}:"${value}"`;
}

// What the service would refuse of a value, a key or a name, said while it is typed. The service judges again when it is sent.
// Limits: Understanding the Table Service Data Model.

import type { EdmType, EdmValue } from './edm.ts';

export const keyCharsMax = 1024;
export const stringCharsMax = 32_768;
export const binaryBytesMax = 65_536;
export const nameCharsMax = 255;
export const propertiesMax = 252;
const int32Max = 2_147_483_647;
const int64Max = 9_223_372_036_854_775_807n;

const integer = /^-?\d{1,19}$/;
const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?(?:Z|([+-])(\d\d):(\d\d))$/;
const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a key must not hold
const forbiddenInKey = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

/** Why a text is no value of the type; undefined if it is one. */
export function valueFault({ type, text }: EdmValue): string | undefined {
  return faults[type](text);
}

const faults: Readonly<Record<EdmType, (text: string) => string | undefined>> = {
  'Edm.String': (text) =>
    text.length > stringCharsMax ? `${text.length} characters; ${stringCharsMax} are allowed.` : undefined,
  'Edm.Int32': (text) =>
    integer.test(text) && Math.abs(Number(text) + 0.5) < int32Max + 1
      ? undefined
      : 'A whole number from -2147483648 to 2147483647.',
  'Edm.Int64': (text) => (isInt64(text) ? undefined : `A whole number from -${int64Max + 1n} to ${int64Max}.`),
  'Edm.Double': (text) =>
    /^(?:NaN|-?Infinity)$/.test(text) || (decimal.test(text) && Number.isFinite(Number(text)))
      ? undefined
      : 'A number such as 2.5 or 1e-9, or NaN, Infinity, -Infinity.',
  'Edm.Boolean': (text) => (text === 'true' || text === 'false' ? undefined : 'true or false.'),
  'Edm.DateTime': dateTimeFault,
  'Edm.Guid': (text) => (guid.test(text) ? undefined : '32 digits from 0 to f, as 8-4-4-4-12.'),
  'Edm.Binary': (text) => {
    if (!base64.test(text)) return 'Base64: groups of four characters, the last one filled up with =.';
    const bytes = (text.length / 4) * 3 - (/=*$/.exec(text)?.[0].length ?? 0);
    return bytes > binaryBytesMax ? `${bytes} bytes; ${binaryBytesMax} are allowed.` : undefined;
  },
};

function isInt64(text: string): boolean {
  if (!integer.test(text)) return false;
  const value = BigInt(text);
  return value >= -int64Max - 1n && value <= int64Max;
}

const [firstMs, lastMs] = [Date.UTC(1601, 0), Date.UTC(9999, 11, 31, 23, 59)];

function dateTimeFault(text: string): string | undefined {
  const parts = dateTime.exec(text);
  const form = 'A time such as 2026-01-31T12:00:00.1234567Z; up to seven digits of a second.';
  if (!parts) return form;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return form;
  const offsetMinutes = Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0);
  if (Number(parts[10] ?? 0) > 59 || offsetMinutes > 14 * 60) return 'The offset is at most 14 hours.';
  const date = new Date(Date.UTC(2000, 0));
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return 'There is no such day.';
  const minutesEast = (parts[8] === '-' ? -1 : 1) * offsetMinutes;
  date.setUTCHours(hour, minute - minutesEast);
  if (date.getTime() > lastMs) return 'The service keeps times up to 9999-12-31.';
  return date.getTime() < firstMs ? 'The service keeps times from 1601-01-01 on.' : undefined;
}

/** Why a text is no key; undefined if it is one. An empty text is one. */
export function keyFault(text: string): string | undefined {
  if (text.length > keyCharsMax) return `${text.length} characters; ${keyCharsMax} are allowed.`;
  if (/\p{Surrogate}/u.test(text)) return 'Half a surrogate pair is not allowed.';
  return forbiddenInKey.test(text) ? 'The characters / \\ # ? and control characters are not allowed.' : undefined;
}

/** Why a text is no name of a property; undefined if it is one. */
export function nameFault(text: string): string | undefined {
  if (text === '') return 'A property has a name.';
  if (text.length > nameCharsMax) return `${text.length} characters; ${nameCharsMax} are allowed.`;
  if (text === 'PartitionKey' || text === 'RowKey' || text === 'Timestamp') return 'Every entity has this one.';
  return identifier.test(text) ? undefined : 'A letter or _, then letters, digits and _.';
}

/** Why a text is no name of a table; undefined if it is one. */
export function tableNameFault(text: string): string | undefined {
  if (/^tables$/i.test(text)) return 'No table may have this name.';
  return /^[A-Za-z][A-Za-z0-9]{2,62}$/.test(text) ? undefined : '3 to 63 letters and digits, a letter first.';
}

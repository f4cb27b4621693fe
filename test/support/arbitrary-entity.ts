// Generates entities that the service accepts, in every form in which a client may write them. Also checks how
// responses show these entities. This file does not use the emulator's code to write or read entities.

import fc from 'fast-check';
import { expect } from 'vitest';
import { base64Of } from '../../src/model/binary.ts';
import type { EdmValue } from '../../src/model/edm.ts';
import { dateTimeTicksMax, edmValue, propertyName, text } from './arbitrary-values.ts';
import { asciiJson } from './expect-refusal.ts';
import type { Level } from './expect-success.ts';

export interface Key {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** The form in which a client writes a value, if there are several equivalent forms. */
interface Spelling {
  readonly annotationFirst: boolean;
  /** Whether values are annotated even if they need no annotation. */
  readonly annotated: boolean;
  /**
   * Selects one of the equivalent forms of a value. The forms depend on the type: for example, a number may be written
   * as a string, a GUID in upper case, and a DateTime with a zone offset or without a zone.
   */
  readonly form: 0 | 1 | 2;
  /** Whether everything outside ASCII is written as `\uXXXX`. */
  readonly escaped: boolean;
}

export type Member = readonly [name: string, value: EdmValue, spelling: Spelling];

const spelling: fc.Arbitrary<Spelling> = fc.record({
  annotationFirst: fc.boolean(),
  annotated: fc.boolean(),
  form: fc.constantFrom(0, 1, 2),
  escaped: fc.boolean(),
});

const double = (value: number): EdmValue => ({ type: 'Edm.Double', value });
const int32 = (value: number): EdmValue => ({ type: 'Edm.Int32', value });
const int64 = (value: bigint): EdmValue => ({ type: 'Edm.Int64', value });

const edgeValue: fc.Arbitrary<EdmValue> = fc.constantFrom<EdmValue>(
  ...[0, -0, 1, 3, 0.1 + 0.2, 1e15, 1e17, 1e21, 1e-5, 0.0001, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 53 + 2].map(
    double,
  ),
  ...[Number.MAX_VALUE, Number.MIN_VALUE, 2.2250738585072014e-308, Number.NaN, Infinity, -Infinity].map(double),
  ...[0, 1, -1, 2 ** 31 - 1, -(2 ** 31)].map(int32),
  ...[0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)].map(int64),
  { type: 'Edm.DateTime', value: 504_911_232_000_000_000n },
  { type: 'Edm.DateTime', value: dateTimeTicksMax },
  { type: 'Edm.Binary', value: Buffer.alloc(0) },
  { type: 'Edm.Binary', value: Buffer.alloc(65_536, 7) },
  ...['', ' ', '\u0000', '\ufeff', '\ud800', '\\', '"', 'x'.repeat(32_768), '\u00e9'.repeat(32_768)].map(
    (value): EdmValue => ({ type: 'Edm.String', value }),
  ),
);

const name = fc.oneof(
  { weight: 8, arbitrary: propertyName },
  { weight: 1, arbitrary: fc.constantFrom('_', 'a', 'A', 'partitionKey', 'timestamp', 'Etag', 'n'.repeat(255)) },
  { weight: 1, arbitrary: fc.constantFrom('\u01c5', '\u00aa', '\u2167', 'a\u0301', 'a\u203f', 'a\u0661', 'a\u200d') },
);

const systemProperties = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

export const anyMembers: fc.Arbitrary<readonly Member[]> = fc
  .uniqueArray(
    fc.tuple(name, fc.oneof({ weight: 6, arbitrary: edmValue }, { weight: 1, arbitrary: edgeValue }), spelling),
    {
      maxLength: 8,
      selector: ([own]) => own,
    },
  )
  .map((all) => all.filter(([own]) => !systemProperties.has(own)));

// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that are not allowed in a key
const keyless = /[/\\#?\u0000-\u001f\u007f-\u009f]/gu;
const keyPart = fc
  .oneof(
    text,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...' !"$%&\'()*+,-.:;<=>@[]^_`{|}~\u00a0\ufeff\uffff'), maxLength: 12 }),
    fc.constantFrom('', "'", "''", "',RowKey='", '%27', '%2F', '%', '+', ' ', '.', '..', '\u{10ffff}'),
  )
  .map((own) => own.replace(keyless, ''));
export const anyKey: fc.Arbitrary<Key> = fc.record({ partitionKey: keyPart, rowKey: keyPart });

const epochTicks = 621_355_968_000_000_000n;

function dateTimeText(ticks: bigint): string {
  const sinceEpoch = ticks - epochTicks;
  const fraction = ((sinceEpoch % 10_000_000n) + 10_000_000n) % 10_000_000n;
  const seconds = (sinceEpoch - fraction) / 10_000_000n;
  const digits = String(fraction).padStart(7, '0').replace(/0+$/, '');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`;
}

/** A DateTime with a zone offset, or without a zone. */
function otherDateTimeText(ticks: bigint, form: Spelling['form']): string {
  if (form === 1) return dateTimeText(ticks).slice(0, -1);
  const minutes = ticks < dateTimeTicksMax - 864_000_000_000n ? 210n : 0n;
  return dateTimeText(ticks + minutes * 600_000_000n).replace('Z', minutes === 0n ? '+00:00' : '+03:30');
}

/** The JSON text of a value in this form, and whether the form needs an annotation. */
function spelled(edm: EdmValue, { form, escaped, annotated }: Spelling): [json: string, needsType: boolean] {
  switch (edm.type) {
    case 'Edm.String':
      // Half of a surrogate pair cannot be encoded as UTF-8, so it must be escaped.
      return [escaped || /\p{Surrogate}/u.test(edm.value) ? asciiJson(edm.value) : JSON.stringify(edm.value), false];
    case 'Edm.Boolean':
      return annotated && form === 1 ? [`"${edm.value}"`, true] : [String(edm.value), false];
    case 'Edm.Int32':
      return annotated && form === 1 ? [`"${edm.value}"`, true] : [String(edm.value), false];
    case 'Edm.Int64':
      return [form === 1 ? String(edm.value) : `"${edm.value}"`, true];
    case 'Edm.Double':
      return spelledDouble(edm.value, annotated && form === 1);
    case 'Edm.DateTime':
      return [`"${form === 0 ? dateTimeText(edm.value) : otherDateTimeText(edm.value, form)}"`, true];
    case 'Edm.Guid':
      return [`"${form === 1 ? edm.value.toUpperCase() : edm.value}"`, true];
    case 'Edm.Binary':
      return [`"${base64Of(edm.value)}"`, true];
  }
}

function spelledDouble(value: number, quoted: boolean): [json: string, needsType: boolean] {
  if (!Number.isFinite(value)) return [`"${value}"`, true];
  const plain = Object.is(value, -0) ? '-0' : String(value);
  if (quoted) return [`"${plain}"`, true];
  return [/[.e]/.test(plain) ? plain : `${plain}.0`, false];
}

export function bodyOf(own: readonly Member[], keys: Key | undefined): string {
  const quote = (value: string): string => asciiJson(value);
  const texts = own.map(([member, edm, spelling]) => {
    const [json, needsType] = spelled(edm, spelling);
    const value = `${quote(member)}:${json}`;
    if (!needsType && !spelling.annotated) return value;
    const annotation = `${quote(`${member}@odata.type`)}:"${edm.type}"`;
    return spelling.annotationFirst ? `${annotation},${value}` : `${value},${annotation}`;
  });
  const keyTexts = keys ? [`"PartitionKey":${quote(keys.partitionKey)}`, `"RowKey":${quote(keys.rowKey)}`] : [];
  return `{${[...keyTexts, ...texts].join(',')}}`;
}

/** A value with its type as a text for comparison: equal values have equal texts. */
function typedText(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.Double':
      // JSON does not preserve the sign of zero.
      return `${edm.type} ${edm.value === 0 ? 0 : edm.value}`;
    case 'Edm.DateTime':
      return `${edm.type} ${dateTimeText(edm.value)}`;
    case 'Edm.Binary':
      return `${edm.type} ${base64Of(edm.value)}`;
    default:
      return `${edm.type} ${edm.value}`;
  }
}

/** Like typedText, but the type is not known: a value that is written as a string is a string. */
function untypedText(edm: EdmValue): string {
  const isPlain = edm.type === 'Edm.Int32' || edm.type === 'Edm.Boolean' || edm.type === 'Edm.String';
  const typed = typedText(edm);
  if (isPlain || (edm.type === 'Edm.Double' && Number.isFinite(edm.value))) return typed;
  return `Edm.String ${typed.slice(edm.type.length + 1)}`;
}

const memberPattern = /("(?:[^"\\]|\\.)*"):("(?:[^"\\]|\\.)*"|[^,{}[\]]+)(?=[,}])/g;

/** Every member of an entity in a response as a text for comparison. Annotations are applied and left out. */
export function readMembers(body: string): Map<string, string> {
  const types = new Map<string, string>();
  const values = new Map<string, string>();
  for (const [, quoted = '', json = ''] of body.matchAll(memberPattern)) {
    const member = JSON.parse(quoted) as string;
    if (member.endsWith('@odata.type')) types.set(member.slice(0, -'@odata.type'.length), JSON.parse(json) as string);
    else values.set(member, json);
  }
  return new Map([...values].map(([member, json]) => [member, comparable(types.get(member), json)]));
}

function comparable(type: string | undefined, json: string): string {
  if (json.startsWith('"')) return `${type ?? 'Edm.String'} ${JSON.parse(json) as string}`;
  // Only these four types have no annotation. Of them, only a Double has a point or an exponent.
  expect(type).toBeUndefined();
  if (json === 'true' || json === 'false') return `Edm.Boolean ${json}`;
  return /[.E]/.test(json) ? `Edm.Double ${Number(json)}` : `Edm.Int32 ${json}`;
}

export function customOf(body: string): [name: string, value: string][] {
  return [...readMembers(body)].filter(([member]) => !systemProperties.has(member) && !member.startsWith('odata.'));
}

export const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1);

export function expectedCustom(own: readonly Member[], level: Level): [name: string, value: string][] {
  const textOf = level === 'nometadata' ? untypedText : typedText;
  return own.map(([member, edm]) => [member, textOf(edm)]);
}

/** The address of an entity below the account. */
export function pathOf(table: string, { partitionKey, rowKey }: Key): string {
  const quoted = (part: string): string => `'${encodeURIComponent(part.replaceAll("'", "''"))}'`;
  return `/${table}(PartitionKey=${quoted(partitionKey)},RowKey=${quoted(rowKey)})`;
}

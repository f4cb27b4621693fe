// Compares JSON values of two responses. Numbers are compared as text.

import { type Comparing, type Difference, difference } from './difference.ts';

/** A JSON value. A number is represented by a text that begins with `numberMark`. */
export type JsonValue = string | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * The first character of a text that represents a number. Numbers are kept as texts, because a JavaScript number can
 * lose digits.
 */
const numberMark = '\u0000';
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON. Undefined for a text that is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
    return JSON.parse(
      text.replace(stringOrNumber, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`)),
    ) as JsonValue;
  } catch {
    return undefined;
  }
}

const eTag = /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{1,7})?Z'"$/i;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?Z$/;

/** Compares only the form of ETags, because each server makes its own ETags. */
export function compareETags(
  name: string,
  [recorded, there]: BothSides<string>,
  { place, learn }: Comparing,
): Difference[] {
  learn(recorded, there);
  return eTag.test(recorded) === eTag.test(there)
    ? []
    : [difference(`${place}${name} has a different form`, recorded, there)];
}

export function compareTimestamps(
  name: string,
  [recorded, there]: BothSides<string>,
  { place, learn }: Comparing,
): Difference[] {
  learn(recorded, there);
  return timestamp.test(recorded) === timestamp.test(there)
    ? []
    : [difference(`${place}${name} has a different form`, recorded, there)];
}

export type BothSides<Value> = readonly [recorded: Value, there: Value];

/** Compares two JSON values. `path` is the names of the members that lead to the values. */
export function compareJson(
  [recorded, there]: BothSides<JsonValue>,
  path: readonly string[],
  comparing: Comparing,
): Difference[] {
  const { place } = comparing;
  if (Array.isArray(recorded) && Array.isArray(there)) return compareLists([recorded, there], path, comparing);
  if (isObject(recorded) && isObject(there)) return compareObjects([recorded, there], path, comparing);
  if (typeof recorded === 'string' && typeof there === 'string')
    return compareTexts([recorded, there], path, comparing);
  if (recorded === there) return [];
  return [difference(`${place}${whatOf(path)} has a different type`, shown(recorded), shown(there))];
}

const isObject = (value: JsonValue): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compareLists(
  [recorded, there]: BothSides<readonly JsonValue[]>,
  path: readonly string[],
  comparing: Comparing,
): Difference[] {
  const { isListed, place } = comparing;
  const [ours, theirs] = [
    recorded.filter((item) => isOurs(item, isListed.recorded)),
    there.filter((item) => isOurs(item, isListed.there)),
  ];
  const count = (list: readonly JsonValue[]): string =>
    `${list.length} of ${JSON.stringify(list.map(keyOf)).slice(0, 150)}`;
  if (ours.length !== theirs.length)
    return [difference(`${place}a different number of entries in the list`, count(ours), count(theirs))];
  const keys = [ours.map(keyOf), theirs.map(keyOf)] as const;
  if (keys[0].join('\n') !== keys[1].join('\n') && [...keys[0]].sort().join('\n') === [...keys[1]].sort().join('\n'))
    return [difference(`${place}a different order of the list`, count(ours), count(theirs))];
  return ours.flatMap((item, at) => compareJson([item, theirs[at] ?? null], path, comparing));
}

/** Whether an item of a list belongs to the recording. A list of tables may contain other tables, too. */
function isOurs(item: JsonValue, isListed: (table: string) => boolean): boolean {
  const name = isObject(item) ? item['TableName'] : undefined;
  return typeof name !== 'string' || (isObject(item) && item['RowKey'] !== undefined) || isListed(name);
}

const keyOf = (item: JsonValue): string =>
  isObject(item) ? [item['PartitionKey'], item['RowKey']].filter((key) => key !== undefined).join('/') : '';

type Members = { readonly [name: string]: JsonValue };

function compareObjects(
  [recorded, there]: BothSides<Members>,
  path: readonly string[],
  comparing: Comparing,
): Difference[] {
  const { place } = comparing;
  const differences: Difference[] = [];
  for (const [name, value] of Object.entries(recorded)) {
    const other = Object.hasOwn(there, name) ? there[name] : undefined;
    if (other === undefined)
      differences.push(difference(`${place}${whatOf([...path, name])} is missing there`, `${name}: ${shown(value)}`));
    else differences.push(...compareJson([value, other], [...path, name], comparing));
  }
  for (const [name, value] of Object.entries(there)) {
    if (!Object.hasOwn(recorded, name))
      differences.push(
        difference(`${place}${whatOf([...path, name])} is only there`, undefined, `${name}: ${shown(value)}`),
      );
  }
  return differences;
}

const addresses = /^odata\.(?:metadata|id|editLink|nextLink|type)$/;

function compareTexts(pair: BothSides<string>, path: readonly string[], comparing: Comparing): Difference[] {
  const [recorded, there] = pair;
  const { neutral, place } = comparing;
  const name = path.at(-1) ?? '';
  if (name === 'odata.etag') return compareETags(name, pair, comparing);
  if (name === 'Timestamp') return compareTimestamps(name, pair, comparing);
  if (recorded === there) return [];
  if (addresses.test(name) || name === 'TableName') {
    const [one, other] = [typeOf(name, neutral.recorded(recorded)), typeOf(name, neutral.there(there))];
    return one === other ? [] : [difference(`${place}${name} differs`, one, other)];
  }
  const isNumber = recorded.startsWith(numberMark);
  if (isNumber !== there.startsWith(numberMark))
    return [difference(`${place}${whatOf(path)} has a different type`, shown(recorded), shown(there))];
  if (isNumber && Number(recorded.slice(1)) === Number(there.slice(1)))
    return [difference(`${place}a number is written differently`, shown(recorded), shown(there))];
  return [difference(`${place}${whatOf(path)} has a different value`, `${name}: ${shown(recorded)}`, shown(there))];
}

/** The type of an entity begins with the account. It is removed, because the account may have been renamed. */
const typeOf = (name: string, text: string): string =>
  name === 'odata.type' ? text.replace(/^(?!Edm\.)[^.]{1,64}\./, '') : text;

/**
 * Describes which part of a response differs. Names that the service defines are shown. A name that the application
 * chose becomes `a property`, so that the same difference in many requests has the same description.
 */
function whatOf(path: readonly string[]): string {
  const name = path.at(-1) ?? 'the body';
  if (/^(?:odata\.\w+|value|TableName|PartitionKey|RowKey|Timestamp|code|lang)$/.test(name)) return name;
  if (/@odata\.type$/.test(name))
    return /^(?:PartitionKey|RowKey|Timestamp)@/.test(name) ? name : 'the type of a property';
  return 'a property';
}

const shown = (value: JsonValue): string =>
  typeof value === 'string' && value.startsWith(numberMark)
    ? value.slice(1)
    : JSON.stringify(value).replaceAll('\\u0000', '');

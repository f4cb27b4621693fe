// Whatever the service takes comes back as it was: written in any of the forms a client may choose, read at each metadata
// level, written back as it was read. Whatever it refuses leaves nothing behind. More runs: ROUND_TRIP_RUNS=5000.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../src/model/edm.ts';
import { dateTimeTicksMax, edmValue, hostile, propertyName, text, units } from '../unit/model/arbitraries.ts';
import { accepting, etagOf, type Level } from './answers.ts';
import type { WireAnswer } from './client.ts';
import { asciiJson } from './refusals.ts';
import { startService } from './service.ts';

const runs = Number(process.env['ROUND_TRIP_RUNS'] ?? 150);
const timeout = 20_000 + runs * 200;

const service = await startService();
const { base } = service;
await service.createTable('trips');

interface Key {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** How a client writes a value, of the several forms that mean the same. */
interface Spelling {
  readonly annotationFirst: boolean;
  /** Annotate also what needs no annotation. */
  readonly annotated: boolean;
  /** Numbers as strings, or the other way round, where both are taken; upper case; a zone offset; no zone at all. */
  readonly form: 0 | 1 | 2;
  /** Everything beyond ASCII as `\uXXXX`. */
  readonly escaped: boolean;
}

type Member = readonly [name: string, value: EdmValue, spelling: Spelling];

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

const system = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

const members: fc.Arbitrary<readonly Member[]> = fc
  .uniqueArray(
    fc.tuple(name, fc.oneof({ weight: 6, arbitrary: edmValue }, { weight: 1, arbitrary: edgeValue }), spelling),
    {
      maxLength: 8,
      selector: ([own]) => own,
    },
  )
  .map((all) => all.filter(([own]) => !system.has(own)));

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no key may hold
const keyless = /[/\\#?\u0000-\u001f\u007f-\u009f]/gu;
const keyPart = fc
  .oneof(
    text,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...' !"$%&\'()*+,-.:;<=>@[]^_`{|}~\u00a0\ufeff\uffff'), maxLength: 12 }),
    fc.constantFrom('', "'", "''", "',RowKey='", '%27', '%2F', '%', '+', ' ', '.', '..', '\u{10ffff}'),
  )
  .map((own) => own.replace(keyless, ''));
const key: fc.Arbitrary<Key> = fc.record({ partitionKey: keyPart, rowKey: keyPart });

const epochTicks = 621_355_968_000_000_000n;

function dateTimeText(ticks: bigint): string {
  const sinceEpoch = ticks - epochTicks;
  const fraction = ((sinceEpoch % 10_000_000n) + 10_000_000n) % 10_000_000n;
  const seconds = (sinceEpoch - fraction) / 10_000_000n;
  const digits = String(fraction).padStart(7, '0').replace(/0+$/, '');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`;
}

/** A moment an offset away from Greenwich, or without a zone. */
function otherDateTimeText(ticks: bigint, form: Spelling['form']): string {
  if (form === 1) return dateTimeText(ticks).slice(0, -1);
  const minutes = ticks < dateTimeTicksMax - 864_000_000_000n ? 210n : 0n;
  return dateTimeText(ticks + minutes * 600_000_000n).replace('Z', minutes === 0n ? '+00:00' : '+03:30');
}

/** The JSON text of a value, and whether it needs its annotation there. */
function spelled(edm: EdmValue, { form, escaped, annotated }: Spelling): [json: string, needsType: boolean] {
  switch (edm.type) {
    case 'Edm.String':
      // A lone half of a surrogate pair has no UTF-8: it can only be escaped.
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
      return [`"${edm.value.toString('base64')}"`, true];
  }
}

function spelledDouble(value: number, quoted: boolean): [json: string, needsType: boolean] {
  if (!Number.isFinite(value)) return [`"${value}"`, true];
  const plain = Object.is(value, -0) ? '-0' : String(value);
  if (quoted) return [`"${plain}"`, true];
  return [/[.e]/.test(plain) ? plain : `${plain}.0`, false];
}

function bodyOf(own: readonly Member[], keys: Key | undefined): string {
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

/** A typed value as one text that compares: the type, and a form in which equal values are equal. */
function typedText(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.Double':
      // JSON loses the sign of a zero.
      return `${edm.type} ${edm.value === 0 ? 0 : edm.value}`;
    case 'Edm.DateTime':
      return `${edm.type} ${dateTimeText(edm.value)}`;
    case 'Edm.Binary':
      return `${edm.type} ${edm.value.toString('base64')}`;
    default:
      return `${edm.type} ${edm.value}`;
  }
}

/** The same where nothing tells the type: what is written as a string is a string. */
function untypedText(edm: EdmValue): string {
  const isPlain = edm.type === 'Edm.Int32' || edm.type === 'Edm.Boolean' || edm.type === 'Edm.String';
  const typed = typedText(edm);
  if (isPlain || (edm.type === 'Edm.Double' && Number.isFinite(edm.value))) return typed;
  return `Edm.String ${typed.slice(edm.type.length + 1)}`;
}

const memberPattern = /("(?:[^"\\]|\\.)*"):("(?:[^"\\]|\\.)*"|[^,{}[\]]+)(?=[,}])/g;

/** Every member of an entity in an answer as comparable text, annotations read and taken out. */
function readMembers(body: string): Map<string, string> {
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
  // Only these four go without an annotation, and only a Double has a point or an exponent.
  expect(type).toBeUndefined();
  if (json === 'true' || json === 'false') return `Edm.Boolean ${json}`;
  return /[.E]/.test(json) ? `Edm.Double ${Number(json)}` : `Edm.Int32 ${json}`;
}

function customOf(body: string): [name: string, value: string][] {
  return [...readMembers(body)].filter(([member]) => !system.has(member) && !member.startsWith('odata.'));
}

const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1);

function expected(own: readonly Member[], level: Level): [name: string, value: string][] {
  const textOf = level === 'nometadata' ? untypedText : typedText;
  return own.map(([member, edm]) => [member, textOf(edm)]);
}

/** An answer without what every write changes. */
function lasting(body: string): string {
  return body
    .replaceAll(/"odata\.etag":"W\/\\"datetime'[^']*'\\""/g, '"odata.etag":*')
    .replaceAll(/"Timestamp":"[^"]*"/g, '"Timestamp":*');
}

function pathOf({ partitionKey, rowKey }: Key): string {
  const quoted = (part: string): string => `'${encodeURIComponent(part.replaceAll("'", "''"))}'`;
  return `/trips(PartitionKey=${quoted(partitionKey)},RowKey=${quoted(rowKey)})`;
}

function send(method: string, path: string, body: string, headers = {}): Promise<WireAnswer> {
  return service.send({ method, path, headers, body });
}

async function read(path: string, level: Level): Promise<string> {
  const { status, body } = await service.get(path, accepting(level));
  expect(status, body).toBe(200);
  return body;
}

async function remove(path: string): Promise<void> {
  const { status } = await service.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
  expect([204, 404]).toContain(status);
}

async function written(answer: Promise<WireAnswer>): Promise<WireAnswer> {
  const { status, body } = await answer;
  expect([201, 204], body).toContain(status);
  return answer;
}

async function withoutTrace(path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await remove(path);
  }
}

const levels = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;
const typedLevels = ['fullmetadata', 'minimalmetadata'] as const;
const anyMethod = { 'If-Match': '*' };

describe('An entity that is taken', () => {
  it('is echoed and read at each metadata level with the values that were written', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, members, fc.constantFrom(...levels), (keys, own, echoLevel) =>
        withoutTrace(pathOf(keys), async () => {
          const path = pathOf(keys);
          const inserted = await written(send('POST', '/trips', bodyOf(own, keys), accepting(echoLevel)));
          const hasOffset = own.some(([, { type }, { form }]) => type === 'Edm.DateTime' && form === 2);
          if (!hasOffset) expect(customOf(inserted.body)).toEqual(expected(own, echoLevel));
          for (const level of levels) {
            const body = await read(path, level);
            expect(customOf(body)).toEqual(expected(own, level));
            const all = readMembers(body);
            expect(all.get('PartitionKey')).toBe(`Edm.String ${keys.partitionKey}`);
            expect(all.get('RowKey')).toBe(`Edm.String ${keys.rowKey}`);
            expect(lasting(await read('/trips()', level))).toContain(lasting(withoutMetadata(body)));
          }
          expect(inserted.header('Location')).toBe(
            (JSON.parse(await read(path, 'fullmetadata')) as Identity)['odata.id'],
          );
        }),
      ),
      { numRuns: runs },
    );
  });

  it('is chosen from by $select without a change to any value', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, members, fc.constantFrom(...levels), (keys, own, level) =>
        withoutTrace(pathOf(keys), async () => {
          await written(send('POST', '/trips', bodyOf(own, keys)));
          const chosen = own.filter((_, index) => index % 2 === 0);
          const names = ['RowKey', ...chosen.map(([member]) => member)].map(encodeURIComponent).join(',');
          const body = await read(`${pathOf(keys)}?$select=${names}`, level);
          expect(customOf(body)).toEqual(expected(chosen, level).sort(byName));
          expect(readMembers(body).has('PartitionKey')).toBe(false);
        }),
      ),
      { numRuns: runs },
    );
  });

  it('is unchanged but for Timestamp and etag when it is written back as it was read', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, members, (keys, own) =>
        withoutTrace(pathOf(keys), async () => {
          const path = pathOf(keys);
          await written(send('PUT', path, bodyOf(own, undefined)));
          const first = await read(path, 'fullmetadata');
          expect(customOf(first)).toEqual(expected(own, 'fullmetadata').sort(byName));
          let etag = (JSON.parse(first) as Identity)['odata.etag'];
          for (const level of typedLevels) {
            for (const [method, headers] of [
              ['PUT', { 'If-Match': etag }],
              ['PUT', {}],
              ['MERGE', anyMethod],
              ['PATCH', {}],
            ] as const) {
              const answer = await written(send(method, path, await read(path, level), headers));
              expect(etagOf(answer)).not.toBe(etag);
              etag = etagOf(answer);
              expect(lasting(await read(path, 'fullmetadata'))).toBe(lasting(first));
            }
            const body = await read(path, level);
            await remove(path);
            etag = etagOf(await written(send('POST', '/trips', body)));
            expect(lasting(await read(path, 'fullmetadata'))).toBe(lasting(first));
          }
        }),
      ),
      { numRuns: runs },
    );
  });

  it('has after a merge its own values where the merge named none, and the new ones with their types', {
    timeout,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(key, members, members, fc.boolean(), (keys, own, changes, isConditional) =>
        withoutTrace(pathOf(keys), async () => {
          const path = pathOf(keys);
          await written(send('POST', '/trips', bodyOf(own, keys)));
          await written(send('MERGE', path, bodyOf(changes, undefined), isConditional ? anyMethod : {}));
          const merged = new Map([...expected(own, 'fullmetadata'), ...expected(changes, 'fullmetadata')]);
          expect(customOf(await read(path, 'fullmetadata'))).toEqual([...merged].sort(byName));
        }),
      ),
      { numRuns: runs },
    );
  });
});

interface Identity {
  readonly 'odata.id': string;
  readonly 'odata.etag': string;
}

/** An entity as a feed has it: without `odata.metadata`. */
function withoutMetadata(body: string): string {
  return body.replace(`"odata.metadata":"${base}/$metadata#trips/@Element",`, '');
}

/** Members that are refused whatever else is in the entity. */
const refusedMember = fc.constantFrom(
  '"v@odata.type":"Edm.Guid","v":"nope"',
  '"v@odata.type":"Edm.Int64","v":"1.5"',
  '"v@odata.type":"Edm.Int32","v":2147483648',
  '"v@odata.type":"Edm.DateTime","v":"2020-02-30T00:00:00Z"',
  '"v@odata.type":"Edm.DateTime","v":"1600-12-31T23:59:59Z"',
  '"v@odata.type":"Edm.Double","v":"1,5"',
  '"v@odata.type":"Edm.Binary","v":"A"',
  '"v@odata.type":"Edm.Boolean","v":"yes"',
  '"v@odata.type":"Edm.Unknown","v":"x"',
  '"v@odata.type":5,"v":"x"',
  '"v":{}',
  '"v":[]',
  '"v":1,"v":1',
  '"v":01',
  '"v":',
  '"a-b":1',
  '"":1',
  `"${'n'.repeat(256)}":1`,
  `"v":"${'x'.repeat(32_769)}"`,
  `"v@odata.type":"Edm.Binary","v":"${Buffer.alloc(65_537).toString('base64')}"`,
  Array.from({ length: 253 }, (_, index) => `"v${index}":1`).join(','),
  Array.from({ length: 20 }, (_, index) => `"v${index}":"${'x'.repeat(30_000)}"`).join(','),
);

/** Puts a member before, between or after those of a body. */
function withMember(body: string, member: string, isFirst: boolean): string {
  const inner = body.slice(1, -1);
  return `{${(isFirst ? [member, inner] : [inner, member]).filter((part) => part !== '').join(',')}}`;
}

const otherName = /^v\d*$|^n{255,}$/;
const others = members.map((all) => all.filter(([own]) => !otherName.test(own)));

const writes = [
  ['PUT', {}],
  ['PUT', anyMethod],
  ['MERGE', {}],
  ['MERGE', anyMethod],
  ['PATCH', anyMethod],
] as const;

describe('An entity that is refused', () => {
  it('is not there afterwards, and the one that was there is as it was', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, others, others, refusedMember, fc.boolean(), (keys, old, own, member, isFirst) =>
        withoutTrace(pathOf(keys), async () => {
          const path = pathOf(keys);
          const inserted = await send('POST', '/trips', withMember(bodyOf(own, keys), member, isFirst));
          expect([inserted.status, inserted.body]).toEqual([400, expect.stringContaining('"odata.error"')]);
          const body = withMember(bodyOf(own, undefined), member, isFirst);
          for (const [method, headers] of writes) {
            // A condition on what is not there may be what fails, once the body is read.
            expect([400, 404]).toContain((await send(method, path, body, headers)).status);
          }
          expect((await service.get(path)).status).toBe(404);

          await written(send('POST', '/trips', bodyOf(old, keys)));
          const before = await read(path, 'fullmetadata');
          for (const [method, headers] of writes) {
            expect((await send(method, path, body, headers)).status).toBe(400);
          }
          expect(await read(path, 'fullmetadata')).toBe(before);
        }),
      ),
      { numRuns: runs },
    );
  });

  it.each(['/', '\\', '#', '?', '\u0000', '\u001f', '\u007f', '\u0085', '\ud800'])(
    'for a key with %j leaves the table empty',
    async (char) => {
      for (const keys of [
        { partitionKey: `a${char}b`, rowKey: 'r' },
        { partitionKey: 'p', rowKey: char },
      ]) {
        expect((await send('POST', '/trips', bodyOf([], keys))).status).toBe(400);
      }
      expect(await read('/trips()', 'nometadata')).toBe('{"value":[]}');
    },
  );
});

const anyType = fc.oneof(
  fc
    .constantFrom('String', 'Boolean', 'Int32', 'Int64', 'Double', 'DateTime', 'Guid', 'Binary')
    .map((type) => `Edm.${type}`),
  fc.constantFrom('', 'Edm.', 'Edm.Single', 'Edm.string', 'edm.Int32', '__proto__'),
);
const anyNumber = fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?$/);
const anyText = fc.oneof(
  units,
  hostile,
  anyNumber,
  fc.stringMatching(
    /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:\.[0-9]{0,9})?)?(?:Z|[+-][01][0-9]:[0-5][0-9])?$/,
  ),
  fc.uuid(),
  fc.base64String({ maxLength: 12 }),
  fc.constantFrom(
    'true',
    'false',
    'True',
    'NaN',
    'Infinity',
    '-Infinity',
    'INF',
    'null',
    ' 5',
    '5 ',
    '+5',
    '-0',
    '0x5',
    '.5',
    '5.',
  ),
);
const anyJson = fc.oneof(anyText.map(asciiJson), anyNumber, fc.constantFrom('true', 'false', 'null'));

describe('Any value under any type', () => {
  it('is either taken, and then lasts, or refused, and then leaves nothing', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.option(anyType), anyJson, (type, json) =>
        withoutTrace(pathOf({ partitionKey: 'any', rowKey: 'any' }), async () => {
          const path = pathOf({ partitionKey: 'any', rowKey: 'any' });
          const annotation = type === null ? '' : `"v@odata.type":${asciiJson(type)},`;
          const body = `{"PartitionKey":"any","RowKey":"any",${annotation}"v":${json}}`;
          const { status, body: answer } = await send('POST', '/trips', body);
          if (status === 400) {
            expect(answer).toMatch(/"code":"(?:InvalidInput|OutOfRangeInput)"/);
            expect((await service.get(path)).status).toBe(404);
            return;
          }
          expect(status, answer).toBe(201);
          const first = await read(path, 'minimalmetadata');
          const [stored] = customOf(first);
          expect(stored?.[1].split(' ')[0]).toBe(json === 'null' ? undefined : (type ?? inferredType(json)));
          for (const level of typedLevels) {
            await written(send('PUT', path, await read(path, level), anyMethod));
            expect(lasting(await read(path, 'minimalmetadata'))).toBe(lasting(first));
          }
        }),
      ),
      { numRuns: runs * 3 },
    );
  });

  function inferredType(json: string): string {
    if (json.startsWith('"')) return 'Edm.String';
    if (json === 'true' || json === 'false') return 'Edm.Boolean';
    const isInt32 = /^-?\d+$/.test(json) && Math.abs(Number(json) + 0.5) <= 2_147_483_647.5;
    return isInt32 ? 'Edm.Int32' : 'Edm.Double';
  }
});

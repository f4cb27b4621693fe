import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonMember, JsonSyntaxError, quoteJson, readFlatObject } from '../../../src/model/json-text.ts';
import { unescapedLength } from '../../../src/model/stored-entity-size.ts';
import { hostile, text, units } from '../../support/arbitrary-values.ts';

describe('quoteJson', () => {
  const anything = fc.oneof(units, hostile, text);

  it('writes ASCII only', () => {
    fc.assert(fc.property(anything, (value) => /^[\x20-\x7f]*$/.test(quoteJson(value))));
  });

  it('writes text that JSON.parse reads as the same string', () => {
    fc.assert(fc.property(anything, (value) => JSON.parse(quoteJson(value)) === value));
  });

  it('escapes in the same way as the service', () => {
    expect(quoteJson('a\u00e9\u4e2d\u{1f600}\uffff')).toBe(String.raw`"a\u00e9\u4e2d\ud83d\ude00\uffff"`);
    expect(quoteJson(`'/<>&`)).toBe(`"'/<>&"`);
    expect(quoteJson('"\\\b\f\n\r\t\u0000\u001f')).toBe(String.raw`"\"\\\b\f\n\r\t\u0000\u001f"`);
  });
});

interface Written {
  readonly name: string;
  /** The value as it is written in the text. */
  readonly value: string;
}

const blank = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

/** A JSON string, with each unit in any of its JSON forms. */
const jsonString = fc.oneof(units, hostile, text).chain((value) =>
  fc.array(fc.boolean(), { minLength: value.length, maxLength: value.length }).map((escapes) => {
    let body = '';
    for (let index = 0; index < value.length; index++) {
      const plain = JSON.stringify(value[index]).slice(1, -1);
      body += escapes[index] ? `\\u${value.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}` : plain;
    }
    return `"${body}"`;
  }),
);

const jsonNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 25n }),
    fc.constantFrom('', '.0', '.50', '.123456789012345678901'),
    fc.constantFrom('', 'e5', 'E+300', 'e-7'),
  )
  .map((parts) => parts.join(''));

const scalar = fc.oneof(jsonString, jsonNumber, fc.constantFrom('true', 'false', 'null'));
const flatObject = fc
  .array(fc.record({ name: jsonString, value: scalar, spaces: fc.tuple(blank, blank, blank, blank) }), { maxLength: 6 })
  .map((members) => ({
    text: `{${members.map(({ name, value, spaces: [a, b, c, d] }) => `${a}${name}${b}:${c}${value}${d}`).join(',')}}`,
    members: members.map(({ name, value }): Written => ({ name, value })),
  }));

/** The value of a member by JSON.parse. For a number, its text. */
function meaning({ value }: JsonMember): unknown {
  if (value.kind === 'string') return value.text;
  if (value.kind === 'number') return { number: value.text };
  return JSON.parse(value.kind) as unknown;
}

function meaningOf(value: string): unknown {
  return /^[-\d]/.test(value) ? { number: value } : (JSON.parse(value) as unknown);
}

describe('unescapedLength', () => {
  it('is the length of the quoted string', () => {
    fc.assert(
      fc.property(fc.oneof(units, hostile), (text) => {
        expect(unescapedLength(quoteJson(text).slice(1, -1))).toBe(text.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readFlatObject', () => {
  it('reads names and values like JSON.parse, in document order, but keeps duplicates and texts of numbers', () => {
    fc.assert(
      fc.property(flatObject, ({ text: json, members }) => {
        const read = readFlatObject(json);
        expect(read.map(({ name }) => name)).toEqual(members.map(({ name }) => JSON.parse(name) as string));
        expect(read.map(meaning)).toEqual(members.map(({ value }) => meaningOf(value)));
      }),
    );
  });

  it('accepts exactly the flat objects that JSON.parse accepts', () => {
    const damaged = fc
      .tuple(
        flatObject,
        fc.nat(),
        fc.constantFrom('', '"', '\\', ',', ':', '{', '}', '[', '0', '-', '.', ' ', '\u0001', 'e'),
      )
      .map(([{ text: json }, at, insert]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + insert + json.slice(insert === '' ? place + 1 : place);
      });
    fc.assert(
      fc.property(damaged, (json) => accepts(() => readFlatObject(json)) === accepts(() => parseFlat(json))),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['{}', []],
    [' { } ', []],
    ['\ufeff{"a":1}', [{ name: 'a', value: { kind: 'number', text: '1' } }]],
    [
      '{"a":1.0,"a":null}',
      [
        { name: 'a', value: { kind: 'number', text: '1.0' } },
        { name: 'a', value: { kind: 'null' } },
      ],
    ],
    ['{"n":9007199254740993}', [{ name: 'n', value: { kind: 'number', text: '9007199254740993' } }]],
    ['{"__proto__":true}', [{ name: '__proto__', value: { kind: 'true' } }]],
    [String.raw`{"\u0061\"":"\ud800"}`, [{ name: 'a"', value: { kind: 'string', text: '\ud800' } }]],
  ])('reads %s', (json, members) => {
    expect(readFlatObject(json)).toEqual(members);
  });

  it.each([
    '',
    ' ',
    'null',
    '[]',
    '"a"',
    '5',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a":1}x',
    "{'a':1}",
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":tru}',
    '{"a":NaN}',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":"\n"}',
    String.raw`{"a":"\x"}`,
    String.raw`{"a":"\"}`,
    '{"a" 1}',
    '{"a":1 "b":2}',
    '\ufeff\ufeff{}',
    '{}\u00a0',
  ])('refuses %j', (json) => {
    expect(() => readFlatObject(json)).toThrow(JsonSyntaxError);
  });

  const million = 1_000_000;
  it.each([
    ['objects a million deep', '{"a":'.repeat(million)],
    ['arrays a million deep', `{"a":${'['.repeat(million)}`],
    ['a string without an end', `{"a":"${'x'.repeat(million)}`],
    ['a string of backslashes without an end', `{"a":"${'\\\\'.repeat(million)}`],
    ['a string of escaped quotes without an end', `{"a":"${'\\"'.repeat(million)}`],
    ['a number of a million digits and a letter', `{"a":${'1'.repeat(million)}x}`],
    ['a million spaces', `{"a":${' '.repeat(million)}`],
    ['a million commas', `{${','.repeat(million)}}`],
    ['a million members and no end', `{${'"a":1,'.repeat(million)}`],
  ])('refuses %s quickly', (_, json) => {
    expect(() => readFlatObject(json)).toThrow(JsonSyntaxError);
  });
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function parseFlat(json: string): void {
  const value = JSON.parse(json) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
  if (Object.values(value).some((member) => typeof member === 'object' && member !== null)) throw new Error('nested');
}

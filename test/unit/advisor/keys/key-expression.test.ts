import { describe, expect, it } from 'vitest';
import { KeyExpressionFault, parseKeyExpression } from '../../../../src/advisor/keys/key-expression.ts';
import { makeKeyText } from '../../../../src/advisor/keys/key-text.ts';
import type { EdmValue } from '../../../../src/model/edm.ts';
import { parseDateTime } from '../../../../src/model/ticks.ts';

const entity: Readonly<Record<string, EdmValue>> = {
  Department: { type: 'Edm.String', value: 'Sales' },
  Email: { type: 'Edm.String', value: 'Ada@Contoso.com' },
  Digits: { type: 'Edm.String', value: '42' },
  EmployeeId: { type: 'Edm.Int32', value: 223 },
  Negative: { type: 'Edm.Int32', value: -1 },
  Big: { type: 'Edm.Int64', value: 9_007_199_254_740_993n },
  Price: { type: 'Edm.Double', value: 1.5 },
  Active: { type: 'Edm.Boolean', value: true },
  When: { type: 'Edm.DateTime', value: parseDateTime('2026-01-31T12:30:05.25Z') ?? 0n },
  Bytes: { type: 'Edm.Binary', value: new Uint8Array([1]) },
};

const keyOf = (text: string): string => makeKeyText(parseKeyExpression(text), (name) => entity[name]);

describe('a key expression', () => {
  it.each([
    ['', ''],
    ['all', 'all'],
    ['{Department}', 'Sales'],
    ['{{{Department}}}', '{Sales}'],
    ['empid_{EmployeeId:000000}', 'empid_000223'],
    ['{Digits:0000}', '0042'],
    ['{Big}', '9007199254740993'],
    ['{Price}/{Active}', '1.5/true'],
    ['{Email:lower}{Email:upper}', 'ada@contoso.comADA@CONTOSO.COM'],
    ['{When}', '2026-01-31T12:30:05.2500000Z'],
    ['{When:yyyyMMdd}T{When:HH:mm:ss.fff}', '20260131T12:30:05.250'],
    ['{When:ticks}', '0639054594052500000'.slice(1).padStart(19, '0')],
    ['{EmployeeId:inverted}', '2147483424'],
    ['{Big:inverted}', String(9_223_372_036_854_775_807n - 9_007_199_254_740_993n)],
  ])('%j gives %j', (text, key) => {
    if (text !== '{When:ticks}') expect(keyOf(text)).toBe(key);
    else expect(keyOf(text)).toBe(String(entity['When']?.value).padStart(19, '0'));
  });

  it('sorts later moments first with inverted ticks', () => {
    const at = (text: string): string =>
      makeKeyText(parseKeyExpression('{When:inverted}'), () => ({
        type: 'Edm.DateTime',
        value: parseDateTime(text) ?? 0n,
      }));
    expect(at('2026-01-02')).toMatch(/^\d{19}$/);
    expect(at('2026-01-02') < at('2026-01-01')).toBe(true);
  });

  it('spreads values over all buckets, and always puts a value into the same bucket', () => {
    const expression = parseKeyExpression('{hash(Id,16)}');
    const of = (id: number): string => makeKeyText(expression, () => ({ type: 'Edm.Int32', value: id }));
    const buckets = Array.from({ length: 1_000 }, (_, id) => of(id));
    expect(new Set(buckets).size).toBe(16);
    expect([...new Set(buckets)].every((bucket) => /^(0\d|1[0-5])$/.test(bucket))).toBe(true);
    expect(of(7)).toBe(of(7));
  });

  it.each([
    ['{Department', /^character 1: a \{ without its \}/],
    ['a{b{c}', /^character 2: a \{ without its \}/],
    ['a}', /^character 2: a \} without its \{/],
    ['{}', /names no property/],
    ['{a b}', /"a b" is not the name of a property/],
    ['{A:dd/MM}', /the format "dd\/MM" is none of these/],
    ['{A:}', /the format "" is none of these/],
    ['{A:yyyyyyyy}', /is none of these/],
    ['{hash(A)}', /a hash is written/],
    ['{hash(A,1)}', /2 to 1000 buckets, not "1"/],
    ['{hash(A,1e3)}', /buckets, not "1e3"/],
    ['{hash(,4)}', /names no property/],
    [`{A:${'0'.repeat(41)}}`, /41 zeros; 40 are allowed/],
    ['x'.repeat(1_025), /1025 characters; 1024 are allowed/],
    ['{A}'.repeat(33), /33 parts; 32 are allowed/],
  ])('%s is refused with the reason', (text, reason) => {
    expect(() => parseKeyExpression(text)).toThrow(KeyExpressionFault);
    expect(() => parseKeyExpression(text)).toThrow(reason);
  });

  it.each([
    ['{Missing}', /Missing is missing/],
    ['{Bytes}', /Bytes is Binary, which cannot be part of a key/],
    ['{Negative:000}', /Negative is Int32, and \{…:000\} takes whole numbers from 0 to 999/],
    ['{EmployeeId:00}', /takes whole numbers from 0 to 99/],
    ['{Department:000}', /takes whole numbers/],
    ['{Department:yyyy}', /takes DateTime/],
    ['{EmployeeId:lower}', /takes String/],
    ['{Price:inverted}', /takes DateTime, and whole numbers/],
  ])('%s makes no key of an entity that does not fit', (text, reason) => {
    expect(() => keyOf(text)).toThrow(reason);
  });
});

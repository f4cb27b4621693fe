import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { parseDateTime } from '../../../src/model/ticks.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { comparison, refusalOf } from './filters.ts';

const { readFilter } = createFilterReader();

const dateTime = (value: string): EdmValue => ({ type: 'Edm.DateTime', value: parseDateTime(value) ?? -1n });
const guid = 'a455c695-df98-5678-aaaa-81d3367e5a34';

describe('a literal of a filter', () => {
  it.each<[string, EdmValue]>([
    ["''", { type: 'Edm.String', value: '' }],
    ["'a''b'", { type: 'Edm.String', value: "a'b" }],
    ["''''", { type: 'Edm.String', value: "'" }],
    ["'\u00e9\u{1f600} and ('", { type: 'Edm.String', value: '\u00e9\u{1f600} and (' }],
    ['10', { type: 'Edm.Int32', value: 10 }],
    ['-1', { type: 'Edm.Int32', value: -1 }],
    ['- 1', { type: 'Edm.Int32', value: -1 }],
    ['-0', { type: 'Edm.Int32', value: 0 }],
    ['-2147483648', { type: 'Edm.Int32', value: -2147483648 }],
    ['10L', { type: 'Edm.Int64', value: 10n }],
    ['10l', { type: 'Edm.Int64', value: 10n }],
    ['-9223372036854775808L', { type: 'Edm.Int64', value: -(2n ** 63n) }],
    ['9007199254740993L', { type: 'Edm.Int64', value: 9007199254740993n }],
    ['3.0', { type: 'Edm.Double', value: 3 }],
    ['-3.25', { type: 'Edm.Double', value: -3.25 }],
    ['1e3', { type: 'Edm.Double', value: 1000 }],
    ['1.5E-3', { type: 'Edm.Double', value: 0.0015 }],
    ['1E+24', { type: 'Edm.Double', value: 1e24 }],
    ['3D', { type: 'Edm.Double', value: 3 }],
    ['3.0d', { type: 'Edm.Double', value: 3 }],
    ['NaN', { type: 'Edm.Double', value: Number.NaN }],
    ['INF', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
    ['-INF', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
    ['true', { type: 'Edm.Boolean', value: true }],
    ['false', { type: 'Edm.Boolean', value: false }],
    ["datetime'2008-07-10T00:00:00Z'", dateTime('2008-07-10T00:00:00Z')],
    ["datetime'2008-07-10T00:00'", dateTime('2008-07-10T00:00:00Z')],
    ["datetime'2023-01-01'", dateTime('2023-01-01T00:00:00Z')],
    ["datetime'2023-01-01Z'", dateTime('2023-01-01T00:00:00Z')],
    ["datetime'2023-02'", dateTime('2023-02-01T00:00:00Z')],
    ["datetime'2008-07-10T00:00:00.1234567'", dateTime('2008-07-10T00:00:00.1234567Z')],
    ["datetimeoffset'2008-07-10T02:00:00+02:00'", dateTime('2008-07-10T00:00:00Z')],
    [`guid'${guid}'`, { type: 'Edm.Guid', value: guid }],
    [`guid'${guid.toUpperCase()}'`, { type: 'Edm.Guid', value: guid }],
    ["X'0aFF'", { type: 'Edm.Binary', value: Buffer.from([10, 255]) }],
    ["x'0aFF'", { type: 'Edm.Binary', value: Buffer.from([10, 255]) }],
    ["binary'0102'", { type: 'Edm.Binary', value: Buffer.from([1, 2]) }],
    ["X''", { type: 'Edm.Binary', value: Buffer.alloc(0) }],
  ])('%s is read as %o', (literal, value) => {
    expect(readFilter(`A eq ${literal}`)).toEqual(comparison('A', 'eq', value));
  });

  it('that is a date with an offset does not keep its text', () => {
    expect(readFilter("A eq datetime'2008-07-10T02:00:00+02:00'")).toEqual(
      comparison('A', 'eq', dateTime('2008-07-10T00:00:00Z')),
    );
  });

  it.each([
    ['2147483648', 'Edm.Int32'],
    ['12222455555555155555', 'Edm.Int32'],
    ['-2147483649', 'Edm.Int32'],
    ['9223372036854775808L', 'Edm.Int64'],
    ['-9223372036854775809L', 'Edm.Int64'],
    ['1.5L', 'Edm.Int64'],
    ['1e400', 'Edm.Double'],
    ["datetime'banana'", 'Edm.DateTime'],
    ["datetime'2023-02-30T00:00:00Z'", 'Edm.DateTime'],
    ["datetime'2023-02-30'", 'Edm.DateTime'],
    ["datetimeoffset''", 'Edm.DateTime'],
    ["guid'nope'", 'Edm.Guid'],
    ["X'zz'", 'Edm.Binary'],
    ["X'012'", 'Edm.Binary'],
    ["binary'0 '", 'Edm.Binary'],
    ['0x12', 'Edm.Binary'],
  ])('%s is not a literal of %s', (literal, type) => {
    const filter = `Age ge  ${literal} and B`;
    expect(refusalOf(() => readFilter(filter))).toBe(
      `400 InvalidInput parse: Unrecognized '${type}' literal '${literal}' at '8' in '${filter}'.`,
    );
  });

  it.each(['3F', '3.5f', '3M', '-1.5m', "time'PT1S'"])('%s has a type that is not implemented', (literal) => {
    expect(refusalOf(() => readFilter(`A eq ${literal}`))).toBe(
      '501 NotImplemented execute: The requested operation is not implemented on the specified resource.',
    );
  });

  it.each(['True', 'FALSE', 'Null', 'inf', 'nan', 'INFO', 'nullable', 'truer'])('%s is read as a property', (name) => {
    expect(readFilter(`${name} eq 1`)).toEqual(comparison(name, 'eq', { type: 'Edm.Int32', value: 1 }));
  });
});

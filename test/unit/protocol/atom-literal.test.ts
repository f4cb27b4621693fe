import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { parseDateTime } from '../../../src/model/ticks.ts';
import { atomTextOf, edmFromAtom } from '../../../src/protocol/atom-literal.ts';
import { edmValue } from '../../support/arbitrary-values.ts';

const ticks = (text: string): bigint => parseDateTime(text) ?? -1n;
const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('A value in Atom', () => {
  it.each<[string | undefined, string, unknown]>([
    [undefined, ' a\n', ' a\n'],
    [undefined, '', ''],
    ['Edm.String', ' 5 ', ' 5 '],
    ['Edm.Int32', '42', 42],
    ['Edm.Int32', ' \n+42\t', 42],
    ['Edm.Int32', '-0', 0],
    ['Edm.Int32', '-2147483648', -2_147_483_648],
    ['Edm.Int32', '-00000000000000000000000042', -42],
    ['Edm.Int64', '4006381333931', 4_006_381_333_931n],
    ['Edm.Int64', ' +9223372036854775807 ', 9_223_372_036_854_775_807n],
    ['Edm.Double', '12.5', 12.5],
    ['Edm.Double', '3', 3],
    ['Edm.Double', ' +1E+20 ', 1e20],
    ['Edm.Double', '-0', -0],
    ['Edm.Double', '0', 0],
    ['Edm.Double', 'NaN', Number.NaN],
    ['Edm.Double', 'INF', Number.POSITIVE_INFINITY],
    ['Edm.Double', '-INF', Number.NEGATIVE_INFINITY],
    ['Edm.Double', 'Infinity', Number.POSITIVE_INFINITY],
    ['Edm.Double', '-Infinity', Number.NEGATIVE_INFINITY],
    ['Edm.Boolean', 'true', true],
    ['Edm.Boolean', ' false ', false],
    ['Edm.Boolean', '1', true],
    ['Edm.Boolean', '0', false],
    ['Edm.DateTime', '2014-11-10T03:04:05.2Z', ticks('2014-11-10T03:04:05.2Z')],
    ['Edm.DateTime', ' 2014-11-10T03:04:05 ', ticks('2014-11-10T03:04:05Z')],
    ['Edm.DateTime', '2014-11-10T03:04:05+01:00', ticks('2014-11-10T02:04:05Z')],
    ['Edm.Guid', guid, guid],
    ['Edm.Guid', ` ${guid.toUpperCase()} `, guid],
    ['Edm.Guid', guid.replaceAll('-', ''), guid],
    ['Edm.Guid', `{${guid}}`, guid],
    ['Edm.Guid', `(${guid})`, guid],
    ['Edm.Binary', 'AQIDBA==', Buffer.from([1, 2, 3, 4])],
    ['Edm.Binary', ' AQ ID\r\n\tBA== ', Buffer.from([1, 2, 3, 4])],
    ['Edm.Binary', '', Buffer.alloc(0)],
  ])('of type %s is read from %j', (type, text, value) => {
    const edm = edmFromAtom(type, text);
    expect(edm?.type).toBe(type ?? 'Edm.String');
    expect(edm?.value).toEqual(value);
  });

  it.each([
    ['Edm.Int32', ''],
    ['Edm.Int32', '2147483648'],
    ['Edm.Int32', '1.0'],
    ['Edm.Int32', '+-1'],
    ['Edm.Int32', '1 2'],
    ['Edm.Int64', '9223372036854775808'],
    ['Edm.Int64', '0x1'],
    ['Edm.Double', ''],
    ['Edm.Double', '1e400'],
    ['Edm.Double', 'inf'],
    ['Edm.Double', '+INF'],
    ['Edm.Double', '1,5'],
    ['Edm.Boolean', 'True'],
    ['Edm.Boolean', 'yes'],
    ['Edm.Boolean', ''],
    ['Edm.DateTime', 'yesterday'],
    ['Edm.DateTime', '2014-02-30T00:00:00Z'],
    ['Edm.Guid', guid.slice(1)],
    ['Edm.Guid', `{${guid})`],
    ['Edm.Guid', `{${guid}`],
    ['Edm.Binary', 'AQID*'],
    ['Edm.Binary', 'AQI'],
    ['Edm.Decimal', '1'],
    ['Edm.DateTimeOffset', '2014-11-10T03:04:05Z'],
    ['edm.int32', '1'],
    ['', '1'],
  ])('of type %s cannot be read from %j', (type, text) => {
    expect(edmFromAtom(type, text)).toBeUndefined();
  });

  it.each<[string, EdmValue]>([
    [' a', { type: 'Edm.String', value: ' a' }],
    ['-5', { type: 'Edm.Int32', value: -5 }],
    ['4006381333931', { type: 'Edm.Int64', value: 4_006_381_333_931n }],
    ['12.5', { type: 'Edm.Double', value: 12.5 }],
    ['3', { type: 'Edm.Double', value: 3 }],
    ['1E+20', { type: 'Edm.Double', value: 1e20 }],
    ['1.05', { type: 'Edm.Double', value: 1.05 }],
    ['0', { type: 'Edm.Double', value: 0 }],
    ['-0', { type: 'Edm.Double', value: -0 }],
    ['NaN', { type: 'Edm.Double', value: Number.NaN }],
    ['INF', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
    ['-INF', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
    ['true', { type: 'Edm.Boolean', value: true }],
    ['2014-11-10T03:04:05.2Z', { type: 'Edm.DateTime', value: ticks('2014-11-10T03:04:05.2000000Z') }],
    ['2014-11-10T03:04:05+00:00', { type: 'Edm.DateTime', value: 0n, sentText: '2014-11-10T03:04:05+00:00' }],
    [guid, { type: 'Edm.Guid', value: guid }],
    ['AQIDBA==', { type: 'Edm.Binary', value: Buffer.from([1, 2, 3, 4]) }],
  ])('is written as %s', (text, edm) => {
    expect(atomTextOf(edm)).toBe(text);
  });

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(edmValue, (edm) => {
        expect(edmFromAtom(edm.type, atomTextOf(edm))).toEqual(edm);
      }),
    );
  });
});

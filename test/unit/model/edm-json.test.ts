import { describe, expect, it } from 'vitest';
import { edmFromJson } from '../../../src/model/edm-json.ts';
import type { JsonScalar } from '../../../src/model/json-text.ts';

const string = (text: string): JsonScalar => ({ kind: 'string', text });
const number = (text: string): JsonScalar => ({ kind: 'number', text });
const guid = 'a455c695-df98-5678-aaaa-81d3367e5a34';

describe('edmFromJson', () => {
  it.each([
    [undefined, number('2147483647'), 'Edm.Int32', 2_147_483_647],
    [undefined, number('-2147483648'), 'Edm.Int32', -2_147_483_648],
    [undefined, number('2147483648'), 'Edm.Double', 2_147_483_648],
    [undefined, number('1.0'), 'Edm.Double', 1],
    [undefined, number('1e0'), 'Edm.Double', 1],
    [undefined, string('1'), 'Edm.String', '1'],
    [undefined, { kind: 'true' }, 'Edm.Boolean', true],
    ['Edm.Boolean', string('false'), 'Edm.Boolean', false],
    ['Edm.Boolean', string('False'), 'Edm.Boolean', false],
    ['Edm.Boolean', string('TRUE'), 'Edm.Boolean', true],
    ['Edm.Int32', string('-5'), 'Edm.Int32', -5],
    ['Edm.Int32', string('+5'), 'Edm.Int32', 5],
    ['Edm.Int32', string(' \t-5\r\n'), 'Edm.Int32', -5],
    ['Edm.Guid', string('A455C695-DF98-5678-AAAA-81D3367E5A34'), 'Edm.Guid', guid],
    ['Edm.Guid', string(`{${guid}}`), 'Edm.Guid', guid],
    ['Edm.Guid', string(`(${guid})`), 'Edm.Guid', guid],
    ['Edm.Guid', string(guid.replaceAll('-', '')), 'Edm.Guid', guid],
    ['Edm.Int64', number('9223372036854775807'), 'Edm.Int64', 9_223_372_036_854_775_807n],
    ['Edm.Double', number('5'), 'Edm.Double', 5],
    ['Edm.Double', string('.5'), 'Edm.Double', 0.5],
    ['Edm.Double', string('-Infinity'), 'Edm.Double', Number.NEGATIVE_INFINITY],
    ['Edm.String', string(''), 'Edm.String', ''],
  ] as const)('reads %s %j', (type, scalar, expectedType, value) => {
    expect(edmFromJson(type, scalar as JsonScalar)).toEqual({ type: expectedType, value });
  });

  it('returns null for null of any known type, and undefined for other types', () => {
    for (const type of [
      undefined,
      'Edm.String',
      'Edm.Boolean',
      'Edm.Int32',
      'Edm.Int64',
      'Edm.Double',
      'Edm.DateTime',
      'Edm.Guid',
      'Edm.Binary',
    ]) {
      expect(edmFromJson(type, { kind: 'null' })).toBeNull();
    }
    for (const type of ['Edm.DateTimeOffset', 'Edm.Decimal', 'edm.string', '', 'String', 'Edm.StringEdm.String']) {
      expect(edmFromJson(type, { kind: 'null' })).toBeUndefined();
      expect(edmFromJson(type, string('x'))).toBeUndefined();
      expect(edmFromJson(type, number('1'))).toBeUndefined();
    }
  });

  it.each([
    ['Edm.Int32', number('1.0')],
    ['Edm.Int32', number('1e3')],
    ['Edm.Int64', number('1.0')],
    ['Edm.Int64', string('+1')],
    ['Edm.Double', string('1e999')],
    ['Edm.Double', string('INF')],
    ['Edm.Double', string(' 1')],
    ['Edm.Double', string('1_000')],
    ['Edm.Boolean', string('1')],
    ['Edm.Boolean', string('')],
    ['Edm.Int32', string('+-5')],
    ['Edm.Int32', string('++5')],
    ['Edm.Int32', string('1 2')],
    ['Edm.Int32', string(' ')],
    ['Edm.Guid', string(`{${guid})`)],
    ['Edm.Guid', string(`{${guid}`)],
    ['Edm.Guid', string(`{${guid.replaceAll('-', '')}}`)],
    ['Edm.Binary', string('AQI')],
    ['Edm.DateTime', number('1')],
  ])('returns undefined for %s %j', (type, scalar) => {
    expect(edmFromJson(type, scalar)).toBeUndefined();
  });

  it('keeps the text of a DateTime with an offset, without the zeros at the end of its fraction', () => {
    const sentText = (text: string): unknown => {
      const value = edmFromJson('Edm.DateTime', string(text));
      return value?.type === 'Edm.DateTime' ? value.sentText : value;
    };
    expect(sentText('2020-01-01T00:00:00Z')).toBeUndefined();
    expect(sentText('2020-01-01T00:00:00')).toBeUndefined();
    expect(sentText('2020-01-01T00:00:00+00:00')).toBe('2020-01-01T00:00:00+00:00');
    expect(sentText('2020-01-01T00:00:00.000+00:00')).toBe('2020-01-01T00:00:00+00:00');
    expect(sentText('2020-01-01T00:00:10.1200000-10:00')).toBe('2020-01-01T00:00:10.12-10:00');
    expect(sentText('2020-01-01T00:00:10.0010000+01:30')).toBe('2020-01-01T00:00:10.001+01:30');
    expect(sentText('2020-01-01T00:00:59.99999999+01:30')).toBe('2020-01-01T00:01:00+01:30');
    expect(sentText('2020-01-01T00:00+01:30')).toBe('2020-01-01T00:00:00+01:30');
    expect(sentText(' 2020-01-01-02:00 ')).toBe('2020-01-01T00:00:00-02:00');
  });

  // A single value may fill a request body of 4 MiB. If the time for a value grew with the square of its length, this
  // test would time out.
  it.each([
    ['Edm.Double', `${'1'.repeat(300_000)}x`],
    ['Edm.Double', `1.${'1'.repeat(300_000)}x`],
    ['Edm.Int64', `${'1'.repeat(300_000)}x`],
    ['Edm.Int32', `${' '.repeat(300_000)}x`],
    ['Edm.Guid', `{${'1'.repeat(300_000)}`],
    ['Edm.Binary', `${'A'.repeat(300_000)}!`],
    ['Edm.DateTime', `2020-01-01T00:00:00.${'0'.repeat(300_000)}1+00:00x`],
    ['Edm.DateTime', `2020-01-01T00:00:00.${'1'.repeat(300_000)}x`],
  ])('finds that a text of 300,000 characters is no %s', { timeout: 10_000 }, (type, hostile) => {
    expect(edmFromJson(type, string(hostile))).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import type { Entity } from '../../../src/model/entity.ts';
import { entityBytes, findLimitViolation } from '../../../src/model/entity-limits.ts';
import { properties, text } from '../../support/arbitrary-values.ts';

// The formula that the storage team published: 4 + 2·(PartitionKey + RowKey) + Σ (8 + 2·name + value).
const valueBytes: { [Type in EdmValue['type']]: (value: never) => number } = {
  'Edm.String': (value: string) => 2 * value.length + 4,
  'Edm.Binary': (value: Buffer) => value.length + 4,
  'Edm.Boolean': () => 1,
  'Edm.Int32': () => 4,
  'Edm.Int64': () => 8,
  'Edm.Double': () => 8,
  'Edm.DateTime': () => 8,
  'Edm.Guid': () => 16,
};

const key = { partitionKey: 'p', rowKey: 'r' };
const yes: EdmValue = { type: 'Edm.Boolean', value: true };
const string = (length: number): EdmValue => ({ type: 'Edm.String', value: 's'.repeat(length) });

function violationOf(entity: Partial<Entity>): string | undefined {
  return findLimitViolation({ ...key, properties: new Map(), ...entity })?.code;
}

const named = (...entries: [string, EdmValue][]): Entity['properties'] => new Map(entries);

describe('The size of an entity', () => {
  it('follows the published formula', () => {
    fc.assert(
      fc.property(text, text, properties, (partitionKey, rowKey, map) => {
        const sum = [...map].reduce(
          (bytes, [name, { type, value }]) => bytes + 8 + 2 * name.length + valueBytes[type](value as never),
          4 + 2 * (partitionKey.length + rowKey.length),
        );
        expect(entityBytes({ partitionKey, rowKey }, map)).toBe(sum);
      }),
    );
  });
});

describe('A limit', () => {
  it.each([
    ['a partition key of 1024 units', { partitionKey: 'k'.repeat(1024) }, undefined],
    ['a partition key of 1025 units', { partitionKey: 'k'.repeat(1025) }, 'PropertyValueTooLarge'],
    ['a row key of 1024 units', { rowKey: '\u{1f600}'.repeat(512) }, undefined],
    ['a row key of 1025 units', { rowKey: 'k'.repeat(1025) }, 'PropertyValueTooLarge'],
    ['a name of 255 units', { properties: named(['n'.repeat(255), yes]) }, undefined],
    ['a name of 256 units', { properties: named(['n'.repeat(256), yes]) }, 'PropertyNameTooLong'],
    ['a string of 32768 units', { properties: named(['s', string(32_768)]) }, undefined],
    ['a string of 32769 units', { properties: named(['s', string(32_769)]) }, 'PropertyValueTooLarge'],
    [
      'a binary of 65536 bytes',
      { properties: named(['x', { type: 'Edm.Binary', value: Buffer.alloc(65_536) }]) },
      undefined,
    ],
    [
      'a binary of 65537 bytes',
      { properties: named(['x', { type: 'Edm.Binary', value: Buffer.alloc(65_537) }]) },
      'PropertyValueTooLarge',
    ],
  ] as const)('%s: %s', (_, entity, code) => {
    expect(violationOf(entity)).toBe(code);
  });

  it('is 252 properties', () => {
    const of = (count: number): Entity['properties'] =>
      named(...Array.from({ length: count }, (_, index): [string, EdmValue] => [`n${index}`, yes]));
    expect(violationOf({ properties: of(252) })).toBeUndefined();
    expect(violationOf({ properties: of(253) })).toBe('TooManyProperties');
  });

  it('is 1 MiB for the entity', () => {
    // 15 strings, and one for the rest: 4 + 2·2 + 15·(8 + 2·3 + 4 + 2·32768) + (8 + 2·4 + 4 + 2·rest) = 1048576
    const rest = (1_048_576 - 8 - 15 * (18 + 65_536) - 20) / 2;
    const of = (last: number): Entity['properties'] =>
      named(...Array.from({ length: 15 }, (_, index): [string, EdmValue] => [`s${index + 10}`, string(32_768)]), [
        'last',
        string(last),
      ]);
    expect(Number.isInteger(rest) && rest < 32_768).toBe(true);
    expect(entityBytes(key, of(rest))).toBe(1_048_576);
    expect(violationOf({ properties: of(rest) })).toBeUndefined();
    expect(violationOf({ properties: of(rest + 1) })).toBe('EntityTooLarge');
    // A Boolean with a name of one unit has 8 + 2 + 1 bytes, which is one byte more than five units of text.
    expect(entityBytes(key, new Map([...of(rest - 5), ['b', yes]]))).toBe(1_048_577);
    expect(violationOf({ properties: new Map([...of(rest - 5), ['b', yes]]) })).toBe('EntityTooLarge');
  });
});

describe('If two limits are exceeded', () => {
  it('the size of the entity is reported before the size of a value', () => {
    const value: EdmValue = { type: 'Edm.Binary', value: Buffer.alloc(1_048_576) };
    expect(violationOf({ properties: named(['x', value]) })).toBe('EntityTooLarge');
  });
});

describe('The name of a property', () => {
  it.each(['_', 'a', 'A9', '__proto__', '\u00e9', '\u4e2d\u6587', 'a\u0301', 'a\u203fb', '\u2160', 'x\u200d'])(
    'may be %j',
    (name) => {
      expect(violationOf({ properties: named([name, yes]) })).toBeUndefined();
    },
  );

  it.each(['', '9a', 'a-b', 'a b', 'a/b', '-', '$a', '\u0301a', 'a\n', '\u{1f600}', 'a"b', '\ud800'])(
    'cannot be %j',
    (name) => {
      expect(violationOf({ properties: named([name, yes]) })).toBe('PropertyNameInvalid');
    },
  );
});

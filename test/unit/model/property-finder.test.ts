import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { decodeProperties, encodeProperties, propertyFinder } from '../../../src/model/properties.ts';
import { edmValue, properties, propertyName } from '../../support/arbitrary-values.ts';
import { hardNames, hardValues } from '../storage/seeded-tables.ts';

const name = fc.oneof(fc.constantFrom(...hardNames), propertyName);
const hostileText = fc
  .array(fc.constantFrom('"', '\\', ',', ':', ...hardNames, '@odata.type', '"a":', 'Edm.Int64', '\u0000'), {
    maxLength: 12,
  })
  .map((parts): EdmValue => ({ type: 'Edm.String', value: parts.join('') }));
const hostileProperties = fc
  .uniqueArray(fc.tuple(name, fc.oneof(hostileText, fc.constantFrom(...hardValues), edmValue)), {
    maxLength: 10,
    selector: ([each]) => each,
  })
  .map((entries) => new Map(entries));

describe('A property finder', () => {
  it('finds exactly what decoding the entire text would give', () => {
    const property = fc.property(fc.oneof(hostileProperties, properties), fc.array(name), (map, others) => {
      const text = encodeProperties(map);
      const decoded = decodeProperties(text);
      for (const each of [...map.keys(), ...others, ...hardNames]) {
        expect(propertyFinder(each)(text), `${each} in ${text}`).toEqual(decoded.get(each));
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    ['a', '"aa":1,"ba":2', undefined],
    ['a', '"x":"\\"a\\":1","a":2', { type: 'Edm.Int32', value: 2 }],
    ['a', '"x":"\\\\","a":"\\\\\\""', { type: 'Edm.String', value: '\\"' }],
    ['a', '"ba@odata.type":"Edm.Int64","ba":"1","a":"5"', { type: 'Edm.String', value: '5' }],
    ['a', '"x":"a@odata.type","a@odata.type":"Edm.Int64","a":"5"', { type: 'Edm.Int64', value: 5n }],
    ['a', '"x":"Edm.Int64","a":"5"', { type: 'Edm.String', value: '5' }],
    ['é', '"e":1,"\\u00e9":true', { type: 'Edm.Boolean', value: true }],
    ['a', '', undefined],
  ])('for %s reads %s', (each, text, expected) => {
    expect(propertyFinder(each)(text)).toEqual(expected);
  });
});

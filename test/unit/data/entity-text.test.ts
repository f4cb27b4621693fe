import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntityTextError, entityJson, readEntityJson, splitFeed, valueText } from '../../../src/data/entity-text.ts';
import { readProperty } from '../../../src/data/property-text.ts';
import { edmValue, properties } from '../../support/arbitrary-values.ts';

describe('an entity as JSON', () => {
  it('reads back unchanged, whatever it contains, and is one line of printable ASCII', () => {
    fc.assert(
      fc.property(properties, (row) => {
        const text = entityJson(row);
        expect(text).toMatch(/^\{[\x20-\x7e]*\}$/);
        expect(readEntityJson(text)).toEqual(row);
      }),
    );
  });

  it('has a Timestamp that needs no annotation', () => {
    const text = '{"PartitionKey":"a","Timestamp":"2024-05-01T10:00:00Z"}';
    expect(readEntityJson(text).get('Timestamp')?.type).toBe('Edm.DateTime');
    expect(entityJson(readEntityJson(text))).toBe(text);
  });

  it('is read with the types that the service infers, without null and without stray annotations', () => {
    const row = readEntityJson('{"odata.etag":"W/x","a":1,"b":1.0,"c":2147483648,"d":null,"d@odata.type":"Edm.Guid"}');
    expect([...row].map(([name, { type }]) => [name, type])).toEqual([
      ['a', 'Edm.Int32'],
      ['b', 'Edm.Double'],
      ['c', 'Edm.Double'],
    ]);
  });

  it.each([
    ['[]', "'{' expected"],
    ['{"a":[1]}', 'an entity is one JSON object of texts, numbers'],
    ['{"a@odata.type":"Edm.Int32","a":"x"}', 'the value of property a is not of type Edm.Int32'],
    ['{"a":1,"a":2}', 'property a occurs twice'],
  ])('%s is refused with the reason', (text, reason) => {
    expect(() => readEntityJson(text)).toThrow(EntityTextError);
    expect(() => readEntityJson(text)).toThrow(reason);
  });
});

describe('a feed', () => {
  it('can be split into its entities, whatever they contain', () => {
    fc.assert(
      fc.property(fc.array(properties, { maxLength: 4 }), (rows) => {
        const texts = rows.map(entityJson);
        expect(splitFeed(`{"odata.metadata":"m","value":[${texts.join(', ')}]}`)).toEqual(texts);
      }),
    );
  });

  it.each(['', '<html>', '{"value":[{"a":"', '{"value":[{}'])('cannot be %j', (text) => {
    expect(() => splitFeed(text)).toThrow('not a feed');
  });
});

describe('a property on the command line', () => {
  it('reads each value from its printed text', () => {
    fc.assert(
      fc.property(edmValue, (value) => {
        const text = `a:${value.type.slice('Edm.'.length)}=${valueText(value)}`;
        expect(valueText(readProperty(text)[1])).toBe(valueText(value));
        expect(readProperty(text)[1].type).toBe(value.type);
      }),
    );
  });

  it('is a text if it has no type, and may contain the characters that separate its parts', () => {
    expect(readProperty('a=b:c=d')).toEqual(['a', { type: 'Edm.String', value: 'b:c=d' }]);
    expect(readProperty('a=')).toEqual(['a', { type: 'Edm.String', value: '' }]);
  });

  it.each([
    ['age', 'age: write a property as name=value or name:Type=value'],
    ['=5', 'begin with name='],
    ['a:Int32:Int64=5', 'begin with name='],
    ['age:Integer=5', 'age: there is no type Integer, only String, Boolean, Int32'],
    ['age:toString=5', 'age: there is no type toString'],
    ['RowKey=5', 'RowKey cannot be written as a property'],
    [
      'age:Int32=2147483648',
      "age: '2147483648' does not fit Int32, which takes a whole number from -2147483648 to 2147483647",
    ],
    ['ok:Boolean=yes', "ok: 'yes' does not fit Boolean, which takes true or false"],
    ['big:Int64=1.5', "big: '1.5' does not fit Int64"],
    ['ratio:Double=1,5', "ratio: '1,5' does not fit Double"],
    ['when:DateTime=tomorrow', "when: 'tomorrow' does not fit DateTime, which takes an ISO 8601 time"],
    ['id:Guid=1', "id: '1' does not fit Guid"],
    ['raw:Binary=a', "raw: 'a' does not fit Binary, which takes base64"],
  ])('%s is refused, with the property and the allowed values', (text, reason) => {
    expect(() => readProperty(text)).toThrow(EntityTextError);
    expect(() => readProperty(text)).toThrow(reason);
  });
});

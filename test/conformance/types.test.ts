import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal, unreadable } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('types');
let rows = 0;

function insert(members: string): Promise<WireAnswer> {
  rows++;
  return service.send({ method: 'POST', path: '/types', body: `{"PartitionKey":"p","RowKey":"r${rows}",${members}}` });
}

/** The custom properties in a response, as text. */
function customOf({ body }: WireAnswer): string {
  return /"Timestamp":"[^"]*"(?:,(.*))?}$/s.exec(body)?.[1] ?? '';
}

/** Inserts a property, and returns its form in the response and in a later read. */
async function stored(members: string): Promise<string> {
  const inserted = await insert(members);
  expect(inserted.status, inserted.body).toBe(201);
  const read = await service.get(entityPath('types', 'p', `r${rows}`));
  expect(customOf(read)).toBe(customOf(inserted));
  return customOf(read);
}

const guidMember = '"x@odata.type":"Edm.Guid","x":"a455c695-df98-5678-aaaa-81d3367e5a34"';
const typed = (type: string, value: string): string => `"x@odata.type":"Edm.${type}","x":${value}`;

describe('Without an annotation', () => {
  it.each([
    ['a string', '"text"', '"text"'],
    ['an empty string', '""', '""'],
    ['a string that looks like an Int64', '"9223372036854775807"', '"9223372036854775807"'],
    ['a string that looks like a date', '"2024-01-01T00:00:00Z"', '"2024-01-01T00:00:00Z"'],
    [
      'a string that looks like a GUID',
      '"A455C695-DF98-5678-AAAA-81D3367E5A34"',
      '"A455C695-DF98-5678-AAAA-81D3367E5A34"',
    ],
    ['true', 'true', 'true'],
    ['false', 'false', 'false'],
    ['an integer', '5', '5'],
    ['the greatest Int32', '2147483647', '2147483647'],
    ['the least Int32', '-2147483648', '-2147483648'],
    ['one more than Int32 holds: a Double', '2147483648', '2147483648.0'],
    ['one less than Int32 holds: a Double', '-2147483649', '-2147483649.0'],
    ['an integer of twenty digits: a Double', '12345678901234567890', '1.2345678901234567E+19'],
    ['a number with a point: a Double', '3.0', '3.0'],
    ['a number with an exponent: a Double', '1e3', '1000.0'],
    ['minus zero: an Int32', '-0', '0'],
    ['minus zero with a point: a Double without its sign', '-0.0', '0.0'],
  ])('%s is stored', async (_, value, text) => {
    expect(await stored(`"x":${value}`)).toBe(`"x":${text}`);
  });

  it('a null is not stored', async () => {
    expect(await stored('"x":null,"y":1,"z":null')).toBe('"y":1');
  });
});

describe('Edm.String', () => {
  it.each([
    ['ASCII beyond letters', '" !#$%&\'()*+,-./:;<=>?@[]^_`{|}~\u007f"', '" !#$%&\'()*+,-./:;<=>?@[]^_`{|}~\u007f"'],
    ['what JSON escapes', String.raw`"\"\\\/\b\f\n\r\t\u0000\u001f"`, String.raw`"\"\\/\b\f\n\r\t\u0000\u001f"`],
    ['what is not ASCII', '"\u0080\u00e9\u4e2d\uffff"', String.raw`"\u0080\u00e9\u4e2d\uffff"`],
    ['a pair of surrogates', '"\u{1f600}"', String.raw`"\ud83d\ude00"`],
    [
      'a text that looks like an annotation',
      String.raw`"\",\"y@odata.type\":\"Edm.Int64\",\"y\":\"5"`,
      String.raw`"\",\"y@odata.type\":\"Edm.Int64\",\"y\":\"5"`,
    ],
    ['text that reads as another type', '"@odata.type\\":\\"Edm.Int32"', '"@odata.type\\":\\"Edm.Int32"'],
  ])('can contain %s', async (_, value, text) => {
    expect(await stored(`"x":${value}`)).toBe(`"x":${text}`);
    expect(await stored(typed('String', value))).toBe(`"x":${text}`);
    const none = await service.get(entityPath('types', 'p', `r${rows}`), accepting('nometadata'));
    expect(customOf(none)).toBe(`"x":${text}`);
  });
});

describe('An annotated value', () => {
  it.each([
    ['Boolean', 'true', 'true'],
    ['Boolean', '"false"', 'false'],
    ['Int32', '-7', '-7'],
    ['Int32', '"2147483647"', '2147483647'],
    ['Double', '5', '5.0'],
    ['Double', '"200.23"', '200.23'],
    ['Double', '"1.23456789012346e+24"', '1.23456789012346E+24'],
    ['Double', '1e15', '1E+15'],
    ['Double', '999999999999999', '999999999999999.0'],
    ['Double', '0.0001', '0.0001'],
    ['Double', '0.00001', '1E-05'],
    ['Double', '1234567890123456.8', '1234567890123456.8'],
    ['Double', '5e-324', '4.94065645841247E-324'],
    ['Double', '1.7976931348623157e308', '1.7976931348623157E+308'],
  ])('of Edm.%s, %s, is returned as %s and never annotated', async (type, value, text) => {
    expect(await stored(typed(type, value))).toBe(`"x":${text}`);
    const full = await service.get(entityPath('types', 'p', `r${rows}`), accepting('fullmetadata'));
    expect(customOf(full)).toBe(`"x":${text}`);
  });

  it.each([
    ['Int64', '"5"', '5'],
    ['Int64', '5', '5'],
    ['Int64', '"9223372036854775807"', '9223372036854775807'],
    ['Int64', '"-9223372036854775808"', '-9223372036854775808'],
    ['Double', '"NaN"', 'NaN'],
    ['Double', '"Infinity"', 'Infinity'],
    ['Double', '"-Infinity"', '-Infinity'],
    ['Guid', '"A455C695-DF98-5678-AAAA-81D3367E5A34"', 'a455c695-df98-5678-aaaa-81d3367e5a34'],
    ['Binary', '""', ''],
    ['Binary', '"AA=="', 'AA=='],
    ['Binary', '"+/+/"', '+/+/'],
    ['DateTime', '"2008-07-10T00:00:00Z"', '2008-07-10T00:00:00Z'],
    ['DateTime', '"2008-07-10T00:00:00"', '2008-07-10T00:00:00Z'],
    ['DateTime', '"2008-07-10"', '2008-07-10T00:00:00Z'],
    ['DateTime', '"2008-07-10T00:00:00.000000Z"', '2008-07-10T00:00:00Z'],
    ['DateTime', '"2008-07-10T01:02:03.283000Z"', '2008-07-10T01:02:03.283Z'],
    ['DateTime', '"2008-07-10T01:02:03.1234567Z"', '2008-07-10T01:02:03.1234567Z'],
    ['DateTime', '"2008-07-10T01:02:03.123456789Z"', '2008-07-10T01:02:03.1234568Z'],
    ['DateTime', '"2008-07-10T01:02:03.12345665Z"', '2008-07-10T01:02:03.1234566Z'],
    ['DateTime', '"2008-07-10T23:59:59.99999999Z"', '2008-07-11T00:00:00Z'],
    ['DateTime', '"2008-07-10T01:02z"', '2008-07-10T01:02:00Z'],
    ['DateTime', '"2008-07"', '2008-07-01T00:00:00Z'],
    ['DateTime', '"2008"', '2008-01-01T00:00:00Z'],
    ['DateTime', '"1601-01-01T00:00:00Z"', '1601-01-01T00:00:00Z'],
    ['DateTime', '"9999-12-31T23:59:59.9999999Z"', '9999-12-31T23:59:59.9999999Z'],
    ['DateTime', '"2024-02-29T23:59:59Z"', '2024-02-29T23:59:59Z'],
  ])('of Edm.%s, %s, is returned as "%s" after its annotation', async (type, value, text) => {
    expect(await stored(typed(type, value))).toBe(`"x@odata.type":"Edm.${type}","x":"${text}"`);
    const none = await service.get(entityPath('types', 'p', `r${rows}`), accepting('nometadata'));
    expect(customOf(none)).toBe(`"x":"${text}"`);
    const full = await service.get(entityPath('types', 'p', `r${rows}`), accepting('fullmetadata'));
    expect(customOf(full)).toBe(`"x@odata.type":"Edm.${type}","x":"${text}"`);
  });

  it.each(['String', 'Boolean', 'Int32', 'Int64', 'Double', 'DateTime', 'Guid', 'Binary'])(
    'of Edm.%s that is null is not stored',
    async (type) => {
      expect(await stored(`${typed(type, 'null')},"y":1`)).toBe('"y":1');
    },
  );

  it('may precede its annotation', async () => {
    expect(await stored('"x":"5","x@odata.type":"Edm.Int64"')).toBe('"x@odata.type":"Edm.Int64","x":"5"');
  });
});

describe('A DateTime with a zone offset', () => {
  it.each([
    ['2020-05-01T10:00:00+00:00', '2020-05-01T10:00:00+00:00', '2020-05-01T10:00:00Z'],
    ['2020-05-01T00:30:00.5000000+02:00', '2020-05-01T00:30:00.5+02:00', '2020-04-30T22:30:00.5Z'],
    ['2020-12-31T23:30:00-01:30', '2020-12-31T23:30:00-01:30', '2021-01-01T01:00:00Z'],
  ])('is returned by the insert, %s as %s, and later read in UTC', async (sent, echoed, read) => {
    const answer = await insert(typed('DateTime', `"${sent}"`));
    expect(customOf(answer)).toBe(`"x@odata.type":"Edm.DateTime","x":"${echoed}"`);
    const later = await service.get(entityPath('types', 'p', `r${rows}`));
    expect(customOf(later)).toBe(`"x@odata.type":"Edm.DateTime","x":"${read}"`);
  });

  it('beyond the last year is refused', async () => {
    for (const sent of ['9999-12-31T23:59:59.9999999-00:01', '9999-12-31T00:00:00-24:00']) {
      const { status, body } = await insert(typed('DateTime', `"${sent}"`));
      expect({ status, body }).toEqual({
        status: 400,
        body: expect.stringMatching(/"code":"(?:InvalidInput|OutOfRangeInput)"/),
      });
    }
  });
});

// Evidence: sdk (azure-sdk-for-python, test_encoder) for "False"; the others are assumed after ODataLib.
describe('A value that is sent as text', () => {
  it.each([
    ['Boolean', '"False"', '"x":false'],
    ['Boolean', '"TRUE"', '"x":true'],
    ['Boolean', '"true"', '"x":true'],
    ['Int32', '" 42\\t"', '"x":42'],
    ['Int32', '"+42"', '"x":42'],
    ['Guid', '"{A455C695-DF98-5678-AAAA-81D3367E5A34}"', guidMember],
    ['Guid', '"(a455c695-df98-5678-aaaa-81d3367e5a34)"', guidMember],
    ['Guid', '"a455c695df985678aaaa81d3367e5a34"', guidMember],
  ])('of Edm.%s may have the form %s', async (type, value, text) => {
    expect(await stored(typed(type, value))).toBe(text);
  });

  // Evidence: recorded (azure-storage-node).
  it('rounds a Double that is exactly between two numbers of 17 digits to the even digit', async () => {
    expect(await stored('"x":123456789012345.125')).toBe('"x":123456789012345.12');
  });
});

describe('A value that does not fit its type', () => {
  it.each([
    ['Boolean', '"yes"'],
    ['Boolean', '1'],
    ['Boolean', '"1"'],
    ['Boolean', '"0"'],
    ['Int32', '2147483648'],
    ['Int32', '"-2147483649"'],
    ['Int32', '1.5'],
    ['Int32', '"five"'],
    ['Int32', 'true'],
    ['Int64', '"9223372036854775808"'],
    ['Int64', '"-9223372036854775809"'],
    ['Int64', '"1.0"'],
    ['Int64', '""'],
    ['Int64', '"12345678901234567890123"'],
    ['Double', '"much"'],
    ['Double', '"0x10"'],
    ['Double', '""'],
    ['Double', 'true'],
    ['DateTime', '"yesterday"'],
    ['DateTime', '"2023-02-29T00:00:00Z"'],
    ['DateTime', '"2023-13-01T00:00:00Z"'],
    ['DateTime', '"2023-01-01T24:00:01Z"'],
    ['DateTime', '"2023-01-01 00:00:00"'],
    ['DateTime', '"10000-01-01T00:00:00Z"'],
    ['DateTime', '5'],
    ['Guid', '"a455c695df985678aaaa81d3367e5a3"'],
    ['Guid', '"{a455c695-df98-5678-aaaa-81d3367e5a34"'],
    ['Guid', '"a455c695-df98-5678-aaaa-81d3367e5a3g"'],
    ['Guid', '5'],
    ['Binary', '"AA="'],
    ['Binary', '"A A="'],
    ['Binary', '"AA-_"'],
    ['Binary', '"not base64"'],
    ['String', '5'],
    ['DateTimeOffset', '"2024-01-01T00:00:00Z"'],
    ['Single', '1.5'],
    ['Nonsense', '"x"'],
    ['string', '"x"'],
  ])('Edm.%s %s is refused with 400 InvalidInput and not stored', async (type, value) => {
    expectRefusal(await insert(`"before":1,${typed(type, value)}`), unreadable);
    expectRefusal(await service.get(entityPath('types', 'p', `r${rows}`)), refusal('ResourceNotFound'));
  });

  it('does not change the entity if a merge is refused', async () => {
    await insert('"a":1');
    const path = entityPath('types', 'p', `r${rows}`);
    const before = (await service.get(path)).body;
    const body = `{"a":2,${typed('Int64', '"x"')}}`;
    expectRefusal(await service.send({ method: 'MERGE', path, body }), unreadable);
    expect((await service.get(path)).body).toBe(before);
  });
});

describe('A DateTime before 1601', () => {
  it.each([
    ['0001-01-01T00:00:00Z', '01/01/0001 00:00:00'],
    ['1600-12-31T23:59:59.9999999Z', '12/31/1600 23:59:59'],
    ['1601-01-01T00:00:00+00:01', '12/31/1600 23:59:00'],
  ])('%s is refused with 400 OutOfRangeInput that quotes it as %s', async (sent, quoted) => {
    const message = `The 'x' parameter of value '${quoted}' is out of range.`;
    const expected = refusal('OutOfRangeInput', { message, stage: 'reading' });
    expectRefusal(await insert(typed('DateTime', `"${sent}"`)), expected);
  });
});

describe('A property name', () => {
  it.each([
    '_',
    '__proto__',
    'constructor',
    'partitionkey',
    'timestamp',
    'Birthday',
    '\u00e9t\u00e9',
    '\u4e2d\u6587',
    'a1',
    'toString',
  ])('%s is stored unchanged', async (name) => {
    const quoted = JSON.stringify(name).replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(await stored(`${JSON.stringify(name)}:1`)).toBe(`${quoted}:1`);
    const path = `${entityPath('types', 'p', `r${rows}`)}?$select=${encodeURIComponent(name)}`;
    expect((await service.get(path, accepting('nometadata'))).body).toBe(`{${quoted}:1}`);
  });

  it('is case-sensitive', async () => {
    expect(await stored('"Birthday":1,"birthday":2')).toBe('"Birthday":1,"birthday":2');
  });
});

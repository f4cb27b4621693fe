// Compares the console with the server: which values, keys, names and files each accepts.

import { describe, expect, it } from 'vitest';
import { edmTypes, entityOf, writtenEntityJson } from '../../src/console/client/edm.ts';
import { keyFault, nameFault, tableNameFault, typedTextFault } from '../../src/console/client/edm-faults.ts';
import { entitiesOf } from '../../src/console/pages/tables/file-entities.ts';
import { EntityFault, fileLine, readFileEntity } from '../../src/data/file-entity.ts';

const texts = [
  ...[
    '',
    '0',
    '-0',
    '5',
    '+5',
    ' 5',
    '5.0',
    '.5',
    '5.',
    '1e3',
    '1e309',
    '-1e-9',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
    'inf',
  ],
  ...['2147483647', '2147483648', '-2147483648', '-2147483649', '9223372036854775807', '9223372036854775808'],
  ...['-9223372036854775808', '-9223372036854775809', '12345678901234567890', 'true', 'false', 'True', 'yes'],
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.1234567Z', '2026-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
  ...['2026-01-31T24:00:00Z', '2026-01-31T12:60:00Z', '2026-13-01T00:00:00Z', '2026-01-31T12:00:00+14:00'],
  ...['2026-01-31T12:00:00+15:00', '2026-01-31T12:00:00-01:60', 'today', '0001-01-01T00:00:00Z'],
  ...['1600-12-31T23:59:59.9999999Z', '1601-01-01T00:00:00Z', '1601-01-01T00:00:00+00:01', '1600-12-31T23:59:00-00:01'],
  ...['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59-00:01', '0001-01-01T00:00:00+00:01', '0000-01-01T00:00:00Z'],
  ...['3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3F2504E0-4F89-11D3-9A0C-0305E82C3301', '3f2504e0', 'g'.repeat(36)],
  ...['/wA=', '/wA', 'AAAA', 'A===', '====', 'A A=', 'é', '\u0000'],
];

function serverTakes(members: object): boolean {
  try {
    readFileEntity(JSON.stringify(members));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(EntityFault);
    return false;
  }
}

describe('The console judges values', () => {
  it.each(edmTypes)('of %s as the server does', (type) => {
    const judged = texts.map((text) => [text, typedTextFault('v', { type, text }) === undefined] as const);
    const expected = texts.map(
      (text) => [text, serverTakes({ PartitionKey: 'p', RowKey: 'r', 'v@odata.type': type, v: text })] as const,
    );
    expect(judged).toEqual(expected);
    expect(judged.some(([, isValue]) => isValue)).toBe(true);
  });

  it.each([
    ['Edm.Int64', '1.5', 'Give a whole number from -9223372036854775808 to 9223372036854775807.'],
    ['Edm.DateTime', '1600-01-01T00:00:00Z', '"v" is before 1601-01-01, the earliest Edm.DateTime.'],
    ['Edm.String', 'x'.repeat(32_769), 'The property "v" has 32769 UTF-16 units; 32768 are allowed.'],
    ['Edm.Binary', 'A'.repeat(87_384), 'The property "v" has 65538 bytes; 65536 are allowed.'],
  ] as const)('and says why %s %.22s is refused', (type, text, why) => {
    expect(typedTextFault('v', { type, text })).toBe(why);
  });

  it.each([
    ['PartitionKey', "O'Brien é", true],
    ['PartitionKey', 'a/b', false],
    ['PartitionKey', 'a#b', false],
    ['PartitionKey', 'a\u0085b', false],
    ['PartitionKey', 'a\ud800', false],
    ['PartitionKey', 'x'.repeat(1024), true],
    ['PartitionKey', 'x'.repeat(1025), false],
    ['Ünï', 'value', true],
    ['1st', 'value', false],
    ['with space', 'value', false],
    [`n${'x'.repeat(254)}`, 'value', true],
    [`n${'x'.repeat(255)}`, 'value', false],
  ])('and keys and names: %.20s %.20j', (name, text, isGood) => {
    const fault = name === 'PartitionKey' ? keyFault('partitionKey', text) : nameFault(name);
    expect(fault === undefined).toBe(isGood);
    const line = JSON.stringify({ PartitionKey: 'p', RowKey: 'r', [name]: text });
    if (isGood) expect(() => readFileEntity(line)).not.toThrow();
    else expect(() => readFileEntity(line)).toThrow();
  });

  it.each([
    ['pets', undefined],
    ['ab', 'The table name "ab" has 2 characters; 3 to 63 are allowed.'],
    ['Tables', 'Tables is the name of the list of tables.'],
  ])('and names of tables, with the messages of the server: %s', (name, why) => {
    expect(tableNameFault(name)).toBe(why);
  });
});

const written =
  '{"PartitionKey":"a,\\"b\\"","RowKey":" 1","Text":"","Real":5.0,"Small":-7,"Flag":true,"Odd@odata.type":"Edm.Double",' +
  '"Odd":"NaN","Big@odata.type":"Edm.Int64","Big":"9007199254740993","When@odata.type":"Edm.DateTime",' +
  '"When":"2026-01-31T12:00:00.1234567Z","Bytes@odata.type":"Edm.Binary","Bytes":"/wA="}';

describe('The console reads and writes entities', () => {
  it('of responses, and writes the same entity', () => {
    const etag = `W/"datetime'2026-01-31T12%3A00%3A00Z'"`;
    const response = written.replace(
      '{',
      `{"odata.etag":${JSON.stringify(etag)},"Timestamp":"2026-01-31T12:00:00.1234567Z",`,
    );
    const entity = entityOf(response);
    expect(entity).toMatchObject({
      etag,
      timestamp: '2026-01-31T12:00:00.1234567Z',
      partitionKey: 'a,"b"',
      rowKey: ' 1',
    });
    expect(entity.properties.get('Real')).toEqual({ type: 'Edm.Double', text: '5.0' });
    expect(entity.properties.get('Big')).toEqual({ type: 'Edm.Int64', text: '9007199254740993' });
    expect(writtenEntityJson(entity)).toBe(written);
  });

  const read = async (text: string, format: 'ndjson' | 'csv' | 'json'): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const entities of entitiesOf(new Blob([text]), format)) lines.push(...entities.map(fileLine));
    return lines;
  };

  it.each([
    ['ndjson', `\ufeff${written}\n\n${written}`],
    ['json', `[\n${written} ,\n${written}]`],
    ['json', `{"odata.metadata":"x","value":[${written},${written}]}`],
  ] as const)('of files in %s', async (format, text) => {
    expect(await read(text, format)).toEqual([written, written]);
  });

  it.each([
    ['PartitionKey,RowKey\rp,r\r', 'Line 1: has a carriage return outside quotation marks: lines end with LF or CRLF.'],
    ['PartitionKey,RowKey,A,A\np,r,1,2\n', 'Line 1: has the column "A" twice.'],
    ['PartitionKey,RowKey,A@type\np,r,Edm.Int32\n', 'Line 1: has the column "A@type" but no column of its values.'],
    ['PartitionKey,RowKey,A,A@type\np,r,"1\n2",Edm.String\np,r,1,Int8\n', 'Line 4: property "A" has the type "Int8"'],
    ['PartitionKey,RowKey\np,"r', 'Line 2: has a quotation mark that is not closed.'],
  ])('and refuses the CSV %j like the commands', async (text, message) => {
    await expect(read(text, 'csv')).rejects.toThrow(message);
  });
});

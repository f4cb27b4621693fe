// What the console knows of values and files, held against the server's own code.

import { describe, expect, it } from 'vitest';
import { edmTypes, entityJson, entityOf, fileEntityOf, parseJson } from '../../src/console/client/edm.ts';
import { keyFault, nameFault, valueFault } from '../../src/console/client/edm-faults.ts';
import { CsvRecords, createCsvReader, csvEntity, csvHeader } from '../../src/console/pages/tables/csv.ts';
import { CsvEntityReader, csvEntity as serverCsvEntity } from '../../src/data/entity-csv.ts';
import { EntityFault, readFileEntity } from '../../src/data/file-entity.ts';

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
/** The service reads more spellings than the editor lets through: `True`, `+5`, blanks. */
const onlyServer = new Set(['Edm.Boolean True', 'Edm.Int32 +5', 'Edm.Int32  5']);

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
    const judged = texts.map((text) => [text, valueFault({ type, text }) === undefined] as const);
    const expected = texts.map((text) => {
      const isValue = serverTakes({ PartitionKey: 'p', RowKey: 'r', 'v@odata.type': type, v: text });
      return [text, isValue && !onlyServer.has(`${type} ${text}`)] as const;
    });
    expect(judged).toEqual(expected);
    expect(judged.some(([, isValue]) => isValue)).toBe(true);
  });

  it.each([
    ['PartitionKey', "O'Brien é", true],
    ['PartitionKey', 'a/b', false],
    ['PartitionKey', 'a#b', false],
    ['PartitionKey', 'a\u0085b', false],
    ['PartitionKey', 'x'.repeat(1024), true],
    ['PartitionKey', 'x'.repeat(1025), false],
    ['Ünï', 'value', true],
    ['1st', 'value', false],
    ['with space', 'value', false],
    [`n${'x'.repeat(254)}`, 'value', true],
    [`n${'x'.repeat(255)}`, 'value', false],
  ])('and keys and names: %.20s %.20j', (name, text, isGood) => {
    const fault = name === 'PartitionKey' ? keyFault(text) : nameFault(name);
    expect(fault === undefined).toBe(isGood);
    const line = JSON.stringify({ PartitionKey: 'p', RowKey: 'r', [name]: text });
    if (isGood) expect(() => readFileEntity(line)).not.toThrow();
    else expect(() => readFileEntity(line)).toThrow();
  });
});

const line =
  '{"PartitionKey":"a,\\"b\\"","RowKey":" 1\\n2","Text":"","Real":5.0,"Small":-7,"Flag":true,"Odd@odata.type":"Edm.Double",' +
  '"Odd":"NaN","Big@odata.type":"Edm.Int64","Big":"9007199254740993","When@odata.type":"Edm.DateTime",' +
  '"When":"2026-01-31T12:00:00.1234567Z","Bytes@odata.type":"Edm.Binary","Bytes":"/wA="}';
const read = () => ({ ...entityOf(parseJson(line) as Record<string, unknown>), partitionKey: 'a,"b"', rowKey: ' 12' });

describe('The console reads and writes CSV', () => {
  const names = [...read().properties.keys()].sort();

  it('that the server writes alike', () => {
    const entity = read();
    const stored = readFileEntity(entityJson(entity));
    expect(csvEntity(entity, names)).toBe(serverCsvEntity(stored, names));
  });

  it('that the server reads as the same entity', () => {
    const entity = read();
    const reader = new CsvEntityReader(csvHeader(names).trimEnd());
    const stored = reader.read(csvEntity(entity, names).trimEnd());
    expect(stored).toEqual(
      readFileEntity(entityJson({ ...entity, properties: new Map([...entity.properties].sort()) })),
    );
  });

  it('and reads back what it wrote, in pieces of any length, with line ends in cells', () => {
    const entity = { ...read(), rowKey: 'two\r\nlines' };
    const text = csvHeader(names) + csvEntity(entity, names) + csvEntity({ ...entity, rowKey: '2' }, names);
    for (const length of [1, 3, 7, text.length]) {
      const records = new CsvRecords();
      const found: (readonly string[])[] = [];
      for (let at = 0; at < text.length; at += length) found.push(...records.read(text.slice(at, at + length)));
      const last = records.end();
      const [header = [], ...rows] = last ? [...found, last] : found;
      const back = rows.map(createCsvReader(header));
      expect(back.map(({ rowKey }) => rowKey)).toEqual(['two\r\nlines', '2']);
      expect(new Map([...(back[0]?.properties ?? [])].sort())).toEqual(new Map([...entity.properties].sort()));
    }
  });

  it.each([
    ['a column without types, where Storage Explorer writes its ETag', 'ETag', false],
    ['a column with types', 'ETag,ETag@type', true],
  ])('and takes an ETag for a property only in %s', (_, columns, isProperty) => {
    const cells = isProperty ? ['W/"1"', 'Edm.String'] : ['W/"1"'];
    const entity = createCsvReader(['PartitionKey', 'RowKey', ...columns.split(',')])(['p', 'r', ...cells]);
    expect([...entity.properties.keys()]).toEqual(isProperty ? ['ETag'] : []);
  });

  it.each([
    ['{"PartitionKey":"p","RowKey":"r","ETag":"W/\\"1\\""}', false],
    ['{"PartitionKey":"p","RowKey":"r","ETag":"mine"}', true],
    ['{"PartitionKey":"p","RowKey":"r","ETag@odata.type":"Edm.String","ETag":"W/\\"1\\""}', true],
    ['{"odata.etag":"W/\\"2\\"","PartitionKey":"p","RowKey":"r","ETag":"W/\\"1\\""}', true],
  ])('and takes a member ETag for a property as the server does: %s', (line, isProperty) => {
    const entity = fileEntityOf(parseJson(line) as Record<string, unknown>);
    expect(entity.properties.has('ETag')).toBe(isProperty);
    expect(readFileEntity(line).properties.includes('ETag')).toBe(isProperty);
    expect(readFileEntity(entityJson(entity)).properties.includes('ETag')).toBe(isProperty);
  });

  it.each([
    ['a,"b', 'A quotation mark is left open.'],
    ['"a"b,c\n', 'A cell goes on behind its closing quotation mark.'],
    ['a"b,c\n', 'A cell with a quotation mark stands in marks, and has it twice.'],
  ])('and refuses %j', (text, message) => {
    const records = new CsvRecords();
    expect(() => {
      [...records.read(text)];
      records.end();
    }).toThrow(message);
  });

  it.each([
    [['PartitionKey', 'A'], ['p', '1'], 'The header has no column RowKey.'],
    [['PartitionKey', 'RowKey', 'A'], ['p', 'r'], '2 cells, where the header has 3.'],
    [['PartitionKey', 'RowKey', 'A', 'A@type'], ['p', 'r', '1', 'Int8'], 'There is no type "Int8".'],
  ])('and refuses the header %j with the cells %j', (header, cells, message) => {
    expect(() => createCsvReader(header)(cells)).toThrow(message);
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const emulators: Emulator[] = [];
const folders: { remove(): void }[] = [];
afterEach(async () => {
  for (const emulator of emulators.splice(0)) await emulator.close();
  for (const folder of folders.splice(0)) folder.remove();
});

async function start(): Promise<Emulator> {
  const emulator = await startEmulator();
  emulators.push(emulator);
  return emulator;
}

function folderOf(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = temporaryFolder();
  folders.push(folder);
  mkdirSync(folder.path, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  return folder.path;
}

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

const everyType = [
  '{"PartitionKey":"p","RowKey":"1","bin@odata.type":"Edm.Binary","bin":"AAH/","bool":true,"dbl":1.5,"empty":"",',
  '"guid@odata.type":"Edm.Guid","guid":"4185404a-5818-48c3-b9be-f217df0dba6f","i32":-5,"i64@odata.type":"Edm.Int64",',
  '"i64":"9007199254740993","nan@odata.type":"Edm.Double","nan":"NaN","text":"\\u00e4\\"x\\r\\n, ",',
  '"when@odata.type":"Edm.DateTime","when":"2024-05-01T10:00:00.1234567Z"}\n',
].join('');
const policies = '{"People":[{"id":"a","expiry":"2030-01-01T00:00:00Z","permission":"r"}]}';

describe('a folder of tables', () => {
  it.each(['ndjson', 'csv', 'json'] as const)('is the same after export, seed and export: %s', async (format) => {
    const [first, second] = [await start(), await start()];
    const source = folderOf({ 'People.ndjson': everyType, 'empty.json': '[]', 'tables.json': policies });
    expect(await first.seed(source)).toEqual({
      tables: [
        { name: 'People', entities: 1 },
        { name: 'empty', entities: 0 },
      ],
    });
    const [one, two, three] = [folderOf(), folderOf(), folderOf()];
    await first.export(one, { format });
    await second.seed(one);
    await second.export(two, { format });
    expect(Object.keys(contentsOf(one)).sort()).toEqual([`People.${format}`, `empty.${format}`, 'tables.json'].sort());
    expect(contentsOf(two)).toEqual(contentsOf(one));
    expect(contentsOf(one)[`People.${format}`]?.startsWith('\ufeff')).toBe(format === 'csv');
    await second.export(three);
    expect(contentsOf(three)['People.ndjson']).toBe(everyType);
  });

  it('keeps every entity, key and value, even in CSV', async () => {
    const emulator = await start();
    const key = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[/\\#?\p{Cc}\p{Cs}]/u.test(text));
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !/\p{Cs}/u.test(one));
    const entity = fc.record({
      PartitionKey: key,
      RowKey: key,
      A: text,
      B: fc.integer({ max: 9, min: -9 }),
      C: fc.boolean(),
    });
    const lists = fc.uniqueArray(entity, {
      maxLength: 20,
      selector: (one) => JSON.stringify([one.PartitionKey, one.RowKey]),
    });
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const [plain, csv, again] = [folderOf(), folderOf(), folderOf()];
        await emulator.seed(join(folderOf({ 'Any.json': JSON.stringify(list) }), 'Any.json'));
        await emulator.export(plain);
        await emulator.export(csv, { format: 'csv' });
        await emulator.seed(csv);
        await emulator.export(again);
        expect(contentsOf(again)).toEqual(contentsOf(plain));
        expect(contentsOf(plain)['Any.ndjson']?.split('\n').length).toBe(list.length + 1);
      }),
      { numRuns: 25 },
    );
  });
});

describe('seed reads', () => {
  const read = async (name: string, text: string | Buffer): Promise<string | undefined> => {
    const emulator = await start();
    await emulator.seed(join(folderOf({ [name]: text }), name));
    const out = folderOf();
    await emulator.export(out);
    return contentsOf(out)['Pets.ndjson'];
  };
  const expected = '{"PartitionKey":"p","RowKey":"r","Age":5}\n';

  it.each([
    [
      'a byte order mark, CRLF, blank lines, no last line end',
      'Pets.ndjson',
      '\ufeff\r\n{"PartitionKey":"p","RowKey":"r","Age":5}\r\n \r\n',
    ],
    [
      'full metadata, ETag and Timestamp',
      'Pets.ndjson',
      '{"odata.etag":"W/x","odata.type":"a.b","PartitionKey":"p","RowKey":"r","Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-01-01T00:00:00Z","Age":5,"None":null}',
    ],
    [
      'what a query answers',
      'Pets.json',
      '{"odata.metadata":"http://x/$metadata#Pets","value":[{"PartitionKey":"p","RowKey":"r","Age":5}]}\n',
    ],
    ['an array over lines', 'Pets.json', '\ufeff[\n  {\n "PartitionKey" : "p",\n"RowKey":"r", "Age":5 }\n]'],
    [
      'CSV of Storage Explorer',
      'Pets.typed.csv',
      '\ufeffPartitionKey,RowKey,Timestamp,Age,Age@type,No,No@type\np,r,2020-01-01T00:00:00Z,5,Edm.Int32,,\n',
    ],
    [
      'CSV of Storage Explorer 1.40, with an ETag',
      'Pets.csv',
      'PartitionKey,RowKey,Timestamp,ETag,Age,Age@type\r\np,r,2022-07-11T09:00:00.0000000Z,"W/""x""",5,Int32\r\n',
    ],
    ['an ETag as a member', 'Pets.ndjson', '{"ETag":"W/\\"x\\"","PartitionKey":"p","RowKey":"r","Age":5}'],
    ['CSV with short types and quotes', 'Pets.csv', '"PartitionKey","RowKey","Age","Age@type"\r\n"p","r","5",Int32'],
  ])('%s', async (_, name, text) => {
    expect(await read(name, text)).toBe(expected);
  });

  // Storage Explorer writes a type next to each property: Edm.Int32 before version 1.40, and Int32 since then. If a row
  // has no value for a property, it has no type for this property either. Evidence: peers (Storage Explorer).
  it.each(['Edm.', ''])('every type as Storage Explorer writes it: %sInt32', async (prefix) => {
    const properties = ['Bin', 'Flag', 'Gone', 'Id', 'Long', 'Mass', 'Name', 'When'];
    const header = ['PartitionKey', 'RowKey', 'Timestamp', ...properties.flatMap((name) => [name, `${name}@type`])];
    const typed = (text: string, type: string): string => `${text},${prefix}${type}`;
    const row = [
      'config,my key,2017-09-03T12:17:54.827Z',
      typed('AAH/', 'Binary'),
      typed('true', 'Boolean'),
      ',',
      typed('4185404a-5818-48c3-b9be-f217df0dba6f', 'Guid'),
      typed('9007199254740993', 'Int64'),
      typed('1.5', 'Double'),
      typed('"a ""quoted"", long\ntext"', 'String'),
      typed('2017-09-03T12:17:54.827Z', 'DateTime'),
    ].join(',');
    expect(await read('Pets.typed.csv', `\ufeff${header.join(',')}\r\n${row}\r\n`)).toBe(
      [
        '{"PartitionKey":"config","RowKey":"my key","Bin@odata.type":"Edm.Binary","Bin":"AAH/","Flag":true,',
        '"Id@odata.type":"Edm.Guid","Id":"4185404a-5818-48c3-b9be-f217df0dba6f","Long@odata.type":"Edm.Int64",',
        '"Long":"9007199254740993","Mass":1.5,"Name":"a \\"quoted\\", long\\ntext",',
        '"When@odata.type":"Edm.DateTime","When":"2017-09-03T12:17:54.827Z"}\n',
      ].join(''),
    );
  });

  it('a cell with a type but no text as an empty text, and with neither as no value', async () => {
    const csv = 'PartitionKey,RowKey,A,A@type,B,B@type\np,r,,Edm.String,,\n';
    expect(await read('Pets.csv', csv)).toBe('{"PartitionKey":"p","RowKey":"r","A":""}\n');
  });
});

describe('seed refuses, names file, line and reason, and changes nothing', () => {
  const good = '{"PartitionKey":"p","RowKey":"r"}\n';
  const refusals: [string, string, string | Buffer, RegExp][] = [
    ['a duplicate', 'Pets.ndjson', good + good, /Pets\.ndjson:2: PartitionKey "p" and RowKey "r" occur twice/],
    ['no JSON', 'Pets.ndjson', `${good}{"PartitionKey"`, /Pets\.ndjson:2: .*expected at position 15/],
    ['a nested value', 'Pets.ndjson', '{"PartitionKey":"p","RowKey":"x","a":{}}', /:1: value expected/],
    ['a missing key', 'Pets.ndjson', `\n${good}{"PartitionKey":"p"}`, /:3: RowKey is missing/],
    [
      'a key in another case',
      'Pets.ndjson',
      '{"partitionKey":"p","RowKey":"r"}',
      /:1: PartitionKey is missing: partitionKey is not PartitionKey: case counts/,
    ],
    ['a key with a slash', 'Pets.ndjson', '{"PartitionKey":"a/b","RowKey":"x"}', /:1: OutOfRangeInput: .*"\/"/],
    [
      'an unknown type',
      'Pets.ndjson',
      '{"PartitionKey":"p","RowKey":"x","a@odata.type":"Edm.Int16","a":1}',
      /:1: .*"Edm\.Int16"/,
    ],
    [
      'a value that does not fit',
      'Pets.ndjson',
      '{"PartitionKey":"p","RowKey":"x","a@odata.type":"Edm.Int64","a":"1.5"}',
      /:1: .*not a value of Edm\.Int64/,
    ],
    ['a name', 'Pets.ndjson', '{"PartitionKey":"p","RowKey":"x","a-b":1}', /:1: PropertyNameInvalid/],
    [
      'a long text',
      'Pets.ndjson',
      JSON.stringify({ PartitionKey: 'p', RowKey: 'x', a: 'x'.repeat(32_769) }),
      /:1: PropertyValueTooLarge/,
    ],
    ['UTF-16', 'Pets.ndjson', Buffer.from('\ufeff{"PartitionKey":"p"}', 'utf16le'), /:1: is not UTF-8/],
    ['Latin-1', 'Pets.csv', Buffer.from('PartitionKey,RowKey,A\np,r,\xe4\n', 'latin1'), /:2: is not UTF-8/],
    ['a long line', 'Pets.ndjson', good + 'x'.repeat(5_000_000), /:2: is longer than 4 MiB/],
    ['a long element', 'Pets.json', `[\n{"a":"${'x'.repeat(5_000_000)}"}]`, /:2: is longer than 4 MiB/],
    [
      'an open quotation mark',
      'Pets.csv',
      'PartitionKey,RowKey\np,r\np,"r\n',
      /:3: has a quotation mark that is not closed/,
    ],
    [
      'a quotation mark in a cell',
      'Pets.csv',
      'PartitionKey,RowKey\np,r"" \n',
      /:2: has a quotation mark within a cell/,
    ],
    [
      'lines that end with a carriage return',
      'Pets.csv',
      'PartitionKey,RowKey,A,A@type\rp,r,1,Int32\r',
      /:1: has a carriage return outside quotation marks/,
    ],
    ['too few cells', 'Pets.csv', 'PartitionKey,RowKey,A\n\np,r\n', /:3: has 2 cells, and the header 3/],
    ['too many cells', 'Pets.csv', 'PartitionKey,RowKey\np,r,1\n', /:2: has 3 cells, and the header 2/],
    ['a header without keys', 'Pets.csv', 'A,B\n', /:1: has no column PartitionKey/],
    [
      'a header with a key in another case',
      'Pets.csv',
      'PartitionKey,rowkey\n',
      /:1: has no column RowKey: rowkey is not RowKey: case/,
    ],
    ['a column twice', 'Pets.csv', 'PartitionKey,RowKey,A,A\n', /:1: has the column "A" twice/],
    ['an array that ends', 'Pets.json', '[{"PartitionKey":"p","RowKey":"r"}', /:1: ends within the array/],
    ['text after an array', 'Pets.json', '[]\n[]', /has text after the array/],
    ['no array', 'Pets.json', '{"a":1}', /:1: does not contain a JSON array/],
    ['two commas', 'Pets.json', '[{"PartitionKey":"p","RowKey":"r"},,]', /:1: has "," where an entity is expected/],
    ['a name of no table', 'ab.ndjson', '', /ab is not the name of a table/],
  ];

  it.each(refusals)('%s', async (_, name, text, reason) => {
    const emulator = await start();
    await emulator.seed(folderOf({ 'Pets.ndjson': '{"PartitionKey":"old","RowKey":"old"}' }));
    const before = folderOf();
    await emulator.export(before);
    await expect(emulator.seed(folderOf({ 'Aaa.ndjson': good, [name]: text }))).rejects.toThrow(reason);
    const after = folderOf();
    await emulator.export(after);
    expect(contentsOf(after)).toEqual(contentsOf(before));
  });

  it('two files of one table, policies without a table, a missing path', async () => {
    const emulator = await start();
    await expect(emulator.seed(folderOf({ 'Pets.ndjson': '', 'pets.csv': '' }))).rejects.toThrow(/are both for table/);
    const gone = '{"Gone":[{"id":"a"}]}';
    await expect(emulator.seed(folderOf({ 'tables.json': gone }))).rejects.toThrow(
      /names table Gone, but there is no file for it/,
    );
    await expect(emulator.seed('/absent/folder')).rejects.toThrow(/\/absent\/folder cannot be read/);
  });

  it('policies in a named pipe, without waiting for it, and policies of a name that is too long to show', async () => {
    const emulator = await start();
    const piped = folderOf({ 'Pets.ndjson': '' });
    makeNamedPipe(join(piped, 'tables.json'));
    await expect(emulator.seed(piped)).rejects.toThrow(/tables\.json cannot be read: it is not a file/);
    const long = folderOf({ 'tables.json': JSON.stringify({ ['x'.repeat(100_000)]: [{ id: 'a' }] }) });
    const error = await emulator.seed(long).catch((failure: unknown) => failure);
    expect((error as Error).message).toContain('characters left out');
    expect((error as Error).message.length).toBeLessThan(1_000);
  });
});

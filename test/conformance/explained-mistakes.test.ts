// The lines that the emulator logs to a terminal for common mistakes of programs. Each line fits the width of the
// terminal, and names the cause and, if there is one, the remedy.

import { RestError, TableClient, TableServiceClient } from '@azure/data-tables';
import { afterAll, describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/cli/columns.ts';
import { requestLine } from '../../src/cli/request-line.ts';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import type { RequestRecord } from '../../src/model/request-record.ts';
import { filterOption } from '../support/queries.ts';
import { serviceAt } from '../support/service.ts';
import { tableToken } from '../support/shared-access-tokens.ts';
import { developmentKey, type WireRequest } from '../support/table-client.ts';

const records: RequestRecord[] = [];
const emulator = await runEmulator({
  ...defaultEmulatorSettings,
  port: 0,
  onRequest: (record) => void records.push(record),
});
const service = serviceAt(emulator.url, () => emulator.close());
await service.createTable('todos');
await service.insert('todos', { PartitionKey: 'alice', RowKey: '1', Age: 5 });

const lineOf = (record: RequestRecord, columns = 100): string =>
  requestLine(record, { columns, isColoured: false, isDetailed: false, time: '12:00:00' });

/** Waits for the log line of the last request, and returns it. */
async function lastLine(columns = Number.POSITIVE_INFINITY): Promise<string> {
  const record = records.at(-1);
  if (!record) throw new Error('no request was seen');
  return lineOf(record, columns);
}

const todo = "/todos(PartitionKey='alice',RowKey='1')";
const json = (value: object): string => JSON.stringify(value);
const entity = (members: object): string => json({ PartitionKey: 'p', RowKey: 'r', ...members });
const insert = (body: string, headers: WireRequest['headers'] = {}): WireRequest => ({
  ...{ method: 'POST', path: '/todos', body, headers },
});
const query = (options: string): WireRequest => ({ method: 'GET', path: `/todos()?${options}` });
const filter = (text: string): WireRequest => query(filterOption(text));
const get = (path: string, headers: WireRequest['headers'] = {}): WireRequest => ({ method: 'GET', path, headers });
const batchOf = (...parts: string[]): WireRequest => ({
  method: 'POST',
  path: '/$batch',
  headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
  body: `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`,
});
const part = (method: string, path: string, body = '', headers = ''): string =>
  `--c\r\nContent-Type: application/http\r\n\r\n${method} /devstoreaccount1${path} HTTP/1.1\r\n` +
  `Accept: application/json\r\nContent-Type: application/json\r\n${headers}\r\n${body}\r\n`;
const insertPart = (members: object): string => part('POST', '/todos', entity(members));
const staleTag = 'W/"datetime\'2020-01-01T00%3A00%3A00.0000000Z\'"';

type Mistake = readonly [name: string, request: WireRequest, line: RegExp];

const mistakes: readonly Mistake[] = [
  ['a filter whose text has no quotes', filter('PartitionKey eq dog'), /"dog" is read as a property.*'dog'/],
  ['= in a filter', filter("PartitionKey == 'a'"), /Write eq for ==\./],
  ['&& in a filter', filter("PartitionKey eq 'a' && RowKey eq 'b'"), /Write and for &&\./],
  ['double quotes in a filter', filter('PartitionKey eq "a"'), /single quotes: 'a'/],
  [
    'a key property in the wrong case',
    filter("partitionkey eq 'alice'"),
    /partitionkey is not PartitionKey: case counts/,
  ],
  [
    'a comparison with a literal of a type that no entity has',
    filter("Age gt '2'"),
    /Age is Edm\.Int32 in the visited entity; '2' is a string, so the comparison is never true/,
  ],
  ['a comparison with null', filter('Age eq null'), /null is not stored/],
  ['a function in a filter', filter("startswith(RowKey,'a')"), /RowKey ge 'abc' and RowKey lt 'abd'/],
  ['contains in a filter', filter("contains(Name,'a')"), /no functions such as contains/],
  ['an operator in capitals', filter("PartitionKey EQ 'a'"), /Write eq for EQ\./],
  ['a quote that is left open', filter("Name eq 'O'Brien'"), /text: 'O''Brien'/],
  ['a GUID that is none', filter("Id eq guid'x'"), /^(?!.*is read as a property).*Unrecognized 'Edm\.Guid' literal/],
  ['arithmetic in a filter', filter('Age add 1 eq 6'), /no arithmetic/],
  ['$orderby', query('$orderby=Age'), /no \$orderby/],
  ['a $top beyond 1000', query('$top=5000'), /\$top is "5000"; it takes 0 to 1000/],
  ['a $top that is not a number', query('$top=all'), /\$top is "all"/],
  ['a $select that is not a list', query('$select=a%20b'), /"a b" in \$select is not a property name/],
  ['a continuation that was changed', query('NextPartitionKey=abc'), /The continuation does not come from a response/],
  [
    'a stale ETag',
    { method: 'PUT', path: todo, body: '{}', headers: { 'If-Match': staleTag } },
    /It was written again at 20\d\d-/,
  ],
  [
    'an If-Match that is not an ETag',
    { method: 'PUT', path: todo, body: '{}', headers: { 'If-Match': 'x' } },
    /If-Match must be \*/,
  ],
  ['a body without RowKey', insert(json({ PartitionKey: 'p' })), /The body has no RowKey/],
  ['a key that is a number', insert(json({ PartitionKey: 5, RowKey: 'r' })), /PartitionKey is 5.*keys are strings/],
  ['a slash in a key', insert(entity({ RowKey: 'a/b' })), /RowKey "a\/b" holds "\/"/],
  ['an object as a value', insert(entity({ Address: { City: 'x' } })), /A value is an object/],
  ['a body that is cut off', insert('{"PartitionKey":"p",'), /JSON is malformed.*the end/],
  ['a property name with a hyphen', insert(entity({ 'my-name': 1 })), /"my-name" is not an identifier/],
  [
    'a value that does not fit its type',
    insert(entity({ Id: 'x', 'Id@odata.type': 'Edm.Guid' })),
    /"Id" is "x", which is not a valid Edm\.Guid/,
  ],
  ['a type that does not exist', insert(entity({ N: '1', 'N@odata.type': 'Edm.Decimal' })), /the type "Edm\.Decimal"/],
  ['a text beyond 64 KiB', insert(entity({ Note: 'x'.repeat(32_769) })), /"Note" has 32769 UTF-16 units; 32768/],
  [
    '253 properties',
    insert(entity(Object.fromEntries(Array.from({ length: 253 }, (_, at) => [`P${at}`, 1])))),
    /has 253 properties/,
  ],
  [
    'an entity beyond 1 MiB',
    insert(entity(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`P${at}`, 'x'.repeat(30_000)])))),
    /has 1200\d+ bytes; 1048576/,
  ],
  [
    'an entity that exists',
    insert(json({ PartitionKey: 'alice', RowKey: '1' })),
    /todos alice\/1 .*EntityAlreadyExists/,
  ],
  [
    'a date before 1601',
    insert(entity({ At: '0001-01-01T00:00:00Z', 'At@odata.type': 'Edm.DateTime' })),
    /"At" is before 1601-01-01/,
  ],
  [
    'a table name with an underscore',
    { method: 'POST', path: '/Tables', body: json({ TableName: 'my_table' }) },
    /CreateTable my_table .*"my_table" holds "_"; a name is a letter/,
  ],
  [
    'a table name of two letters',
    { method: 'POST', path: '/Tables', body: json({ TableName: 'ab' }) },
    /CreateTable ab .*"ab" has 2 characters; 3 to 63/,
  ],
  ['a table that is not there', get('/absent()'), /QueryEntities absent .*TableNotFound/],
  ['an endpoint that ends in a slash', get('//Tables'), /two slashes: an endpoint must not end in a slash/],
  ['an endpoint that ends with a table', get('/todos/Tables'), /an endpoint must not include a table/],
  ['no Accept and a new version', get('/todos()', { Accept: undefined }), /No Accept header asks for Atom/],
  ['verbose JSON', get('/todos()', { Accept: 'application/json;odata=verbose' }), /odata=verbose is not supported/],
  ['a version that does not exist', get('/Tables', { 'x-ms-version': '2018-06-28' }), /no x-ms-version "2018-06-28"/],
  ['a body without Content-Type', insert(entity({}), { 'Content-Type': undefined }), /No Content-Type means Atom/],
  ['no credentials', get('/Tables', { Authorization: undefined }), /neither an Authorization header nor sig/],
  ['a bearer token', get('/Tables', { Authorization: 'Bearer x' }), /Bearer tokens .* not accepted without --oauth/],
  ['basic credentials', get('/Tables', { Authorization: 'Basic eDp5' }), /the scheme "Basic"/],
  [
    'a signature with another key',
    get('/Tables', { Authorization: `SharedKeyLite devstoreaccount1:${Buffer.alloc(32).toString('base64')}` }),
    /another key/,
  ],
  [
    'a clock that is wrong',
    get('/Tables', { 'x-ms-date': 'Mon, 01 Jan 2024 00:00:00 GMT' }),
    /is .* old; 15 minutes are allowed/,
  ],
  [
    'a batch over two partitions',
    batchOf(insertPart({}), insertPart({ PartitionKey: 'q' })),
    /change 1: .*in the partition "q", but the first write is in "p"/,
  ],
  ['a batch that has an entity twice', batchOf(insertPart({}), insertPart({})), /row key "r" is in the batch twice/],
  [
    'a batch whose second write is refused',
    batchOf(insertPart({ RowKey: 'x', PartitionKey: 'alice' }), insertPart({ PartitionKey: 'alice', RowKey: '1' })),
    /change 1 InsertEntity: EntityAlreadyExists/,
  ],
  [
    'a batch with another boundary than its header names',
    { ...batchOf(insertPart({})), headers: { 'Content-Type': 'multipart/mixed; boundary=z' } },
    /has no line "--z"/,
  ],
  ['a query in a changeset', batchOf(part('GET', todo)), /takes writes of entities only/],
  [
    'a policy that is not XML',
    { method: 'PUT', path: '/todos?comp=acl', body: '<SignedIdentifiers>' },
    /malformed in line 1/,
  ],
];

describe('The line of', () => {
  it.each(mistakes)('%s names the cause', async (_, request, expected) => {
    await service.send(request);
    expect(await lastLine()).toMatch(expected);
    for (const columns of [60, 80, 100, 160]) {
      const lines = (await lastLine(columns)).split('\n');
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      // Nothing is left out, unless the line is thousands of characters long.
      expect(lines.map((line) => line.trim()).join(' ')).toMatch(expected);
    }
  });

  it('an unknown account names the accounts that exist', async () => {
    await service.with({ prefix: '/other', account: 'other' }).send({ method: 'GET', path: '/Tables' });
    expect(await lastLine()).toMatch(/no account "other"; there is devstoreaccount1/);
  });

  it('a path without an account says how a path must begin', async () => {
    await service.with({ prefix: '' }).send({ method: 'GET', path: '/Tables' });
    expect(await lastLine()).toMatch(/begin with an account: \/devstoreaccount1\//);
  });

  it('a token without the permission for an operation names both', async () => {
    const token = tableToken('todos', { sp: 'r' });
    await service.send({ method: 'POST', path: `/todos?${token}`, body: '{}', headers: { Authorization: undefined } });
    expect(await lastLine()).toMatch(/sp is r; this operation needs a/);
  });
});

describe('A mistake made through @azure/data-tables', () => {
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  const connection = (endpoint: string, key = developmentKey): string =>
    `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${endpoint}`;
  const base = `${emulator.url}/devstoreaccount1`;
  const todos = TableClient.fromConnectionString(connection(base), 'todos', options);

  async function refused(act: () => Promise<unknown>): Promise<string> {
    await expect(act()).rejects.toBeInstanceOf(RestError);
    return lastLine();
  }

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a stale ETag',
      () => todos.updateEntity({ partitionKey: 'alice', rowKey: '1' }, 'Replace', { etag: staleTag }),
      /It was written again at/,
    ],
    [
      'a filter without quotes',
      () => todos.listEntities({ queryOptions: { filter: 'RowKey eq dog' } }).next(),
      /'dog'/,
    ],
    ['a slash in a key', () => todos.createEntity({ partitionKey: 'a/b', rowKey: '1' }), /holds "\/"/],
    [
      'an endpoint without an account',
      () => new TableServiceClient(emulator.url, options).createTable('x123'),
      /begin with an account/,
    ],
    [
      'another key',
      () => TableServiceClient.fromConnectionString(connection(base, 'eHh4'), options).listTables().next(),
      /another key/,
    ],
  ])('%s is explained', async (_, act, expected) => {
    expect(await refused(act)).toMatch(expected);
  });
});

if (process.env['SHOW_LINES'])
  afterAll(() => console.log(records.map((record) => lineOf(record, Number(process.env['SHOW_LINES']))).join('\n')));

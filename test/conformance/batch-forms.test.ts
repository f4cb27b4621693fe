// Forms in which clients may write batches, in addition to the usual form.

import { describe, expect, it } from 'vitest';
import {
  answersIn,
  callsOn,
  changesetBody,
  commit,
  type InnerCall,
  outcomesIn,
  rowsOf,
  sendBatch,
} from '../support/batch-requests.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base, origin } = service;
let tables = 0;

/** Makes a new table, and returns requests to it as a client would put them into a batch. */
async function freshTable() {
  const table = `forms${tables++}`;
  await service.createTable(table);
  return { table, calls: callsOn(base, table) };
}

const twice = ['204 No Content', '204 No Content'];

describe('A batch may be written', () => {
  const forms: [string, (body: string) => string][] = [
    ['with LF for line ends', (body) => body.replaceAll('\r\n', '\n')],
    ['with CR for line ends', (body) => body.replaceAll('\r\n', '\r')],
    ['with delimiters directly behind its bodies', (body) => body.replaceAll('}\r\n--', '}--')],
    ['with both line ends', (body) => body.replace(/\r\n/g, (end, at: number) => (at % 2 === 0 ? end : '\n'))],
    ['with a preamble and an epilogue', (body) => `a preamble\r\n${body}an epilogue\r\n`],
    ['without the last line end', (body) => body.slice(0, -2)],
    ['without the last hyphens', (body) => body.replace('--batch_a--\r\n', '--batch_a\r\n')],
    ['without the last hyphens and line end', (body) => body.replace('--batch_a--\r\n', '--batch_a')],
    ['with blank lines before the changeset', (body) => body.replace('--changeset_b\r\n', '\r\n\r\n--changeset_b\r\n')],
    ['with blank lines before the requests', (body) => body.replaceAll('binary\r\n\r\n', 'binary\r\n\r\n\r\n')],
    ['with blank lines before the bodies', (body) => body.replaceAll('\r\n\r\n{', '\r\n\r\n\r\n\r\n{')],
    ['with an empty line after the bodies', (body) => body.replaceAll('}\r\n', '}\r\n\r\n')],
    ['with names of headers in lower case', (body) => body.replace(/^[A-Z][\w-]+:/gm, (name) => name.toLowerCase())],
    ['with names of headers in upper case', (body) => body.replace(/^[A-Z][\w-]+:/gm, (name) => name.toUpperCase())],
    ['without white space after colons', (body) => body.replace(/^([A-Z][\w-]+): /gm, '$1:')],
    ['with much white space around values', (body) => body.replace(/^([A-Z][\w-]+): (.*)\r$/gm, '$1:  \t$2  \r')],
    ['with headers that do not count', (body) => body.replaceAll(' HTTP/1.1\r\n', ` HTTP/1.1\r\n${idle}`)],
    ['with a wrong Content-Length', (body) => body.replaceAll(' HTTP/1.1\r\n', ' HTTP/1.1\r\nContent-Length: 3\r\n')],
    ['with Content-ID in its parts', (body) => body.replaceAll('binary\r\n', 'binary\r\nContent-ID: 1\r\n')],
    ['without Content-Transfer-Encoding', (body) => body.replaceAll('Content-Transfer-Encoding: binary\r\n', '')],
    ['with the version of another HTTP', (body) => body.replaceAll(' HTTP/1.1\r\n', ' HTTP/1.0\r\n')],
  ];
  const idle =
    'Host: elsewhere\r\nx-ms-date: never\r\nx-ms-version: 1999-01-01\r\nDate: never\r\nx-ms-client-request-id: one\r\n' +
    'User-Agent: none\r\nAuthorization: SharedKey wrong:wrong\r\nDataServiceVersion: 3.0;NetFx\r\nMaxDataServiceVersion: 3.0;NetFx\r\n';

  it.each(forms)('%s', async (_, written) => {
    const { table, calls } = await freshTable();
    const body = written(changesetBody([calls.insert('a', { n: 1 }), calls.put('b', { n: 2 })]));
    expect(outcomesIn(await sendBatch(service, body))).toEqual(twice);
    expect(await rowsOf(service, table)).toEqual({ a: 1, b: 2 });
  });

  it.each([
    ['in quotes', 'multipart/mixed; boundary="batch_a"'],
    ['after a charset', 'multipart/mixed; charset="utf-8"; boundary=batch_a'],
    ['before a charset', 'multipart/mixed;boundary=batch_a;charset=utf-8'],
    ['in another case', 'Multipart/Mixed; Boundary=batch_a'],
    ['spaced', 'multipart/mixed ;  boundary=batch_a '],
  ])('with its boundary %s', async (_, type) => {
    const { calls } = await freshTable();
    const answer = await sendBatch(service, changesetBody([calls.insert('a')]), { 'Content-Type': type });
    expect(outcomesIn(answer)).toEqual(['204 No Content']);
  });

  it.each(['x', "a'()+_,-./:=?b", 'batch a', '0'.repeat(70)])('with the boundary %s', async (boundary) => {
    const { calls } = await freshTable();
    const body = changesetBody([calls.insert('a')]).replaceAll('batch_a', boundary);
    const answer = await sendBatch(service, body, { 'Content-Type': `multipart/mixed; boundary="${boundary}"` });
    expect(outcomesIn(answer)).toEqual(['204 No Content']);
  });
});

describe('A request in a batch may be addressed', () => {
  type Forms = [string, (url: string) => string];
  const targets: Forms[] = [
    ['from the root of the host', (url) => url.slice(origin.length)],
    ['from the root of the service', (url) => url.slice(base.length)],
    ['by https', (url) => url.replace('http:', 'https:')],
    ['at another host and port', (url) => url.replace(origin, 'http://elsewhere.example:1')],
    ['with spaces between its keys', (url) => url.replace(',RowKey', ', RowKey')],
    ['with spaces all about', (url) => url.replace('(', '( ').replace("',RowKey=", "' , RowKey = ")],
    ['with parentheses encoded', (url) => url.replace('(', '%28').replace(')', '%29')],
    ['with quotes encoded', (url) => url.replaceAll("'", '%27')],
    ['with its keys in the other order', (url) => url.replace(/\((.*),(.*)\)/, '($2,$1)')],
    ['with a format', (url) => `${url}?$format=application/json;odata=nometadata`],
    ['with an unknown option', (url) => `${url}?unknown=1`],
  ];

  it.each(targets)('%s', async (_, written) => {
    const { table, calls } = await freshTable();
    await service.insert(table, { RowKey: 'old' });
    const answered = await commit(
      service,
      [calls.put('a', { n: 1 }), calls.insert('b'), calls.remove('old')].map((call) => ({
        ...call,
        url: written(call.url),
      })),
    );
    expect(answered.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await rowsOf(service, table)).toEqual({ a: 1, b: null });
  });

  it.each(["it''s", '%25', '%2B', 'a%20b', 'a b', '%C3%A9', '\u00e9', ',RowKey=', '(x)', ''])(
    'by the key %j',
    async (rowKey) => {
      const { table, calls } = await freshTable();
      expect((await commit(service, [calls.put(rowKey, { n: 1 })])).map(({ status }) => status)).toEqual([204]);
      const key = decodeURIComponent(rowKey).replaceAll("''", "'");
      expect(await rowsOf(service, table)).toEqual({ [key]: 1 });
    },
  );
});

describe('JSON in a batch may be', () => {
  it.each([
    ['printed over several lines', (json: unknown) => JSON.stringify(json, null, 2)],
    ['printed with CRLF', (json: unknown) => JSON.stringify(json, null, '\t').replaceAll('\n', '\r\n')],
    ['surrounded by blank lines', (json: unknown) => `\r\n\r\n${JSON.stringify(json)}\r\n\r\n`],
  ])('%s', async (_, print) => {
    const { table, calls } = await freshTable();
    const json = { PartitionKey: 'p', RowKey: 'a', n: 1, text: 'line {one}\r\n--changeset_b\r\n' };
    const answers = await commit(service, [{ ...calls.insert('a'), body: print(json) }]);
    expect(answers.map(({ status }) => status)).toEqual([204]);
    const { body } = await service.get(entityPath(table, 'p', 'a'), { Accept: 'application/json;odata=nometadata' });
    expect(JSON.parse(body)).toMatchObject(json);
  });

  it('of every type, and is returned as outside a batch', async () => {
    const { table, calls } = await freshTable();
    const members =
      '"s":"\u00e9\u{1f600}","b":true,"i":5,"d":1.5,"l@odata.type":"Edm.Int64","l":"9007199254740993",' +
      '"t@odata.type":"Edm.DateTime","t":"2024-05-01T10:00:00.1234567Z","g@odata.type":"Edm.Guid",' +
      '"g":"0f8fad5b-d9cb-469f-a165-70867728950e","y@odata.type":"Edm.Binary","y":"AQIDBA=="';
    const entity = (rowKey: string): string => `{"PartitionKey":"p","RowKey":"${rowKey}",${members}}`;
    await service.insert(table, entity('outside'));
    const [inner] = await commit(service, [{ ...calls.insert('a', {}, {}), body: entity('inside') }]);
    const custom = async (rowKey: string): Promise<string> =>
      (await service.get(entityPath(table, 'p', rowKey))).body.replace(/^.*"Timestamp":"[^"]+"/, '');
    expect(await custom('inside')).toBe(await custom('outside'));
    expect(inner?.body.replace(/^.*"Timestamp":"[^"]+"/, '')).toBe(await custom('outside'));
  });
});

describe('A batch in host style', () => {
  it('gets addresses with that host', async () => {
    const { table } = await freshTable();
    const host = `devstoreaccount1.table.localhost:${new URL(origin).port}`;
    const client = service.with({ prefix: '' });
    const call: InnerCall = callsOn(`http://${host}`, table).insert('a', { n: 1 });
    const answer = await sendBatch(client, changesetBody([call]), { Host: host });
    expect(answersIn(answer).map((inner) => [inner.status, inner.header('Location')])).toEqual([
      [204, `http://${host}/${table}(PartitionKey='p',RowKey='a')`],
    ]);
    expect(await rowsOf(service, table)).toEqual({ a: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import {
  expectRefusal,
  expectTrailer,
  headerNames,
  jsonError,
  querySyntax,
  refusal,
} from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { sendRaw, signedHead } from '../support/raw-socket.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const { origin, base } = service;
const { port } = new URL(origin);
await service.createTable('pets');
await service.insert('pets', { n: 1 });

/** The start of addresses in responses, taken from the Location of an insert. */
function baseIn(answer: WireAnswer): string {
  expect(answer.status, answer.body).toBe(201);
  return (answer.header('Location') ?? '').replace(/\/pets\(.*$/, '');
}

let rows = 0;
const entity = (): string => JSON.stringify({ PartitionKey: 'address', RowKey: `r${rows++}` });

describe('Path style', () => {
  it('names the account in the path, and repeats the Host of the request in its links', async () => {
    const answer = await service.send({ method: 'POST', path: '/pets', body: entity() });
    expect(baseIn(answer)).toBe(base);
    for (const host of [`localhost:${port}`, 'tables.example.test', `127.0.0.1:${port}`]) {
      const other = await service.send({ method: 'POST', path: '/pets', headers: { Host: host }, body: entity() });
      expect(baseIn(other)).toBe(`http://${host}/devstoreaccount1`);
    }
  });

  it('to the secondary reads the data of the primary, and uses the address of the secondary in links', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const answer = await secondary.send({ method: 'GET', path: entityPath('pets') });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain(`"odata.metadata":"${origin}/devstoreaccount1-secondary/$metadata#pets/@Element"`);
  });

  it.each([
    ['POST', '/pets', '{}'],
    ['POST', '/Tables', '{"TableName":"second"}'],
    ['PUT', entityPath('pets'), '{}'],
    ['MERGE', entityPath('pets'), '{}'],
    ['DELETE', entityPath('pets'), undefined],
    ['DELETE', "/Tables('pets')", undefined],
  ])('to the secondary refuses to write, %s %s: 403', async (method, path, body) => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const answer = await secondary.send({ method, path, headers: { 'If-Match': '*' }, body });
    expect([answer.status, answer.body]).toEqual([
      403,
      expect.stringContaining(
        '"code":"InsufficientAccountPermissions","message":{"lang":"en-US","value":"Write operations are not allowed.',
      ),
    ]);
    expect((await service.get(entityPath('pets'))).status).toBe(200);
  });
});

describe('Host style', () => {
  it.each(['devstoreaccount1.table.core.windows.net', `devstoreaccount1.table.localhost:${port}`])(
    'names the account in the Host header, %s',
    async (host) => {
      const byHost = service.with({ prefix: '' });
      const headers = { Host: host };
      const read = await byHost.send({ method: 'GET', path: entityPath('pets'), headers });
      expect(read.body).toContain(`"odata.metadata":"http://${host}/$metadata#pets/@Element"`);
      const answer = await byHost.send({ method: 'POST', path: '/pets', headers, body: entity() });
      expect(baseIn(answer)).toBe(`http://${host}`);
      expect((await byHost.send({ method: 'GET', path: '/Tables', headers })).status).toBe(200);
    },
  );

  it('to the secondary reads, and refuses to write', async () => {
    const byHost = service.with({ prefix: '' });
    const headers = { Host: 'devstoreaccount1-secondary.table.core.windows.net' };
    const read = await byHost.send({ method: 'GET', path: entityPath('pets'), headers });
    expect(read.body).toContain(
      '"odata.metadata":"http://devstoreaccount1-secondary.table.core.windows.net/$metadata#pets/@Element"',
    );
    expect((await byHost.send({ method: 'POST', path: '/pets', headers, body: entity() })).status).toBe(403);
  });
});

// Some clients have an endpoint that wrongly ends with a table name. Evidence: recorded (net-tables,
// ThrowsWithTableNameInUri; azure-sdk-for-java for the insert); sdk (azure-sdk-for-python,
// test_client_with_url_ends_with_table_name).
describe('An address with a second segment below a table', () => {
  const countMessage =
    "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.pets'.";

  it('is refused by its verb unless it is an insert', async () => {
    const post = await service.send({ method: 'POST', path: '/pets/Tables', body: '{"TableName":"pets"}' });
    expectRefusal(post, refusal('PropertiesNeedValue'));
    expectRefusal(await service.get('/pets/Tables'), refusal('NotImplemented'));
    const remove = await service.send({ method: 'DELETE', path: "/pets/Tables('pets')" });
    expectRefusal(remove, refusal('InvalidInput', { message: countMessage, stage: 'reading' }));
  });

  it.each([
    ['POST', '/missing/Tables', '{"TableName":"pets"}'],
    ['POST', '/missing/missing', '{"PartitionKey":"p","RowKey":"r"}'],
    ['GET', '/missing/Tables', undefined],
    ['DELETE', "/missing/Tables('pets')", undefined],
  ])('below a missing table is 404 TableNotFound: %s %s', async (method, path, body) => {
    expectRefusal(await service.send({ method, path, body }), refusal('TableNotFound'));
  });

  it.each(['/pets/pets', '/pets/anything'])('inserts an entity into the table: POST %s', async (path) => {
    const [, , segment] = path.split('/');
    const body = JSON.stringify({ PartitionKey: 'below', RowKey: segment });
    const answer = await service.send({ method: 'POST', path, headers: { Prefer: 'return-no-content' }, body });
    expect(answer.status, answer.body).toBe(204);
    const location = `${base}/pets(PartitionKey='below',RowKey='${segment}')`;
    expect([answer.header('Location'), answer.header('DataServiceId')]).toEqual([location, location]);
    expect((await service.get(entityPath('pets', 'below', segment))).status).toBe(200);
  });

  it('does not address a batch: POST /pets/$batch answers 415 MediaTypeNotSupported', async () => {
    const headers = { 'Content-Type': 'multipart/mixed; boundary=batch_a' };
    const answer = await service.send({ method: 'POST', path: '/pets/$batch', headers, body: '--batch_a--' });
    expectRefusal(answer, refusal('MediaTypeNotSupported'));
  });

  it('has no service operations: their options are 400 InvalidQueryParameterValue', async () => {
    for (const table of ['pets', 'missing']) {
      for (const method of ['GET', 'PUT']) {
        const path = `/${table}/?restype=service&comp=properties`;
        const answer = await service.send({ method, path, ...(method === 'PUT' ? { body: '<a/>' } : {}) });
        expect([answer.status, answer.header('x-ms-error-code')]).toEqual([400, 'InvalidQueryParameterValue']);
        expect(answer.body).toContain('Value for one of the query parameters specified in the request URI is invalid.');
      }
    }
  });
});

describe('An address without an operation', () => {
  it.each(['/%28retry%29', '/(retry)', '/not_a_table', '/1table()', '/pets-/x', `${entityPath('pets')}/`, '//Tables'])(
    '%s answers 404 ResourceNotFound, with Content-Length and without the headers of the table service',
    async (path) => {
      const answer = await service.send({ method: 'DELETE', path });
      expect([answer.status, answer.reason]).toEqual([404, 'Not Found']);
      const trailed = expectTrailer(answer, 'The specified resource does not exist.');
      expect(answer.body).toBe(jsonError('ResourceNotFound', trailed));
      expect(headerNames(answer)).toEqual([
        'content-length',
        'content-type',
        'date',
        'server',
        'x-ms-request-id',
        'x-ms-version',
      ]);
      expect(answer.header('Content-Type')).toBe('application/json');
      expect(answer.header('Content-Length')).toBe(String(answer.body.length));
      expect(answer.header('Server')).toBe('Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0');
    },
  );

  it.each([
    ['PUT', '/Tables'],
    ['MERGE', '/Tables'],
    ['POST', "/Tables('pets')"],
    ['PUT', "/Tables('pets')"],
    ['GET', '/$batch'],
    ['POST', '/'],
    ['TRACE', '/Tables'],
  ])('with that verb, %s %s, answers 405 MethodNotAllowed', async (method, path) => {
    expectRefusal(await service.send({ method, path }), refusal('MethodNotAllowed'));
  });

  it.each(['/pets%', '/%zzpets', "/pets(PartitionKey='%C3',RowKey='r')"])(
    'with a malformed percent escape, %s, answers 400',
    async (path) => {
      expectRefusal(await service.get(path), querySyntax);
    },
  );

  it('with a malformed percent escape in a query option answers 400', async () => {
    for (const query of ['$top=%', '%zz=1', '$select=%C3'])
      expectRefusal(await service.get(`/pets()?${query}`), querySyntax);
  });

  it('without an account answers 400 InvalidUri', async () => {
    const answer = await service.with({ prefix: '' }).send({ method: 'GET', path: '/' });
    expect([answer.status, answer.header('x-ms-error-code'), answer.reason]).toEqual([
      400,
      'InvalidUri',
      'The requested URI does not represent any resource on the server.',
    ]);
  });

  it('with an unknown comp answers 400 InvalidQueryParameterValue', async () => {
    const answer = await service.get('/pets?comp=nonsense');
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"InvalidQueryParameterValue"')]);
  });
});

describe('Other forms of an address', () => {
  it.each([
    '/Tables/',
    '/Tables()',
    '/Tables?',
    '/Tables?&&',
    '/%54ables',
    '/Tables%28%29',
    '/Tables?timeout=30',
    '/Tables?timeout=5000',
  ])('name the set of tables: %s', async (path) => {
    expect((await service.get(path, accepting('nometadata'))).body).toBe('{"value":[{"TableName":"pets"}]}');
  });

  it.each(['/pets', '/pets()', '/pets/', '/pets%28%29', '/PETS', '/pets(%20)'])(
    'name the set of entities: %s',
    async (path) => {
      const { body } = await service.get(`${path}?$select=n&$top=1000`, accepting('nometadata'));
      expect(body).toContain('{"n":1}');
    },
  );

  it('encode the dollar sign of a query option, and spaces as plus', async () => {
    const { body } = await service.get(`${entityPath('pets')}?%24select=n,+RowKey`, accepting('nometadata'));
    expect(body).toBe('{"RowKey":"r","n":1}');
  });
});

describe('The request line', () => {
  const rawGet = (target: string, host: string | undefined): Promise<string> =>
    sendRaw(origin, signedHead({ method: 'GET', target, headers: host === undefined ? {} : { Host: host } }));

  it('may hold an absolute address', async () => {
    const text = await rawGet(`${base}/pets(PartitionKey='p',RowKey='r')?$select=n`, new URL(origin).host);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('{"n":1}');
  });

  it('without a Host header answers 400 HostInformationNotPresent', async () => {
    const text = await rawGet('/devstoreaccount1/Tables', undefined);
    expect(text).toMatch(/^HTTP\/1\.1 400 The required host information is not present in the request\. /);
    expect(text).toContain('"code":"HostInformationNotPresent"');
  });

  it.each([
    ['a control character in the address', 'GET /devstoreaccount1/\u0001 HTTP/1.1\r\nHost: x\r\n\r\n', 'Invalid URL'],
    ['an invalid verb', 'G(T / HTTP/1.1\r\nHost: x\r\n\r\n', 'Invalid Verb'],
    ['malformed HTTP', '\r\n\r\nhello\r\n\r\n', 'Bad Request'],
  ])('with %s gets an HTML page, and the connection is closed', async (_, text, heading) => {
    const answer = await sendRaw(origin, text);
    const [head = '', page = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('Content-Type: text/html; charset=us-ascii');
    expect(head).toContain('Connection: close');
    expect(head).not.toContain('x-ms-');
    expect(page).toContain(heading);
  });

  it('leaves the connection usable after a request was refused before its body was read', async () => {
    for (let round = 0; round < 8; round++) {
      const headers = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' };
      const refused = await service.send({ method: 'POST', path: '/pets', headers, body: 'x'.repeat(100_000) });
      expect(refused.status).toBe(403);
      expect((await service.get(entityPath('pets'))).status).toBe(200);
    }
  });
});

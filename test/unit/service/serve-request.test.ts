import { validateHeaderName, validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/model/request-record.ts';
import { startRecord } from '../../../src/service/fill-record.ts';
import { type HttpRequest, type HttpResponse, responseOf } from '../../../src/service/http-message.ts';
import { serveRequest } from '../../../src/service/serve-request.ts';
import { tableService } from '../../support/table-service.ts';

const internalErrors: unknown[] = [];
// This service accepts every caller, so that requests get as far as possible.
const service = await tableService({
  explainsRefusals: true,
  onInternalError: (error) => void internalErrors.push(error),
});
afterAll(() => service.store.close());

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function answer({ method, url, body, headers }: Request): Promise<{ sent: HttpResponse; record: RequestRecord }> {
  const request: HttpRequest = {
    method,
    url,
    headers,
    isSecure: false,
    remoteAddress: '127.0.0.1',
    connection: 1,
    connectionsOpen: 1,
    readBody: () => Promise.resolve(Buffer.from(body)),
    discardBody: () => undefined,
    isAbandoned: () => false,
    whenOver: () => () => undefined,
  };
  const record = startRecord(request, service);
  service.inFlight.enter();
  const sent = responseOf(await serveRequest(request, record, service));
  service.inFlight.leave();
  if (!sent) throw new Error('no response');
  return { sent, record };
}

const words = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'nonsense',
  '',
  ' ',
  ',',
  ';',
  '=',
  '*',
  '"',
  "'",
  '%',
  '\u00ff',
];
const word = (...usual: string[]): fc.Arbitrary<string> => fc.constantFrom(...usual, ...words);
const key = fc.constantFrom('p', 'p', 'p', "it''s", '%C3%A9', '%27', '%2F', '%23', '%', 'k'.repeat(1025));
const entityUrl = fc.tuple(key, key).map(([a, b]) => `/acct/pets(PartitionKey='${a}',RowKey='${b}')`);
const headers = {
  host: '127.0.0.1:1',
  accept: 'application/json',
  'content-type': 'application/json',
  'x-ms-version': '2019-02-02',
};

const type = word('Edm.Int64', 'Edm.DateTime', 'Edm.Double', 'Edm.Guid', 'Edm.Binary', 'Edm.String');
const json = fc.constantFrom(
  '1',
  '"5"',
  'null',
  '1e999',
  '"9999-12-31T23:59:59-01:00"',
  '"0001-01-01T00:00:00"',
  '"NaN"',
  '"\\ud800"',
  '{}',
  'true',
  '"AQI="',
);
const member = fc.oneof(
  fc
    .tuple(word('a', 'b', 'RowKey', 'odata.etag', 'Timestamp'), json)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`),
  fc
    .tuple(word('a', 'b'), type, json)
    .map(
      ([name, ofType, value]) =>
        `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(ofType)},${JSON.stringify(name)}:${value}`,
    ),
);
const members = fc.array(member, { maxLength: 2 });
const bodyOf = (...first: string[]) => members.map((rest) => `{${[...first, ...rest].join(',')}}`);

/** Requests that are mostly meaningful. */
const sensible: fc.Arbitrary<Request> = fc.oneof(
  fc.record({
    method: fc.constant('POST'),
    url: fc.constant('/acct/Tables'),
    body: bodyOf('"TableName":"other"'),
    headers: fc.constant(headers),
  }),
  fc.record({
    method: fc.constant('DELETE'),
    url: fc.constant("/acct/Tables('other')"),
    body: fc.constant(''),
    headers: fc.constant(headers),
  }),
  fc.record({
    method: fc.constant('GET'),
    url: fc.constantFrom('/acct/Tables', "/acct/Tables('pets')", '/acct/pets()'),
    body: fc.constant(''),
    headers: fc.constant(headers),
  }),
  fc.record({
    method: fc.constant('POST'),
    url: fc.constant('/acct/pets'),
    body: bodyOf('"PartitionKey":"p","RowKey":"p"'),
    headers: fc.constant(headers),
  }),
  fc.record({
    method: fc.constantFrom('PUT', 'MERGE', 'PATCH'),
    url: entityUrl,
    body: bodyOf(),
    headers: fc.constantFrom(headers, { ...headers, 'if-match': '*' }),
  }),
  fc.record({
    method: fc.constantFrom('GET', 'DELETE'),
    url: entityUrl,
    body: fc.constant(''),
    headers: fc.constant({ ...headers, 'if-match': '*' }),
  }),
);

const list = (separator: string, part: fc.Arbitrary<string>) =>
  fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(separator));
const media = list(
  ',',
  list(
    ';',
    word(
      'application/json',
      'odata=nometadata',
      'odata=constructor',
      'odata=__proto__',
      '*/*',
      'application/atom+xml',
      'q=0.5',
    ),
  ),
);
const header = fc.oneof(
  fc.tuple(fc.constantFrom('accept', 'content-type'), media),
  fc.tuple(
    fc.constant('if-match'),
    word('W/"x"', `W/"datetime'2020-01-01T00%3A00%3A00Z'"`, `W/"datetime'9999-12-31T23%3A59%3A59-23%3A59'"`),
  ),
  fc.tuple(fc.constant('x-http-method'), word('MERGE', 'DELETE')),
  fc.tuple(fc.constant('prefer'), word('return-content', 'return-no-content')),
  fc.tuple(fc.constant('x-ms-version'), word('2015-07-08', '2012-02-12', '2018-06-28', '2099-01-01')),
  fc.tuple(fc.constantFrom('host', 'if-none-match', 'x-ms-client-request-id'), word('acct.table.test')),
);
const option = fc.tuple(
  word(
    '$top',
    '$select',
    '$filter',
    '$format',
    '%24format',
    'comp',
    'restype',
    'NextPartitionKey',
    'NextRowKey',
    'NextTableName',
    '$orderby',
    '$skip',
  ),
  word('1', '0', '-1', 'a,b', 'json', 'application/json;odata=constructor', 'acl', '1!4!YQ--', '1!0!', '%zz'),
);

/** Changes that make a request unusual or wrong. */
const distortion: fc.Arbitrary<(request: Request) => Request> = fc.oneof(
  header.map(([name, value]) => (request: Request) => ({ ...request, headers: { ...request.headers, [name]: value } })),
  option.map(([name, value]) => (request: Request) => ({
    ...request,
    url: `${request.url}${request.url.includes('?') ? '&' : '?'}${name}=${value}`,
  })),
  fc
    .constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS', 'TRACE')
    .map((method) => (request: Request) => ({ ...request, method })),
  fc
    .nat()
    .map((at) => (request: Request) => ({ ...request, body: request.body.slice(0, at % (request.body.length + 1)) })),
  fc
    .tuple(fc.nat(), fc.constantFrom('', '/', '(', ')', "'", '%', '%00', '-secondary'))
    .map(([at, text]) => (request: Request) => {
      const place = 1 + (at % request.url.length);
      return { ...request, url: request.url.slice(0, place) + text + request.url.slice(place) };
    }),
);
const requests = fc
  .tuple(sensible, fc.array(distortion, { maxLength: 3 }))
  .map(([request, distortions]) => distortions.reduce((one, distort) => distort(one), request));

/** Few of the requests at random get the status 501. */
const notImplemented: Request = { method: 'GET', url: '/acct/pets?$skip=1', body: '', headers };

/**
 * Whether the response to a filtered query of the list of tables is 500. The service itself gives this response only if
 * the filter names a property other than TableName. Evidence: recorded.
 */
function isOfFilterOverTables({ operation, refusal }: RequestRecord, { url }: Request): boolean {
  return operation === 'QueryTables' && refusal?.code === 'InternalError' && /[?&](?:\$|%24)filter=/i.test(url);
}

describe('Any request', () => {
  it('gets a valid response, and causes no internal error', async () => {
    await answer({ method: 'POST', url: '/acct/Tables', body: '{"TableName":"pets"}', headers });
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        internalErrors.length = 0;
        const { sent, record } = await answer(request);
        expect(internalErrors).toEqual([]);
        if (!isOfFilterOverTables(record, request)) expect(sent.status).not.toBe(500);
        statuses.add(sent.status);
        for (const [name, value] of sent.headers) {
          validateHeaderName(name);
          validateHeaderValue(name, value);
        }
        if (sent.reason !== undefined) validateHeaderValue('reason', sent.reason);
      }),
      { numRuns: 3000, examples: [[notImplemented]] },
    );
    // This shows that not all requests were refused early.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404, 405, 409, 415, 501]));
  });
});

// Tests the witness of the conformance tests. The witness must accept responses that match the description. It must
// fail if the response or the description contains a single error.

import { describe, expect, it } from 'vitest';
import { type OpenApi, readDescription } from '../../support/witness/description.ts';
import { Witness, type WitnessedAnswer, type WitnessedRequest } from '../../support/witness/witness.ts';

interface Exchange {
  readonly request: WitnessedRequest;
  readonly answer: WitnessedAnswer;
}

const always = {
  'x-ms-request-id': '7c1e5a90-3002-0042-11aa-9b6f2c000000',
  Server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
  Date: 'Wed, 01 May 2024 10:00:02 GMT',
};
const usual = {
  ...always,
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'x-ms-version': '2019-02-02',
};
const minimal = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const message = { lang: 'en-US', value: 'The specified entity already exists.\nRequestId:…\nTime:…' };
const existing = JSON.stringify({ 'odata.error': { code: 'EntityAlreadyExists', message } });
const ofService = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

function answer(status: number, headers: Record<string, string>, body = ''): WitnessedAnswer {
  return { status, headers: Object.entries(headers), body };
}

const tables: Exchange = {
  request: { method: 'GET', path: '/Tables?$top=1' },
  answer: answer(
    200,
    { ...usual, 'Content-Type': 'application/json;odata=nometadata;streaming=true;charset=utf-8' },
    '{"value":[{"TableName":"pets"}]}',
  ),
};
const refused: Exchange = {
  request: { method: 'POST', path: '/pets' },
  answer: answer(409, { ...usual, 'Content-Type': minimal, 'Preference-Applied': 'return-content' }, existing),
};
const removed: Exchange = {
  request: { method: 'DELETE', path: "/pets(RowKey='it''s',PartitionKey='a%2Fb')" },
  answer: answer(204, { ...usual, 'Content-Length': '0' }),
};
const policies: Exchange = {
  request: { method: 'GET', path: '/pets?comp=acl' },
  answer: answer(
    200,
    { ...always, 'Content-Type': 'application/xml' },
    `${ofService}<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>`,
  ),
};
const nowhere: Exchange = {
  request: { method: 'GET', path: '/pets/a/b/c' },
  answer: answer(
    404,
    { ...always, 'Content-Type': 'application/json' },
    existing.replace('EntityAlreadyExists', 'ResourceNotFound'),
  ),
};
const batch: Exchange = {
  request: { method: 'POST', path: '/$batch', body: '--a\r\n\r\nPOST http://host/pets HTTP/1.1\r\n\r\n{}\r\n--a--' },
  answer: answer(
    202,
    { ...usual, 'Content-Type': 'multipart/mixed; boundary=b' },
    `--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-ID: 1\r\nDataServiceVersion: 3.0;\r\nContent-Type: ${minimal}\r\n\r\n${existing}\r\n--b--\r\n`,
  ),
};
const exchanges: Readonly<Record<string, Exchange>> = { tables, refused, removed, policies, nowhere, batch };

const api = readDescription('table-service');

function see({ request, answer }: Exchange, description: OpenApi = api): void {
  new Witness(description).see(request, answer);
}

type Node = Record<string, unknown>;

/** A copy of the description in which the member at the end of a path is changed or removed. */
function mutated(path: readonly string[], value?: unknown): OpenApi {
  const copy = structuredClone(api) as unknown as Node;
  const parent = path.slice(0, -1).reduce((node, step) => node[step] as Node, copy);
  const last = path.at(-1) ?? '';
  expect(Object.keys(parent)).toContain(last);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy as unknown as OpenApi;
}

const entity = "/{tableName}(PartitionKey='{partitionKey}',RowKey='{rowKey}')";
const insertRefusal = ['components', 'responses', 'EntityExists'];

describe('The witness', () => {
  it.each(Object.keys(exchanges))('accepts what is described: %s', (name) => {
    expect(() => see(exchanges[name]!)).not.toThrow();
  });

  it.each<[string, Exchange, OpenApi, RegExp]>([
    ['an operation', tables, mutated(['paths', '/Tables', 'get']), /status 200 is not described/],
    ['an operation of a batch', batch, mutated(['paths', '/{tableName}', 'post']), /part 0 .* status 409/],
    ['a whole address', removed, mutated(['paths', entity]), /status 204 is not described/],
    ['a status', removed, mutated(['paths', entity, 'delete', 'responses', '204']), /status 204 is not described/],
    [
      'a header of a success',
      tables,
      mutated(['paths', '/Tables', 'get', 'responses', '200', 'headers', 'Cache-Control']),
      /the header Cache-Control is not described/,
    ],
    [
      'a header of a refusal',
      refused,
      mutated([...insertRefusal, 'headers', 'Preference-Applied']),
      /the header Preference-Applied is not described/,
    ],
    [
      'a header of a part',
      batch,
      mutated(['paths', '/$batch', 'post', 'responses', '202', 'x-part-headers', 'Content-ID']),
      /part 0 .*the header Content-ID is not described/,
    ],
    [
      'a content type',
      tables,
      mutated(['paths', '/Tables', 'get', 'responses', '200', 'content', 'application/json;odata=nometadata']),
      /the content type application\/json;odata=nometadata;.* is not described/,
    ],
    ['what answers no operation', nowhere, mutated(['x-unrouted', 'responses', '404']), /status 404 is not described/],
  ])('reports if the description lacks %s', (_, exchange, description, fault) => {
    expect(() => see(exchange, description)).toThrow(fault);
  });

  it.each<[string, Exchange, OpenApi, RegExp]>([
    [
      'another type in a schema of JSON',
      tables,
      mutated(['components', 'schemas', 'TableName', 'type'], 'integer'),
      /the body \/value\/0\/TableName must be integer/,
    ],
    [
      'another type in a schema of XML',
      policies,
      mutated(['components', 'schemas', 'SignedIdentifiers', 'items', 'properties', 'Id', 'type'], 'object'),
      /the body \/0\/Id must be object/,
    ],
    [
      'another form of a header',
      tables,
      mutated(['components', 'headers', 'RequestId', 'schema'], { type: 'integer' }),
      /the header x-ms-request-id is 7c1e5a90-.*must be integer/,
    ],
    [
      'an additional required header',
      removed,
      mutated(['components', 'headers', 'ClientRequestId'], { required: true, schema: { type: 'string' } }),
      /the header x-ms-client-request-id is missing/,
    ],
    [
      'other error codes',
      refused,
      mutated([...insertRefusal, 'x-error-codes'], ['TableNotFound']),
      /is not among Table/,
    ],
  ])('reports if the description has %s', (_, exchange, description, fault) => {
    expect(() => see(exchange, description)).toThrow(fault);
  });

  it.each<[string, WitnessedAnswer, RegExp]>([
    ['a header that is not described', answer(204, { ...usual, 'X-Powered-By': 'x' }), /X-Powered-By is not described/],
    ['a header missing', answer(204, always), /the header X-Content-Type-Options is missing/],
    ['a body although none is described', answer(204, usual, 'x'), /a body without a Content-Type/],
    ['a status that is not described', answer(200, usual), /status 200 is not described/],
  ])('reports a response with %s', (_, given, fault) => {
    expect(() => see({ ...removed, answer: given })).toThrow(fault);
  });

  it('reports a body that does not match its content type', () => {
    const broken = { ...tables.answer, body: '{"value":' };
    expect(() => see({ ...tables, answer: broken })).toThrow(/the body cannot be read/);
  });
});

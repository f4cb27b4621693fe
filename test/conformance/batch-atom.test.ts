// Batches with requests in Atom, or in Atom and JSON.

import { describe, expect, it } from 'vitest';
import {
  answerNamespaces,
  atomHeaders,
  declaration,
  entryOf,
  entryType,
  keysOf,
  propertiesIn,
} from '../support/atom-requests.ts';
import {
  answersIn,
  batchBody,
  callsOn,
  changesetBody,
  codeOf,
  commit,
  type InnerCall,
  requestPart,
  rowsOf,
  sendBatch,
  singleIn,
} from '../support/batch-requests.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
const pets = callsOn(base, 'pets');

const { 'x-ms-version': _, ...inner } = atomHeaders;
const outer = { 'x-ms-version': '2015-07-08', Accept: 'application/atom+xml,application/xml' };
const insert = (rowKey: string, custom = '', headers: Record<string, string> = {}): InnerCall => ({
  method: 'POST',
  url: `${base}/pets`,
  headers: { ...inner, ...headers },
  body: entryOf(keysOf(rowKey) + custom),
});
const n = (value: number): string => `<d:n m:type="Edm.Int32">${value}</d:n>`;

describe('A batch in Atom', () => {
  it('answers an insert with the complete entry', async () => {
    const [answer] = await commit(service, [insert('echo', n(1), { 'Content-ID': '1' })], outer);
    const { header } = await service.get(entityPath('pets', 'p', 'echo'));
    expect(answer?.statusLine).toBe('HTTP/1.1 201 Created');
    expect(answer?.fields.map((field) => field.split(': ', 1)[0])).toEqual([
      'DataServiceVersion',
      'Content-Type',
      'Content-ID',
      'X-Content-Type-Options',
      'Cache-Control',
      'Location',
      'ETag',
    ]);
    expect([answer?.header('Content-Type'), answer?.header('ETag')]).toEqual([entryType, header('ETag')]);
    expect(
      answer?.body.startsWith(`${declaration}<entry xml:base="${base}/" ${answerNamespaces} m:etag="W/&quot;`),
    ).toBe(true);
    expect(propertiesIn({ body: answer?.body ?? '' })).toEqual([keysOf('echo') + n(1)]);
  });

  it('carries out every operation', async () => {
    for (const RowKey of ['old', 'gone', 'half']) await service.insert('pets', { RowKey, n: 0 });
    const write = (method: string, rowKey: string, headers: Record<string, string> = {}): InnerCall => ({
      method,
      url: pets.keyed('p', rowKey),
      headers: { ...inner, ...headers },
      body: entryOf(n(5)),
    });
    const answers = await commit(
      service,
      [
        insert('new', n(5), { Prefer: 'return-no-content' }),
        write('PUT', 'old', { 'If-Match': '*' }),
        write('MERGE', 'half', { 'If-Match': '*' }),
        write('PUT', 'upserted'),
        { ...pets.remove('gone'), headers: { Accept: 'application/atom+xml', 'If-Match': '*' } },
      ],
      outer,
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(await rowsOf(service, 'pets')).toEqual({ echo: 1, half: 5, new: 5, old: 5, upserted: 5 });
  });

  it('answers a failure in XML, with the index', async () => {
    const [answer, ...rest] = await commit(service, [insert('free'), insert('echo', '', { 'Content-ID': '2' })], outer);
    expect(rest).toEqual([]);
    expect([answer?.status, answer?.fields[0]]).toEqual([409, 'Content-ID: 2']);
    expect(answer?.header('Content-Type')).toBe('application/xml;charset=utf-8');
    expect(answer?.body).toContain(
      '<code>EntityAlreadyExists</code><message xml:lang="en-US">1:The specified entity already exists.\nRequestId:',
    );
    expect(Object.keys(await rowsOf(service, 'pets'))).not.toContain('free');
  });

  // Evidence: recorded (py-storage, three refused batches of 2015).
  it.each([
    ['2014-02-14', 'Content-ID: 2'],
    ['2015-02-21', 'Content-ID: 1'],
  ])('at %s answers a failure of the first of two with %s', async (version, contentId) => {
    const missing = { ...pets.remove('missing'), headers: { ...inner, 'If-Match': '*', 'Content-ID': '1' } };
    const last = insert('after', '', { 'Content-ID': '2' });
    const answers = await commit(service, [missing, last], { ...outer, 'x-ms-version': version });
    expect(answers.map((answer) => [answer.status, codeOf(answer), answer.fields[0]])).toEqual([
      [404, 'ResourceNotFound', contentId],
    ]);
  });

  it('in JSON answers a failure with the Content-ID of its own request', async () => {
    const calls = [pets.remove('missing', '*', { 'Content-ID': '1' }), pets.insert('after', {}, { 'Content-ID': '2' })];
    const [answer] = await commit(service, calls, { ...outer, 'x-ms-version': '2014-02-14' });
    expect([answer?.status, answer?.fields[0]]).toEqual([404, 'Content-ID: 1']);
  });

  // Evidence: recorded (py-storage, test_batch_insert).
  it('declares the georss and gml namespaces by the data service version of the batch', async () => {
    for (const [number, isDeclared] of [
      ['2.0;NetFx', false],
      ['3.0;NetFx', true],
    ] as const) {
      const headers = { ...outer, DataServiceVersion: number, MaxDataServiceVersion: number };
      const [answer] = await commit(service, [insert(`geo-${number.slice(0, 1)}`)], headers);
      expect([answer?.status, answer?.body.includes('xmlns:georss')]).toEqual([201, isDeclared]);
    }
  });

  it('answers Atom if there is no Accept, depending on the version', async () => {
    const plain = (rowKey: string): string => {
      const part = requestPart(insert(rowKey)).replace(/Accept: .*\r\n/, '');
      return changesetBody([]).replace('--changeset_b--', `--changeset_b\r\n${part}--changeset_b--`);
    };
    const [answer] = answersIn(await sendBatch(service, plain('accepting'), outer));
    expect([answer?.status, answer?.header('Content-Type')]).toEqual([201, entryType]);
  });

  it('may mix Atom and JSON', async () => {
    const answers = await commit(service, [insert('atom', n(1)), pets.insert('json', { n: 1 }, {})], outer);
    expect(answers.map((answer) => answer.header('Content-Type')?.split(';')[0])).toEqual([
      'application/atom+xml',
      'application/json',
    ]);
  });

  it('is accepted with LF as line ends, blank lines before the documents, and line ends inside them', async () => {
    const call = insert('lines', n(1));
    const body = changesetBody([{ ...call, body: `\r\n\r\n${call.body?.replaceAll('><', '>\r\n<')}\r\n` }]);
    const answers = answersIn(await sendBatch(service, body.replaceAll('\r\n', '\n'), outer));
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });

  it('is refused from 2015-12-11 on: 415 AtomFormatNotSupported inside', async () => {
    const [answer] = await commit(service, [insert('late')], { 'x-ms-version': '2015-12-11' });
    expect([answer?.status, codeOf(answer ?? { body: '' })]).toEqual([415, 'AtomFormatNotSupported']);
  });

  it('refuses a DOCTYPE: 400 InvalidInput inside, and nothing is written', async () => {
    const hostile = insert('hostile');
    const body = hostile.body?.replace('<entry', '<!DOCTYPE entry [<!ENTITY e "x">]><entry');
    const answers = await commit(service, [insert('beside'), { ...hostile, body: body ?? '' }], outer);
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([[400, 'InvalidInput']]);
    expect(Object.keys(await rowsOf(service, 'pets'))).not.toContain('beside');
  });

  it('may be a query for an entry or for a feed', async () => {
    const query = async (url: string) => {
      const call = { method: 'GET', url, headers: { Accept: 'application/atom+xml' } };
      return singleIn(await sendBatch(service, batchBody([requestPart(call)]), outer));
    };
    const entry = await query(pets.keyed('p', 'echo'));
    expect([entry.status, entry.header('Content-Type')]).toEqual([200, entryType]);
    expect(entry.header('ETag')).toMatch(/^W\//);
    const feed = await query(`${base}/pets()?$filter=n%20eq%201`);
    expect(feed.header('Content-Type')).toBe('application/atom+xml;type=feed;charset=utf-8');
    expect(propertiesIn(feed).length).toBeGreaterThan(1);
    const missing = await query(pets.keyed('p', 'none'));
    expect([missing.status, codeOf(missing)]).toEqual([404, 'ResourceNotFound']);
  });
});

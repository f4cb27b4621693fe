// The exact response of each operation inside a batch: status line, headers in order, and body.

import { describe, expect, it } from 'vitest';
import {
  answersIn,
  callsOn,
  changesetBody,
  codeOf,
  commit,
  type InnerCall,
  type InnerResponse,
  minimalType,
  outcomesIn,
  sendBatch,
} from '../support/batch-requests.ts';
import { headerNames } from '../support/expect-refusal.ts';
import { etagMember, timestampOf } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
const pets = callsOn(base, 'pets');

/** Sends one operation, and returns its response and the ETag of the entity afterwards. */
async function answerTo(call: InnerCall, rowKey: string): Promise<{ answer: InnerResponse; etag: string }> {
  const [answer, ...rest] = await commit(service, [call]);
  if (answer === undefined || rest.length > 0) throw new Error('not one answer');
  const { header } = await service.get(entityPath('pets', 'p', rowKey));
  return { answer, etag: header('ETag') ?? '' };
}

const sniff = 'X-Content-Type-Options: nosniff';
const cache = 'Cache-Control: no-cache';
const location = (rowKey: string): string => `${base}/pets(PartitionKey='p',RowKey='${rowKey}')`;

describe('The response to a batch', () => {
  it('is 202 Accepted with the headers of every response and no other', async () => {
    const answer = await sendBatch(service, changesetBody([pets.insert('outer')]), { Prefer: 'return-no-content' });
    expect([answer.status, answer.reason]).toEqual([202, 'Accepted']);
    expect(headerNames(answer)).toEqual([
      'cache-control',
      'content-type',
      'date',
      'server',
      'transfer-encoding',
      'x-content-type-options',
      'x-ms-request-id',
      'x-ms-version',
    ]);
    expect(answer.header('Cache-Control')).toBe('no-cache');
    expect(answer.header('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.header('Transfer-Encoding')).toBe('chunked');
  });

  it('has CRLF line ends only, and an empty line after the headers of a part without a body', async () => {
    const { body } = await sendBatch(service, changesetBody([pets.insert('crlf', {}, {}), pets.remove('none')]));
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    const done = await sendBatch(service, changesetBody([pets.insert('crlf'), pets.put('put')]));
    const masked = done.body.replace(/_[0-9a-f-]{36}/g, '_G').replace(/datetime'[^']+'/g, "datetime'T'");
    const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
    expect(masked).toBe(
      '--batchresponse_G\r\nContent-Type: multipart/mixed; boundary=changesetresponse_G\r\n\r\n' +
        `--changesetresponse_G\r\n${head}HTTP/1.1 204 No Content\r\n${sniff}\r\n${cache}\r\n` +
        'Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n' +
        `Location: ${location('crlf')}\r\nDataServiceId: ${location('crlf')}\r\nETag: W/"datetime'T'"\r\n\r\n\r\n` +
        `--changesetresponse_G\r\n${head}HTTP/1.1 204 No Content\r\n${sniff}\r\n${cache}\r\n` +
        `DataServiceVersion: 1.0;\r\nETag: W/"datetime'T'"\r\n\r\n\r\n` +
        '--changesetresponse_G--\r\n--batchresponse_G--\r\n',
    );
  });

  it('is sent for any Accept, or none', async () => {
    for (const Accept of [undefined, '*/*', 'application/json', 'application/atom+xml,application/xml', 'text/html']) {
      const answer = await sendBatch(service, changesetBody([pets.put('accept')]), { Accept });
      expect(answersIn(answer).map(({ status }) => status)).toEqual([204]);
    }
  });
});

describe('An insert in a batch', () => {
  it('is answered 204 without a body if Prefer asks for no content', async () => {
    const { answer, etag } = await answerTo(pets.insert('silent'), 'silent');
    expect(answer.statusLine).toBe('HTTP/1.1 204 No Content');
    expect(answer.fields).toEqual([
      sniff,
      cache,
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      `Location: ${location('silent')}`,
      `DataServiceId: ${location('silent')}`,
      `ETag: ${etag}`,
    ]);
    expect(answer.body).toBe('');
  });

  it.each([
    ['', {}],
    ['return-content', { Prefer: 'return-content' }],
  ] as const)('is answered 201 with the entity, Prefer: %s', async (prefer, headers) => {
    const rowKey = `echo${prefer}`;
    const { answer, etag } = await answerTo(pets.insert(rowKey, { n: 5 }, headers), rowKey);
    expect(answer.statusLine).toBe('HTTP/1.1 201 Created');
    expect(answer.fields).toEqual([
      'DataServiceVersion: 3.0;',
      `Content-Type: ${minimalType}`,
      sniff,
      cache,
      ...(prefer === '' ? [] : [`Preference-Applied: ${prefer}`]),
      `Location: ${location(rowKey)}`,
      `ETag: ${etag}`,
    ]);
    expect(answer.body).toBe(
      `{"odata.metadata":"${base}/$metadata#pets/@Element",${etagMember(etag)},` +
        `"PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"${timestampOf(etag)}","n":5}`,
    );
  });

  it.each([
    ['nometadata', '', false],
    ['fullmetadata', '', true],
    ['minimalmetadata', '?$format=application/json;odata=minimalmetadata', false],
    ['nometadata', '?%24format=application%2Fjson%3Bodata%3Dnometadata', false],
  ])('is answered as its own Accept or $format asks: %s%s', async (level, query, isFull) => {
    const Accept = query === '' ? `application/json;odata=${level}` : '*/*';
    const call = pets.insert(`level${level}${query.length}`, {}, { Accept });
    const [answer] = await commit(service, [{ ...call, url: call.url + query }]);
    expect(answer?.fields[1]).toBe(`Content-Type: application/json;odata=${level};streaming=true;charset=utf-8`);
    expect(answer?.body.includes('odata.metadata')).toBe(level !== 'nometadata');
    expect(answer?.body.includes('odata.editLink')).toBe(isFull);
  });

  it('encodes its keys in Location and DataServiceId', async () => {
    const [answer] = await commit(service, [pets.insert("it's \u00e9&")]);
    expect(answer?.header('Location')).toBe(location("it''s%20%C3%A9%26"));
    expect(answer?.header('DataServiceId')).toBe(location("it''s%20%C3%A9%26"));
  });
});

describe('An update, a merge or an upsert in a batch', () => {
  const writes = ['put', 'merge', 'patch'] as const;

  it.each(writes)('is answered 204 with its ETag: %s', async (verb) => {
    for (const headers of [{}, { 'If-Match': '*' }]) {
      const { answer, etag } = await answerTo(pets[verb](verb, { n: 1 }, headers), verb);
      expect(answer.statusLine).toBe('HTTP/1.1 204 No Content');
      expect(answer.fields).toEqual([sniff, cache, 'DataServiceVersion: 1.0;', `ETag: ${etag}`]);
      expect(answer.body).toBe('');
    }
  });

  it.each(writes)('has Preference-Applied for Prefer: return-no-content: %s', async (verb) => {
    const { answer, etag } = await answerTo(pets[verb](verb, {}, { Prefer: 'return-no-content' }), verb);
    const applied = 'Preference-Applied: return-no-content';
    expect(answer.fields).toEqual([sniff, cache, applied, 'DataServiceVersion: 3.0;', `ETag: ${etag}`]);
  });

  it.each(writes)('is answered 200 with the entity for Prefer: return-content: %s', async (verb) => {
    const { answer, etag } = await answerTo(pets[verb](verb, { n: 7 }, { Prefer: 'return-content' }), verb);
    expect(answer.statusLine).toBe('HTTP/1.1 200 OK');
    const applied = 'Preference-Applied: return-content';
    const type = `Content-Type: ${minimalType}`;
    expect(answer.fields).toEqual(['DataServiceVersion: 3.0;', type, sniff, cache, applied, `ETag: ${etag}`]);
    expect(answer.body).toBe((await service.get(entityPath('pets', 'p', verb))).body);
  });

  it.each(['MERGE', 'PUT', 'PATCH', 'DELETE'])('may be tunnelled through POST: %s', async (method) => {
    await service.insert('pets', { RowKey: `tunnel${method}` });
    const headers = { 'X-HTTP-Method': method, 'If-Match': '*' };
    const call = { ...pets.put(`tunnel${method}`, { n: 1 }, headers), method: 'POST' };
    expect((await commit(service, [call])).map(({ status }) => status)).toEqual([204]);
  });
});

// Evidence: sdk (azure-storage-java 8.6 sends every merge of a batch in this way).
describe('X-HTTP-Method in a batch', () => {
  it.each(['MERGE', 'PUT', 'PATCH', 'DELETE'])('may repeat the verb of its request: %s', async (method) => {
    await service.insert('pets', { RowKey: `repeat${method}` });
    const headers = { 'X-HTTP-Method': method, 'If-Match': '*' };
    const call = { ...pets.put(`repeat${method}`, { n: 1 }, headers), method };
    expect((await commit(service, [call])).map(({ status }) => status)).toEqual([204]);
  });

  it('must repeat the verb of its request unless the verb is POST: 400 XMethodNotUsingPost', async () => {
    const call = { ...pets.put('other', {}, { 'X-HTTP-Method': 'MERGE' }), method: 'PUT' };
    expect(outcomesIn(await sendBatch(service, changesetBody([call])))).toEqual(['400 XMethodNotUsingPost']);
  });
});

describe('A delete in a batch', () => {
  it('is answered 204 without an ETag', async () => {
    await service.insert('pets', { RowKey: 'gone' });
    const [answer] = await commit(service, [pets.remove('gone')]);
    expect(answer?.statusLine).toBe('HTTP/1.1 204 No Content');
    expect(answer?.fields).toEqual([sniff, cache, 'DataServiceVersion: 1.0;']);
    expect(answer?.body).toBe('');
  });

  it('may carry a body, which is ignored', async () => {
    await service.insert('pets', { RowKey: 'bodied' });
    const headers = { 'If-Match': '*', 'Content-Type': 'application/json' };
    const [answer] = await commit(service, [{ ...pets.remove('bodied'), headers, body: 'undefined' }]);
    expect(answer?.status).toBe(204);
  });

  it('needs If-Match, as outside a batch', async () => {
    const outside = await service.send({ method: 'DELETE', path: entityPath('pets', 'p', 'crlf') });
    const { method, url } = pets.remove('crlf');
    const answers = await commit(service, [{ method, url }]);
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([[outside.status, codeOf(outside)]]);
    expect(outside.status).toBe(400);
  });
});

describe('Content-ID', () => {
  it('is echoed for its operation, as the first header or after Content-Type if there is a body', async () => {
    const id = (value: string) => ({ 'Content-ID': value });
    await service.insert('pets', { RowKey: 'id5' });
    const done = await commit(service, [
      pets.insert('id1', {}, { ...id('1'), Prefer: 'return-no-content' }),
      pets.insert('id2', {}, id('two')),
      pets.put('id3', {}, { 'content-id': '3' }),
      pets.put('id4'),
      pets.remove('id5', '*', id('5')),
    ]);
    expect(done.map(({ fields }) => fields.findIndex((field) => field.startsWith('Content-ID: ')))).toEqual([
      0, 2, 0, -1, 0,
    ]);
    expect(done.map((answer) => answer.header('Content-ID'))).toEqual(['1', 'two', '3', undefined, '5']);
  });

  it('is not echoed if it is a header of the MIME part', async () => {
    const body = changesetBody([pets.put('mime')]).replace(
      'Content-Type: application/http\r\n',
      'Content-Type: application/http\r\nContent-ID: 9\r\n',
    );
    const [answer] = answersIn(await sendBatch(service, body));
    expect([answer?.status, answer?.header('Content-ID')]).toEqual([204, undefined]);
  });
});

describe('An error in a batch', () => {
  const refused = async (headers: Record<string, string>, query = ''): Promise<InnerResponse | undefined> => {
    const call = pets.remove('none', '*', headers);
    return (await commit(service, [{ ...call, url: call.url + query }]))[0];
  };

  it.each(['nometadata', 'minimalmetadata', 'fullmetadata'])('is JSON at the level of Accept: %s', async (level) => {
    const answer = await refused({ Accept: `application/json;odata=${level}` });
    expect(answer?.fields.at(-1)).toBe(`Content-Type: application/json;odata=${level};streaming=true;charset=utf-8`);
  });

  it('is XML for Accept: */*', async () => {
    const answer = await refused({ Accept: '*/*' });
    expect(answer?.fields.at(-1)).toBe('Content-Type: application/xml;charset=utf-8');
    expect(answer?.body).toMatch(
      /^<\?xml version="1.0" encoding="utf-8"\?><error xmlns="[^"]+"><code>ResourceNotFound</,
    );
  });

  it('is in the format that $format names, as outside a batch', async () => {
    const query = '?$format=application/json;odata=fullmetadata';
    const outside = await service.send({
      method: 'DELETE',
      path: `${entityPath('pets', 'p', 'none')}${query}`,
      headers: { Accept: '*/*', 'If-Match': '*' },
    });
    const answer = await refused({ Accept: '*/*' }, query);
    expect(answer?.header('Content-Type')).toBe(outside.header('Content-Type'));
  });

  it('carries the request id of the batch', async () => {
    const outer = await sendBatch(service, changesetBody([pets.remove('none')]));
    expect(outer.body).toContain(`RequestId:${outer.header('x-ms-request-id')}\\n`);
  });
});

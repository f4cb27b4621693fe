// Batches that contain a single query.

import { describe, expect, it } from 'vitest';
import {
  answersIn,
  batchBody,
  callsOn,
  changesetPart,
  codeOf,
  type InnerCall,
  type InnerResponse,
  minimalType,
  requestPart,
  rowsOf,
  sendBatch,
  singleIn,
} from '../support/batch-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { etagMember, etagOf, timestampOf } from '../support/expect-success.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
const pets = callsOn(base, 'pets');
const etags = new Map<string, string>();
for (const RowKey of ['a', 'b', 'c']) {
  etags.set(RowKey, etagOf(await service.insert('pets', { RowKey, n: RowKey.charCodeAt(0) })));
}

const query = async (call: InnerCall): Promise<InnerResponse> =>
  singleIn(await sendBatch(service, batchBody([requestPart(call)])));
const feed = (options: string): InnerCall => ({ method: 'GET', url: `${base}/pets()${options}` });

describe('A query in a batch', () => {
  it('answers 200 with the entity and its ETag, outside any changeset', async () => {
    const answer = await query(pets.get('a'));
    const etag = etags.get('a') ?? '';
    expect(answer.statusLine).toBe('HTTP/1.1 200 OK');
    expect(answer.fields).toEqual([
      'DataServiceVersion: 3.0;',
      `Content-Type: ${minimalType}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      `ETag: ${etag}`,
    ]);
    expect(answer.body).toBe(
      `{"odata.metadata":"${base}/$metadata#pets/@Element",${etagMember(etag)},` +
        `"PartitionKey":"p","RowKey":"a","Timestamp":"${timestampOf(etag)}","n":97}`,
    );
  });

  // Evidence: recorded (azure-storage-node).
  it('answers 404 ResourceNotFound, with its index, when the entity is missing', async () => {
    const answer = await query(pets.get('none'));
    expect([answer.statusLine, codeOf(answer)]).toEqual(['HTTP/1.1 404 Not Found', 'ResourceNotFound']);
    expect(answer.fields).toEqual([
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'DataServiceVersion: 3.0;',
      `Content-Type: ${minimalType}`,
    ]);
    expect(answer.body).toContain('"value":"0:The specified resource does not exist.\\n');
  });

  it('answers 404 TableNotFound when the table is missing', async () => {
    const answer = await query(callsOn(base, 'absent').get('a'));
    expect([answer.status, codeOf(answer)]).toEqual([404, 'TableNotFound']);
  });

  it.each(["/pets(PartitionKey='p')", "/pets(PartitionKey='p',RowKey='a%2Fb')"])(
    'answers 400 InvalidInput to malformed keys: %s',
    async (path) => {
      const answer = await query({ method: 'GET', url: base + path });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidInput']);
    },
  );

  it('answers 200 with a feed, and no ETag', async () => {
    const answer = await query(feed(`?$filter=RowKey%20gt%20'a'&$select=RowKey,n`));
    expect(answer.fields).toEqual([
      'DataServiceVersion: 3.0;',
      `Content-Type: ${minimalType}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
    ]);
    const { value } = JSON.parse(answer.body) as { value: { RowKey: string; n: number }[] };
    expect(value.map(({ RowKey, n }) => [RowKey, n])).toEqual([
      ['b', 98],
      ['c', 99],
    ]);
  });

  it('continues a feed by the headers of its part', async () => {
    const seen: string[] = [];
    let options = '';
    do {
      const answer = await query(feed(`?$top=1${options}`));
      seen.push(...(JSON.parse(answer.body) as { value: { RowKey: string }[] }).value.map(({ RowKey }) => RowKey));
      const partition = answer.header('x-ms-continuation-NextPartitionKey');
      const row = answer.header('x-ms-continuation-NextRowKey');
      options = partition === undefined ? '' : `&NextPartitionKey=${partition}&NextRowKey=${row}`;
    } while (options !== '' && seen.length < 10);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('may have spaces in its filter', async () => {
    const answer = await query(feed(`?$filter=RowKey eq 'b' and n eq 98`));
    expect(answer.body).toContain('"RowKey":"b"');
    expect(answer.body).not.toContain('"RowKey":"a"');
  });

  it('answers 400 InvalidInput to a malformed filter', async () => {
    const answer = await query(feed('?$filter=nonsense%20nonsense'));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidInput']);
  });

  it('answers in the format of its own Accept', async () => {
    const none = await query({ ...pets.get('a'), headers: { Accept: 'application/json;odata=nometadata' } });
    expect(none.body).toMatch(/^\{"PartitionKey":"p","RowKey":"a","Timestamp":"[^"]+","n":97\}$/);
    const atom = await query({ ...pets.get('a'), headers: { Accept: '*/*' } });
    expect(atom.header('Content-Type')).toBe('application/atom+xml;type=entry;charset=utf-8');
    expect(atom.body).toContain('<d:n m:type="Edm.Int32">97</d:n>');
  });

  it('may list tables', async () => {
    const answer = await query({ method: 'GET', url: `${base}/Tables` });
    expect(answer.body).toContain('{"TableName":"pets"}');
  });
});

describe('A batch refuses', () => {
  const get = requestPart(pets.get('a'));
  const insert = requestPart(pets.insert('unread'));

  it.each([
    ['two queries', [get, get]],
    ['a query before a changeset', [get, changesetPart([insert])]],
    ['a query after a changeset', [changesetPart([insert]), get]],
    ['two writes outside a changeset', [insert, insert]],
  ])('%s: 400 InvalidInput', async (_, parts) => {
    expectRefusal(await sendBatch(service, batchBody(parts)), refusal('InvalidInput'));
  });

  it.each([
    ['an insert', pets.insert('unread')],
    ['an upsert', pets.put('unread')],
    ['a delete', pets.remove('a')],
    ['a table to make', { method: 'POST', url: `${base}/Tables`, body: '{"TableName":"planted"}' }],
  ])('%s outside a changeset: 400 InvalidInput', async (_, call) => {
    const answer = await query(call);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidInput']);
  });

  it('a query inside a changeset: 400 InvalidInput', async () => {
    const answers = answersIn(await sendBatch(service, batchBody([changesetPart([get])])));
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([[400, 'InvalidInput']]);
  });

  it('each of these requests without writing anything', async () => {
    expect(Object.keys(await rowsOf(service, 'pets'))).toEqual(['a', 'b', 'c']);
    expect((await service.get("/Tables('planted')")).status).toBe(404);
  });
});

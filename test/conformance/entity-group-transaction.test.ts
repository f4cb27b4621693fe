import { describe, expect, it } from 'vitest';
import {
  answersIn,
  batchBody,
  batchType,
  callsOn,
  changesetBody,
  changesetPart,
  codeOf,
  expectFailure,
  type InnerCall,
  outcomesIn,
  partsOf,
  requestPart,
  rowsOf,
  sendBatch,
} from '../support/batch-requests.ts';
import { expectRefusal, refusal, unreadable } from '../support/expect-refusal.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
await service.createTable('others');
const pets = callsOn(base, 'pets');
const others = callsOn(base, 'others');
const absent = callsOn(base, 'absent');
await service.insert('pets', { RowKey: 'taken', n: 1 });
const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;

const send = (calls: readonly InnerCall[]) => sendBatch(service, changesetBody(calls));

describe('Entity Group Transaction refuses to read', () => {
  it.each([
    ['no Content-Type', undefined],
    ['JSON', 'application/json'],
    ['multipart of another kind', 'multipart/form-data; boundary=batch_a'],
    ['no boundary', 'multipart/mixed'],
    ['an empty boundary', 'multipart/mixed; boundary='],
  ])('%s: 400 InvalidInput for the whole batch', async (_, type) => {
    const body = changesetBody([pets.insert('unread')]);
    expectRefusal(await sendBatch(service, body, { 'Content-Type': type }), refusal('InvalidInput'));
  });

  const part = changesetPart([requestPart(pets.insert('unread'))]);
  it('a changeset without a boundary: 400 InvalidInput for the whole batch', async () => {
    const body = `--batch_a\r\nContent-Type: multipart/mixed\r\n\r\n${part}--batch_a--\r\n`;
    expectRefusal(await sendBatch(service, body), refusal('InvalidInput'));
  });

  it('more than 4 MiB: 413 RequestBodyTooLarge for the whole batch, with any content', async () => {
    const padding = 'x'.repeat(4 * 1_048_576);
    const body = changesetBody([pets.insert('unread', { text: padding })]);
    const answer = await sendBatch(service, body);
    expect([answer.status, codeOf(answer)]).toEqual([413, 'RequestBodyTooLarge']);
  });

  it('a wrong signature: 403 AuthenticationFailed for the whole batch', async () => {
    const body = changesetBody([pets.insert('unread')]);
    const Authorization = `SharedKeyLite devstoreaccount1:${Buffer.alloc(32).toString('base64')}`;
    const answer = await sendBatch(service, body, { Authorization });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([403, 'AuthenticationFailed']);
    expect(answer.body).not.toContain('batchresponse_');
  });

  it('a batch to the secondary: 403 InsufficientAccountPermissions for the whole batch', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const answer = await sendBatch(secondary, changesetBody([pets.insert('unread')]));
    expect([answer.status, codeOf(answer)]).toEqual([403, 'InsufficientAccountPermissions']);
  });

  it.each(['GET', 'PUT', 'DELETE', 'MERGE'])('another verb, %s: 405 MethodNotAllowed', async (method) => {
    expectRefusal(await service.send({ method, path: '/$batch' }), refusal('MethodNotAllowed'));
  });

  it('all of these without writing anything', async () => {
    expect(await rowsOf(service, 'pets')).toEqual({ taken: 1 });
  });
});

describe('Entity Group Transaction refuses a changeset in which it cannot read an operation:', () => {
  const first = pets.insert('before');
  const invalidKey = { message: `The 'RowKey' parameter of value 'a/b' is out of range.` };
  const invalidDate = { message: `The 'd' parameter of value '01/01/1500 00:00:00' is out of range.` };
  const date = { 'd@odata.type': 'Edm.DateTime', d: '1500-01-01T00:00:00Z' };

  it.each([
    ['a missing table: 404 TableNotFound', absent.insert('r'), refusal('TableNotFound')],
    ['malformed JSON: 400 InvalidInput', { ...pets.insert('r'), body: '{"PartitionKey":' }, unreadable],
    [
      'a key out of range: 400 OutOfRangeInput',
      pets.insert('a/b'),
      refusal('OutOfRangeInput', { ...invalidKey, stage: 'reading' }),
    ],
    [
      'a DateTime out of range: 400 OutOfRangeInput',
      pets.insert('r', date),
      refusal('OutOfRangeInput', { ...invalidDate, stage: 'reading' }),
    ],
    ['a missing key: 400 PropertiesNeedValue', pets.insert('r', { RowKey: null }), refusal('PropertiesNeedValue')],
    [
      'a format that the version does not have: 415 AtomFormatNotSupported',
      { ...pets.insert('r'), headers: { 'Content-Type': 'application/atom+xml' } },
      refusal('AtomFormatNotSupported'),
    ],
  ])('%s, with its index even if it is the only one', async (_, call, expected) => {
    const preference = expected.code === 'PropertiesNeedValue' ? { preference: 'return-no-content' } : {};
    expectFailure(await send([call]), expected, { prefix: '0:', ...preference });
    if (expected.code === 'TableNotFound') return;
    expectFailure(await send([first, call, pets.insert('after')]), expected, { prefix: '1:', ...preference });
  });

  it('a missing table, with index 0 if there are several operations', async () => {
    expectFailure(await send([absent.insert('a'), absent.insert('b')]), refusal('TableNotFound'), { prefix: '0:' });
  });

  it('a part without a request: 400 InvalidInput in XML, without index and without nosniff', async () => {
    const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
    for (const part of ['\r\n', `${head}\r\n`, `${head}no request\r\n`, `Content-Type: text/plain\r\n\r\nPOST x\r\n`]) {
      const answer = await sendBatch(service, batchBody([changesetPart([requestPart(first), part])]));
      const [inner, ...rest] = answersIn(answer);
      expect(rest).toEqual([]);
      expect(inner?.statusLine).toBe('HTTP/1.1 400 Bad Request');
      expect(inner?.fields).toEqual(['DataServiceVersion: 1.0;', 'Content-Type: application/xml;charset=utf-8']);
      expect(inner?.body).toContain(
        '<code>InvalidInput</code><message xml:lang="en-US">An error occurred while processing this request.\nRequestId:',
      );
    }
  });

  it.each([
    ['a query', pets.get('taken')],
    ['a feed', { method: 'GET', url: `${base}/pets()` }],
    ['a new table', { method: 'POST', url: `${base}/Tables`, body: '{"TableName":"planted"}' }],
    ['a table to delete', { method: 'DELETE', url: `${base}/Tables('others')`, headers: { 'If-Match': '*' } }],
    ['the list of tables', { method: 'GET', url: `${base}/Tables` }],
  ])('%s in a changeset: 400 InvalidInput', async (_, call) => {
    expectFailure(await send([first, call]), refusal('InvalidInput'), { prefix: '1:' });
    expect((await service.get("/Tables('planted')")).status).toBe(404);
    expect((await service.get("/Tables('others')")).status).toBe(200);
  });

  it('all of these without writing anything', async () => {
    expect(await rowsOf(service, 'pets')).toEqual({ taken: 1 });
  });
});

describe('Entity Group Transaction refuses', () => {
  const many = (length: number): InnerCall[] => Array.from({ length }, (_, index) => pets.insert(`many-${index}`));
  const first = pets.insert('before');

  it.each([101, 102, 150])('%i operations: 400 InvalidInput, at index 99', async (length) => {
    const message = 'The batch request operation exceeds the maximum 100 changes per change set.';
    expectFailure(await send(many(length)), refusal('InvalidInput', { message }), {
      prefix: '99:',
      preference: 'return-no-content',
    });
  });

  it('two partitions: 400 CommandsInBatchActOnDifferentPartitions, at the first operation that differs', async () => {
    const calls = [first, pets.put('x'), { ...pets.put('y'), url: pets.keyed('q', 'y') }, pets.insert('z')];
    expectFailure(await send(calls), refusal('CommandsInBatchActOnDifferentPartitions'), { prefix: '2:' });
  });

  it('two partitions that differ only in case: 400 CommandsInBatchActOnDifferentPartitions', async () => {
    const calls = [first, { ...pets.put('y'), url: pets.keyed('P', 'y') }];
    expectFailure(await send(calls), refusal('CommandsInBatchActOnDifferentPartitions'), { prefix: '1:' });
  });

  it('two tables: 400 CommandsInBatchActOnDifferentPartitions, at the first operation that differs', async () => {
    expectFailure(await send([first, others.put('x')]), refusal('CommandsInBatchActOnDifferentPartitions'), {
      prefix: '1:',
    });
    expect(await rowsOf(service, 'others')).toEqual({});
  });

  it('an entity twice: 400 InvalidDuplicateRow, at the second operation', async () => {
    const calls = [first, pets.put('x'), pets.remove('taken'), pets.merge('x')];
    expectFailure(await send(calls), refusal('InvalidDuplicateRow'), { prefix: '3:' });
  });

  // Evidence: recorded (azure-storage-node, 2014-02-14 to 2015-04-05).
  it.each([
    ['2015-04-05', refusal('InvalidInput')],
    ['2015-12-11', refusal('InvalidInput')],
    ['2016-05-31', refusal('InvalidDuplicateRow')],
  ])('an entity twice, at %s: 400 %o', async (version, refused) => {
    const body = changesetBody([first, pets.put('x'), pets.merge('x')]);
    expectFailure(await sendBatch(service, body, { 'x-ms-version': version }), refused, { prefix: '2:' });
  });

  it.each([
    ['an existing entity: 409 EntityAlreadyExists', pets.insert('taken', {}, {}), refusal('EntityAlreadyExists')],
    ['an update of a missing entity: 404', pets.put('none', {}, { 'If-Match': '*' }), refusal('ResourceNotFound')],
    ['a merge of a missing entity: 404', pets.merge('none', {}, { 'If-Match': '*' }), refusal('ResourceNotFound')],
    ['a delete of a missing entity: 404', pets.remove('none'), refusal('ResourceNotFound')],
    ['a stale update: 412', pets.put('taken', {}, { 'If-Match': stale }), refusal('UpdateConditionNotSatisfied')],
    ['a stale delete: 412', pets.remove('taken', stale), refusal('UpdateConditionNotSatisfied')],
    [
      'a value beyond 64 KiB: 400 PropertyValueTooLarge',
      pets.put('wide', { text: 'x'.repeat(32_769) }),
      refusal('PropertyValueTooLarge'),
    ],
    [
      '253 properties: 400 TooManyProperties',
      pets.put('broad', Object.fromEntries(Array.from({ length: 253 }, (_, index) => [`p${index}`, 1]))),
      refusal('TooManyProperties'),
    ],
    [
      'an entity beyond 1 MiB: 400 EntityTooLarge',
      pets.put(
        'large',
        Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`p${index}`, 'x'.repeat(32_000)])),
      ),
      refusal('EntityTooLarge'),
    ],
  ])('%s; with an index only if there are several operations', async (_, call, expected) => {
    expectFailure(await send([call]), expected);
    expectFailure(await send([first, call]), expected, { prefix: '1:' });
    expectFailure(await send([call, first, pets.insert('after')]), expected, { prefix: '0:' });
  });

  it('with the first error, not the last', async () => {
    const calls = [first, pets.remove('none'), pets.insert('taken')];
    expectFailure(await send(calls), refusal('ResourceNotFound'), { prefix: '1:' });
  });

  it('malformed operations before impossible ones', async () => {
    const calls = [pets.insert('taken'), { ...pets.insert('r'), body: '[]' }];
    expectFailure(await send(calls), unreadable, { prefix: '1:' });
  });

  it('with the Content-ID and the preference of the operation that failed', async () => {
    const call = pets.insert('taken', {}, { Prefer: 'return-content', 'Content-ID': '7' });
    const traits = { prefix: '1:', contentId: '7', preference: 'return-content' };
    expectFailure(await send([first, call]), refusal('EntityAlreadyExists'), traits);
  });

  it('a second changeset: the first is carried out, the second is 400 InvalidInput', async () => {
    const one = changesetPart([requestPart(others.insert('one', { n: 1 }))]);
    const two = changesetPart([requestPart(others.insert('two')), requestPart(others.insert('three'))], 'changeset_c');
    const parts = partsOf(await sendBatch(service, batchBody([one, two])));
    const statuses = parts.map((part) => (part.kind === 'changeset' ? part.answers.map(({ status }) => status) : []));
    expect(statuses).toEqual([[204], [400]]);
    expect(await rowsOf(service, 'others')).toEqual({ one: 1 });
  });

  it('all of these without writing anything', async () => {
    expect(await rowsOf(service, 'pets')).toEqual({ taken: 1 });
  });
});

describe('Entity Group Transaction carries out', () => {
  it('100 operations of every kind together', async () => {
    await service.createTable('hundred');
    const calls = callsOn(base, 'hundred');
    const keys = Array.from({ length: 100 }, (_, index) => `r${String(index).padStart(2, '0')}`);
    expect(outcomesIn(await send(keys.map((key, n) => calls.insert(key, { n, kept: true }))))).toEqual(
      keys.map(() => '204 No Content'),
    );
    const kinds = [
      (key: string) => calls.put(key, { n: 'put' }, { 'If-Match': '*' }),
      (key: string) => calls.put(key, { n: 'replaced' }),
      (key: string) => calls.merge(key, { n: 'merged' }, { 'If-Match': '*' }),
      (key: string) => calls.patch(key, { n: 'patched' }),
      (key: string) => calls.remove(key),
    ];
    const mixed = keys.map((key, index) => kinds[index % kinds.length]!(key));
    expect(outcomesIn(await send(mixed))).toEqual(keys.map(() => '204 No Content'));
    const expected = keys.map((key, index) => [key, ['put', 'replaced', 'merged', 'patched', undefined][index % 5]]);
    expect(await rowsOf(service, 'hundred')).toEqual(Object.fromEntries(expected.filter(([, n]) => n !== undefined)));
  });

  it('operations at an address whose dollar sign is encoded', async () => {
    await service.createTable('encoded');
    const body = changesetBody([callsOn(base, 'encoded').insert('a')]);
    const headers = { 'Content-Type': batchType };
    const answer = await service.send({ method: 'POST', path: '/%24batch', headers, body });
    expect(outcomesIn(answer)).toEqual(['204 No Content']);
  });

  it('nothing if the changeset is empty', async () => {
    expect(answersIn(await sendBatch(service, changesetBody([])))).toEqual([]);
    expect(
      answersIn(await sendBatch(service, batchBody([changesetPart(['']).replace('--changeset_b\r\n', '')]))),
    ).toEqual([]);
  });

  it('operations on case-sensitive row keys, and on one table with its name in different cases', async () => {
    await service.createTable('cases');
    const calls = callsOn(base, 'cases');
    const answer = await send([calls.insert('a', { n: 1 }), callsOn(base, 'CASES').insert('A', { n: 2 })]);
    expect(outcomesIn(answer)).toEqual(['204 No Content', '204 No Content']);
    expect(await rowsOf(service, 'cases')).toEqual({ A: 2, a: 1 });
  });

  it('a batch of 4 MiB', async () => {
    await service.createTable('heavy');
    const calls = callsOn(base, 'heavy');
    const text = 'x'.repeat(32_000);
    const rows = Array.from({ length: 100 }, (_, index) => calls.insert(`r${index}`, { text }));
    expect(new Set(outcomesIn(await send(rows)))).toEqual(new Set(['204 No Content']));
    expect(Object.keys(await rowsOf(service, 'heavy'))).toHaveLength(100);
  });
});

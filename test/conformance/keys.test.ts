import { describe, expect, it } from 'vitest';
import { answersIn, changesetBody, sendBatch } from '../support/batch-requests.ts';
import { asciiJson, expectRefusal, querySyntax, refusal } from '../support/expect-refusal.ts';
import { accepting, etagOf } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('keys');

// Each key, and its form in the addresses that the service writes. Single quotes are doubled and not encoded. All other
// characters except letters, digits, `-_.~` and `!*()` are percent-encoded in upper case. It is assumed that `!*()` are
// not encoded.
const awkward: readonly (readonly [key: string, written: string])[] = [
  ["O'Neil", "O''Neil"],
  ["''", "''''"],
  ["'", "''"],
  ['50%', '50%25'],
  ['%2F', '%252F'],
  ['%27', '%2527'],
  ['a+b', 'a%2Bb'],
  ['a b', 'a%20b'],
  [' lead and trail ', '%20lead%20and%20trail%20'],
  ['a=b&c:d@e,f;g$h', 'a%3Db%26c%3Ad%40e%2Cf%3Bg%24h'],
  ['"quoted"', '%22quoted%22'],
  ['<tag>', '%3Ctag%3E'],
  ['caf\u00e9', 'caf%C3%A9'],
  ['\u65e5\u672c', '%E6%97%A5%E6%9C%AC'],
  ['\u{1f600}', '%F0%9F%98%80'],
  ['\u00a0', '%C2%A0'],
  ['-_.~', '-_.~'],
  ['!*()', '!*()'],
  ["',RowKey='x", "''%2CRowKey%3D''x"],
  ['[]{}|^`', '%5B%5D%7B%7D%7C%5E%60'],
  ['', ''],
];

describe('A key', () => {
  it.each(awkward)('%j is returned unchanged, and its address contains the key', async (key, written) => {
    const body = JSON.stringify({ PartitionKey: `pk${key}`, RowKey: key, n: 1 });
    const inserted = await service.send({ method: 'POST', path: '/keys', body, headers: accepting('fullmetadata') });
    const path = `keys(PartitionKey='pk${written}',RowKey='${written}')`;
    expect(inserted.header('Location')).toBe(`${base}/${path}`);
    expect(inserted.body).toContain(`"odata.id":"${base}/${path}"`);
    expect(inserted.body).toContain(`"odata.editLink":"${path}"`);

    const read = await service.get(`/${path}`);
    expect(read.status).toBe(200);
    expect(read.body).toContain(`"PartitionKey":${asciiJson(`pk${key}`)},"RowKey":${asciiJson(key)}`);

    const replaced = await service.send({
      method: 'PUT',
      path: `/${path}`,
      headers: { 'If-Match': '*' },
      body: '{"n":2}',
    });
    expect(replaced.status).toBe(204);
    const removed = await service.send({
      method: 'DELETE',
      path: `/${path}`,
      headers: { 'If-Match': etagOf(replaced) },
    });
    expect(removed.status).toBe(204);
    expect((await service.get(`/${path}`)).status).toBe(404);
  });

  it('with a quote is found by raw and encoded quotes, in any combination', async () => {
    await service.insert('keys', { PartitionKey: "a'b", RowKey: "a'b" });
    for (const [open, doubled, close] of [
      ["'", "''", "'"],
      ['%27', '%27%27', '%27'],
      ["'", '%27%27', "'"],
      ['%27', "''", '%27'],
      ["'", "'%27", '%27'],
    ]) {
      const quoted = `${open}a${doubled}b${close}`;
      expect((await service.get(`/keys(PartitionKey=${quoted},RowKey=${quoted})`)).status).toBe(200);
    }
  });

  it('with a plus differs from a key with a space: a plus in a path is a plus', async () => {
    await service.insert('keys', { PartitionKey: 'plus', RowKey: 'a+b' });
    expect((await service.get(entityPath('keys', 'plus', 'a+b'))).status).toBe(200);
    expect((await service.get(entityPath('keys', 'plus', 'a%20b'))).status).toBe(404);
  });

  it('is decoded only once', async () => {
    await service.insert('keys', { PartitionKey: 'once', RowKey: '%41' });
    expect((await service.get(entityPath('keys', 'once', '%2541'))).status).toBe(200);
    expect((await service.get(entityPath('keys', 'once', '%41'))).status).toBe(404);
  });

  it('is case-sensitive, and spaces count', async () => {
    for (const RowKey of ['case', 'Case', ' case', 'case '])
      await service.insert('keys', { PartitionKey: 'c', RowKey });
    const { body } = await service.get(entityPath('keys', 'c', 'case%20'), accepting('nometadata'));
    expect(body).toContain('"RowKey":"case "');
    expect((await service.get(entityPath('keys', 'c', 'CASE'))).status).toBe(404);
  });
});

describe('A key in an address', () => {
  it.each(['a%2Fb', 'a%2fb', 'a/b', 'a%5Cb', '%2F'])('with a slash, %s, is 400 InvalidInput', async (key) => {
    expectRefusal(await service.get(entityPath('keys', key)), querySyntax);
    expectRefusal(await service.get(entityPath('keys', 'p', key)), querySyntax);
  });

  it.each(['%23', '%3F', '%09', '%0A', '%1F', '%7F', '%C2%80', '%C2%85', '%C2%9F'])(
    'with a character that is not allowed in a key, %s, is 400 OutOfRangeInput',
    async (char) => {
      expectRefusal(await service.get(entityPath('keys', `a${char}b`)), refusal('OutOfRangeInput'));
      expectRefusal(await service.get(entityPath('keys', 'p', `a${char}b`)), refusal('OutOfRangeInput'));
    },
  );

  it.each(['%', '%4', '%zz', '%C3', '%C3%28', '%ED%A0%80'])(
    'that is not percent-encoded UTF-8, %s, is 400 InvalidInput',
    async (key) => {
      expectRefusal(await service.get(entityPath('keys', key)), querySyntax);
    },
  );

  // Evidence: sdk (azure-sdk-for-net #31464).
  it.each(["a'b", "a'''b"])('with a quote that is not doubled, %s, is 400 InvalidInput', async (key) => {
    const predicate = `PartitionKey='p',RowKey='${key}'`;
    const message = `There is an unterminated string literal at position ${predicate.length} in '${predicate}'.`;
    const refused = refusal('InvalidInput', { message, stage: 'reading' });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? '{}' : undefined;
      expectRefusal(await service.send({ method, path: entityPath('keys', 'p', key), body }), refused);
    }
  });

  it.each(["a'b'c", "a'b"])('with a quote that ends it before the next key, %s, is 400 InvalidInput', async (key) => {
    expectRefusal(await service.get(entityPath('keys', key)), querySyntax);
  });

  // Evidence: sdk (azure-sdk-for-python #20301).
  it('with a single quote and double quotes is 400 InvalidInput, with its index in a batch', async () => {
    const key = `"A'aaa"_bbbb3`;
    const predicate = `PartitionKey='${key}',RowKey='${key}'`;
    const message = `Syntax error: character '"' is not valid at position 20 in '${predicate}'.`;
    const path = `/keys(${encodeURIComponent(predicate)})`;
    for (const method of ['GET', 'PUT', 'MERGE', 'DELETE']) {
      const body = method === 'PUT' || method === 'MERGE' ? '{}' : undefined;
      expectRefusal(await service.send({ method, path, body }), refusal('InvalidInput', { message, stage: 'reading' }));
    }
    const call = { method: 'PUT', url: `${service.base}${path}`, body: '{}' };
    const [answer] = answersIn(await sendBatch(service, changesetBody([call])));
    const { 'odata.error': error } = JSON.parse(answer?.body ?? '') as {
      'odata.error': { message: { value: string } };
    };
    expect([answer?.status, error.message.value.split('\n', 1)[0]]).toEqual([400, `0:${message}`]);
  });
});

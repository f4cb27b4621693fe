import { describe, expect, it } from 'vitest';
import { expectRefusal, querySyntax, type Refusal, refusal, unreadable } from '../support/expect-refusal.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

// If a request has two errors, the service always reports the same one of the two. Evidence: documented (the caller is
// checked before everything else), recorded (headers show that errors of the request come before errors of the
// operation), assumed (the order within each group).

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });

const stranger = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' };
const tooLong = 's'.repeat(32_769);
const longName = 'n'.repeat(256);
const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
const reading = { stage: 'reading' } as const;

function send(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: WireHeaders; body?: string } = {},
): Promise<WireAnswer> {
  return service.send({ method, path, headers, body });
}

function insert(table: string, body: string, headers: WireHeaders = {}): Promise<WireAnswer> {
  return send('POST', `/${table}`, { headers, body });
}

function outOfRange(name: string, value: string): Refusal {
  return refusal('OutOfRangeInput', {
    message: `The '${name}' parameter of value '${value}' is out of range.`,
    ...reading,
  });
}

const entity = (members: string): string => `{"PartitionKey":"p","RowKey":"r"${members}}`;
const many = Array.from({ length: 253 }, (_, index) => `,"m${index}":1`).join('');
const early = ',"when@odata.type":"Edm.DateTime","when":"0001-01-01T00:00:00Z"';
const heavy = Array.from({ length: 20 }, (_, index) => `,"h${index}":"${'h'.repeat(30_000)}"`).join('');

describe('An unknown version is reported before', () => {
  it.each([
    ['a wrong signature', { 'x-ms-version': '2018-06-28', ...stranger }],
    ['a malformed Authorization', { 'x-ms-version': '2018-06-28', Authorization: 'nonsense' }],
    ['a missing Authorization', { 'x-ms-version': '2018-06-28', Authorization: undefined }],
  ])('%s', async (_, headers) => {
    const answer = await send('GET', '/Tables', { headers });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('<code>InvalidHeaderValue</code>')]);
  });
});

describe('A wrong signature hides', () => {
  it.each([
    ['a missing table', 'GET', entityPath('absent'), undefined],
    ['an address that cannot be read', 'GET', '/pets%', undefined],
    ['a query option that cannot be read', 'GET', '/pets?$filter=%', undefined],
    ['an address that leads nowhere', 'GET', '/(retry)', undefined],
    ['a verb that is not allowed', 'PUT', '/Tables', undefined],
    ['a malformed body', 'POST', '/pets', '{'],
    ['a body that is too large', 'POST', '/pets', ' '.repeat(4 * 1_048_576 + 1)],
    ['a key that is not allowed', 'GET', entityPath('pets', 'a%2Fb'), undefined],
    ['a page size out of range', 'GET', '/pets?$top=-1', undefined],
  ])('%s', async (_, method, path, body) => {
    const answer = await send(method, path, body === undefined ? { headers: stranger } : { headers: stranger, body });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([403, 'AuthenticationFailed']);
  });

  it('an unacceptable format', async () => {
    const answer = await send('GET', '/Tables', { headers: { ...stranger, Accept: undefined } });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([403, 'AuthenticationFailed']);
  });
});

describe('An unacceptable format is reported before', () => {
  const xml = { contentType: 'application/xml;charset=utf-8' };
  const headers = { Accept: undefined };

  it('a key that is not allowed, and a missing table', async () => {
    const expected = refusal('AtomFormatNotSupported');
    expectRefusal(await send('GET', entityPath('pets', 'a%2Fb'), { headers }), expected, xml);
    expectRefusal(await send('GET', entityPath('absent'), { headers }), expected, xml);
    expectRefusal(await insert('absent', '{', headers), expected, xml);
  });
});

describe('A key in the address is reported before', () => {
  it('a malformed body and a missing table', async () => {
    expectRefusal(await send('PUT', entityPath('pets', 'a%2Fb'), { body: '{' }), querySyntax);
    expectRefusal(await send('PUT', entityPath('pets', 'a%23b'), { body: '{' }), refusal('OutOfRangeInput'));
    expectRefusal(await send('GET', entityPath('absent', 'a%2Fb')), querySyntax);
  });

  it('another key with a lesser error: a slash has precedence', async () => {
    expectRefusal(await send('GET', entityPath('pets', 'a%23b', 'a%2Fb')), querySyntax);
  });
});

describe('A malformed body is reported before', () => {
  it('a missing table', async () => {
    expectRefusal(await insert('absent', '{'), unreadable);
    expectRefusal(await send('MERGE', entityPath('absent'), { body: '{' }), unreadable);
  });

  it('a missing key, if a value does not fit its type', async () => {
    expectRefusal(await insert('pets', '{"n@odata.type":"Edm.Int64","n":"x"}'), unreadable);
  });

  it('a missing key, if a member occurs twice', async () => {
    expectRefusal(await insert('pets', '{"n":1,"n":2}'), refusal('DuplicatePropertiesSpecified'));
  });

  it('an existing entity', async () => {
    expectRefusal(await insert('pets', entity(',"n":{}')), unreadable);
  });
});

describe('A missing key is reported before', () => {
  it('a key with a character that is not allowed', async () => {
    expectRefusal(await insert('pets', '{"RowKey":"a/b"}'), refusal('PropertiesNeedValue'));
  });

  it('a DateTime out of range, and a missing table', async () => {
    expectRefusal(await insert('absent', `{"RowKey":"r"${early}}`), refusal('PropertiesNeedValue'));
  });
});

describe('A character that is not allowed in a key is reported before', () => {
  it('such a character in the row key, a DateTime out of range, and a missing table', async () => {
    expectRefusal(
      await insert('absent', `{"RowKey":"c/d"${early},"PartitionKey":"a/b"}`),
      outOfRange('PartitionKey', 'a/b'),
    );
    expectRefusal(await insert('absent', `{"PartitionKey":"p","RowKey":"c/d"${early}}`), outOfRange('RowKey', 'c/d'));
  });
});

describe('A DateTime out of range is reported before', () => {
  it('a missing table', async () => {
    expectRefusal(await insert('absent', entity(early)), outOfRange('when', '01/01/0001 00:00:00'));
  });
});

describe('A missing table is reported before', () => {
  it.each([
    ['a property name that is too long', `,"${longName}":1`],
    ['an invalid property name', ',"a-b":1'],
    ['too many properties', many],
    ['a value that is too large', `,"s":"${tooLong}"`],
    ['an entity that is too large', heavy],
  ])('%s', async (_, members) => {
    expectRefusal(await insert('absent', entity(members)), refusal('TableNotFound'));
    expectRefusal(await send('PUT', entityPath('absent'), { body: entity(members) }), refusal('TableNotFound'));
    const headers = { 'If-Match': '*' };
    expectRefusal(
      await send('MERGE', entityPath('absent'), { headers, body: entity(members) }),
      refusal('TableNotFound'),
    );
  });

  it('a key that is too long', async () => {
    expectRefusal(await send('GET', entityPath('absent', 'k'.repeat(1025))), refusal('TableNotFound'));
    expectRefusal(
      await insert('absent', JSON.stringify({ PartitionKey: 'k'.repeat(1025), RowKey: '' })),
      refusal('TableNotFound'),
    );
  });
});

describe('A limit is reported', () => {
  it('for a property name before the number of properties', async () => {
    expectRefusal(await insert('pets', entity(`${many},"${longName}":1`)), refusal('PropertyNameTooLong'));
  });

  it('for the number of properties before a value', async () => {
    expectRefusal(await insert('pets', entity(`${many},"s":"${tooLong}"`)), refusal('TooManyProperties'));
  });

  // Evidence: sdk (azure-storage-java, testInsertEntityOver1MB).
  it('for the entity before a value', async () => {
    expectRefusal(await insert('pets', entity(`${heavy},"s":"${tooLong}"`)), refusal('EntityTooLarge'));
  });

  it('before an existing entity', async () => {
    expectRefusal(await insert('pets', entity(`,"s":"${tooLong}"`)), refusal('PropertyValueTooLarge'));
  });

  it('before a stale condition, and before a missing entity', async () => {
    const request = { headers: { 'If-Match': stale }, body: `{"s":"${tooLong}"}` };
    for (const method of ['PUT', 'MERGE']) {
      expectRefusal(await send(method, entityPath('pets'), request), refusal('PropertyValueTooLarge'));
      expectRefusal(await send(method, entityPath('pets', 'p', 'nobody'), request), refusal('PropertyValueTooLarge'));
    }
  });
});

describe('A missing entity is reported before', () => {
  it('a stale condition', async () => {
    for (const method of ['PUT', 'MERGE', 'DELETE']) {
      const answer = await send(method, entityPath('pets', 'p', 'nobody'), {
        headers: { 'If-Match': stale },
        ...(method === 'DELETE' ? {} : { body: '{}' }),
      });
      expectRefusal(answer, refusal('ResourceNotFound'));
    }
  });
});

describe('A missing table is reported after', () => {
  it('an If-Match that is malformed or in another form', async () => {
    const answer = await send('DELETE', entityPath('absent'), { headers: { 'If-Match': 'W/"foreign"' } });
    expectRefusal(answer, refusal('ConditionNotMet'));
    const none = await send('DELETE', entityPath('absent'), { headers: { 'If-Match': 'test' } });
    expect([none.status, none.body]).toEqual([400, expect.stringContaining("The etag value 'test' specified")]);
  });

  it('a condition on an insert', async () => {
    const answer = await insert('absent', entity(''), { 'If-Match': '*' });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"InvalidInput"')]);
  });
});

describe('A page size out of range is reported before', () => {
  it('a malformed filter of tables', async () => {
    expectRefusal(await send('GET', '/Tables?$filter=nonsense%20(&$top=-1'), refusal('InvalidInput'));
  });
});

describe('A table name is refused', () => {
  const create = (name: string): Promise<WireAnswer> =>
    send('POST', '/Tables', { body: JSON.stringify({ TableName: name }) });

  it('for its characters before its length', async () => {
    expectRefusal(await create('_'), refusal('InvalidResourceName'));
    expectRefusal(await create(`${'a'.repeat(64)}-`), refusal('InvalidResourceName'));
  });

  it('for its length with its own text, below 3 and above 63 characters', async () => {
    const message = 'The specified resource name length is not within the permissible limits.';
    for (const length of [1, 2, 64, 255]) {
      expectRefusal(await create('a'.repeat(length)), refusal('OutOfRangeInput', { message }));
    }
    for (const length of [3, 63]) expect((await create('a'.repeat(length))).status).toBe(201);
  });
});

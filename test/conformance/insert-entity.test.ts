import { describe, expect, it } from 'vitest';
import { expectRefusal, querySyntax, refusal, unreadable } from '../support/expect-refusal.ts';
import { accepting, etagMember, etagOf, expectSuccess, type Level, timestampOf } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');

function insert(body: string | Buffer, headers: WireHeaders = {}): Promise<WireAnswer> {
  return service.send({ method: 'POST', path: '/pets', headers, body });
}

const keyed = (rowKey: string, members = ''): string => `{"PartitionKey":"dog","RowKey":"${rowKey}"${members}}`;

describe('Insert Entity refuses to read', () => {
  it.each([
    ['an empty body', ''],
    ['half an object', '{"PartitionKey":"dog"'],
    ['an array', '[]'],
    ['an object as a value', keyed('nested', ',"o":{"a":1}')],
    ['an array as a value', keyed('nested', ',"l":[1]')],
    ['a text after the object', `${keyed('more')}{}`],
    ['a number with a leading zero', keyed('octal', ',"n":007')],
    ['a raw line break in a string', keyed('broken', ',"s":"a\nb"')],
    ['a comma too many', keyed('comma', ',')],
    ['a type that is not a string', keyed('typed', ',"n@odata.type":5,"n":1')],
  ])('%s: 400 InvalidInput', async (_, body) => {
    expectRefusal(await insert(body), unreadable);
  });

  it('a body that is not UTF-8: 400 InvalidInput', async () => {
    expectRefusal(await insert(Buffer.from(keyed('latin', ',"s":"\u00e9"'), 'latin1')), unreadable);
  });

  it('a member that occurs twice: 400 DuplicatePropertiesSpecified', async () => {
    expectRefusal(await insert(keyed('twice', ',"n":1,"n":1')), refusal('DuplicatePropertiesSpecified'));
    expectRefusal(await insert(keyed('twice', ',"RowKey":"r"')), refusal('DuplicatePropertiesSpecified'));
  });

  it.each(['5', 'true', '1.5'])('a key that is not a string, %s: 400 InvalidInput', async (value) => {
    const expected = refusal('InvalidInput', { stage: 'reading' });
    expectRefusal(await insert(`{"PartitionKey":${value},"RowKey":"r"}`), expected);
    expectRefusal(await insert(`{"PartitionKey":"p","RowKey":${value}}`), expected);
  });

  it('a key annotated with another type: 400 InvalidInput', async () => {
    const body = `{"PartitionKey":"p","RowKey@odata.type":"Edm.Int64","RowKey":"5"}`;
    expectRefusal(await insert(body), refusal('InvalidInput', { stage: 'reading' }));
  });

  it.each([
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a hash', 'a#b'],
    ['a question mark', 'a?b'],
    ['a tab', 'a\tb'],
    ['U+007F', 'a\u007fb'],
    ['U+0085', 'a\u0085b'],
    ['a null', 'a\u0000b'],
  ])('%s in a key: 400 OutOfRangeInput that quotes the key', async (_, key) => {
    for (const name of ['PartitionKey', 'RowKey']) {
      const message = `The '${name}' parameter of value '${key}' is out of range.`;
      const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'r', [name]: key });
      expectRefusal(await insert(body), refusal('OutOfRangeInput', { message, stage: 'reading' }));
    }
  });

  it('half a surrogate pair in a key: 400 InvalidInput', async () => {
    const answer = await insert('{"PartitionKey":"a\\ud800","RowKey":"r"}');
    expectRefusal(answer, refusal('InvalidInput', { stage: 'reading' }));
  });

  it.each([
    ['If-Match', '*'],
    ['If-Match', `W/"datetime'2024-01-01T00%3A00%3A00Z'"`],
    ['If-None-Match', '*'],
  ])('a condition, %s: %s: 400 InvalidInput', async (name, value) => {
    const message =
      'If-Match or If-None-Match headers cannot be specified if the target type does not have etag properties defined.';
    expectRefusal(
      await insert(keyed('condition'), { [name]: value }),
      refusal('InvalidInput', { message, stage: 'reading' }),
    );
  });

  it('an entity for a missing table: 404 TableNotFound, without Preference-Applied', async () => {
    const answer = await service.send({
      method: 'POST',
      path: '/absent',
      headers: { Prefer: 'return-content' },
      body: keyed('r'),
    });
    expectRefusal(answer, refusal('TableNotFound'));
  });

  it('an address with keys: 405 MethodNotAllowed', async () => {
    const answer = await service.send({ method: 'POST', path: entityPath('pets'), body: keyed('r') });
    expectRefusal(answer, refusal('MethodNotAllowed'));
  });

  it('an address with incomplete keys: 400 InvalidInput', async () => {
    const answer = await service.send({ method: 'POST', path: "/pets(PartitionKey='p')", body: keyed('r') });
    const message =
      "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.pets'.";
    expectRefusal(answer, { ...querySyntax, message });
  });
});

describe('Insert Entity refuses', () => {
  it.each([
    '{}',
    '{"PartitionKey":"p"}',
    '{"RowKey":"r"}',
    '{"PartitionKey":null,"RowKey":"r"}',
    '{"partitionKey":"p","RowKey":"r"}',
  ])('%s, without one of the keys: 400 PropertiesNeedValue', async (body) => {
    const others = ['preference-applied'];
    expectRefusal(await insert(body), refusal('PropertiesNeedValue'));
    expectRefusal(await insert(body, { Prefer: 'return-content' }), refusal('PropertiesNeedValue'), { others });
  });

  it.each(['with-hyphen', 'has space', '1digit', 'a/b', 'a$b', '', '\u20ac', 'a\\u0000'])(
    'a property named %j: 400 PropertyNameInvalid',
    async (name) => {
      expectRefusal(await insert(keyed('named', `,"${name}":1`)), refusal('PropertyNameInvalid'));
    },
  );

  it('an existing entity: 409 EntityAlreadyExists', async () => {
    await insert(keyed('first', ',"n":1'));
    expectRefusal(await insert(keyed('first', ',"n":2')), refusal('EntityAlreadyExists'));
    const again = await insert(keyed('first', ',"n":2'), { Prefer: 'return-no-content' });
    expectRefusal(again, refusal('EntityAlreadyExists'), { others: ['preference-applied'] });
    expect(again.header('Preference-Applied')).toBe('return-no-content');
    const { body } = await service.get(entityPath('pets', 'dog', 'first'), accepting('nometadata'));
    expect(body).toContain('"n":1');
  });
});

describe('Insert Entity', () => {
  const members = `,"n":5,"big@odata.type":"Edm.Int64","big":"7","d":1.0,"when@odata.type":"Edm.DateTime","when":"2024-05-01T10:00:00.2500000Z","x":null`;
  const location = (rowKey: string): string => `${base}/pets(PartitionKey='dog',RowKey='${rowKey}')`;

  async function insertAt(level: Level): Promise<{ answer: WireAnswer; etag: string; stamp: string }> {
    const answer = await insert(`{"PartitionKey":"dog","RowKey":"O'Neil é ${level}"${members}}`, accepting(level));
    const etag = etagOf(answer);
    return { answer, etag, stamp: `"Timestamp":"${timestampOf(etag)}"` };
  }

  const annotated = `"n":5,"big@odata.type":"Edm.Int64","big":"7","d":1.0,"when@odata.type":"Edm.DateTime","when":"2024-05-01T10:00:00.25Z"}`;

  it('answers 201 with the entity at minimal metadata, and annotates types that JSON does not express', async () => {
    const { answer, etag, stamp } = await insertAt('minimalmetadata');
    expectSuccess(answer, {
      status: 201,
      headers: { ETag: etag, Location: location("O''Neil%20%C3%A9%20minimalmetadata") },
      json: [
        'minimalmetadata',
        `{"odata.metadata":"${base}/$metadata#pets/@Element",${etagMember(etag)},` +
          `"PartitionKey":"dog","RowKey":"O'Neil \\u00e9 minimalmetadata",${stamp},${annotated}`,
      ],
    });
    expect(answer.reason).toBe('Created');
  });

  it('answers 201 with addresses in addition at full metadata', async () => {
    const { answer, etag, stamp } = await insertAt('fullmetadata');
    const path = "pets(PartitionKey='dog',RowKey='O''Neil%20%C3%A9%20fullmetadata')";
    expectSuccess(answer, {
      status: 201,
      headers: { ETag: etag, Location: `${base}/${path}` },
      json: [
        'fullmetadata',
        `{"odata.metadata":"${base}/$metadata#pets/@Element","odata.type":"devstoreaccount1.pets",` +
          `"odata.id":"${base}/${path}",${etagMember(etag)},"odata.editLink":"${path}",` +
          `"PartitionKey":"dog","RowKey":"O'Neil \\u00e9 fullmetadata","Timestamp@odata.type":"Edm.DateTime",${stamp},${annotated}`,
      ],
    });
  });

  it('answers 201 with only values at no metadata', async () => {
    const { answer, etag, stamp } = await insertAt('nometadata');
    expectSuccess(answer, {
      status: 201,
      headers: { ETag: etag, Location: location("O''Neil%20%C3%A9%20nometadata") },
      json: [
        'nometadata',
        `{"PartitionKey":"dog","RowKey":"O'Neil \\u00e9 nometadata",${stamp},"n":5,"big":"7","d":1.0,"when":"2024-05-01T10:00:00.25Z"}`,
      ],
    });
  });

  it('answers 204 without a body if Prefer asks for no content', async () => {
    const answer = await insert(keyed('silent'), { Prefer: 'return-no-content' });
    expectSuccess(answer, {
      status: 204,
      headers: {
        ETag: etagOf(answer),
        Location: location('silent'),
        DataServiceId: location('silent'),
        'Preference-Applied': 'return-no-content',
      },
    });
  });

  it('reads Prefer in any case', async () => {
    const answer = await insert(keyed('shouted'), { Prefer: 'Return-No-Content' });
    expect([answer.status, answer.body]).toEqual([204, '']);
  });

  it('sends Preference-Applied if Prefer asks for the content', async () => {
    const answer = await insert(keyed('echo'), { Prefer: 'return-content', ...accepting('nometadata') });
    const etag = etagOf(answer);
    expectSuccess(answer, {
      status: 201,
      headers: { ETag: etag, Location: location('echo'), 'Preference-Applied': 'return-content' },
      json: ['nometadata', `{"PartitionKey":"dog","RowKey":"echo","Timestamp":"${timestampOf(etag)}"}`],
    });
  });

  it('sends no Preference-Applied for an unknown preference, in a success or an error', async () => {
    for (const status of [201, 409]) {
      const answer = await insert(keyed('unheard'), { Prefer: 'respond-async' });
      expect([answer.status, answer.header('Preference-Applied')]).toEqual([status, undefined]);
    }
  });

  it('keeps the order of properties, in its response and in later reads', async () => {
    const { body } = await insert(keyed('order', ',"zebra":1,"Apple":2,"_x":3,"apple":4'), accepting('nometadata'));
    expect(body).toContain('"zebra":1,"Apple":2,"_x":3,"apple":4}');
    const read = await service.get(entityPath('pets', 'dog', 'order'), accepting('nometadata'));
    expect(read.body).toBe(body);
  });

  it('ignores any Timestamp, and annotations', async () => {
    const rest =
      ',"Timestamp@odata.type":"Edm.Nonsense","Timestamp":"1999","odata.etag":"W/\\"x\\"","odata.type":"a.b","odata.metadata":"m",' +
      '"odata.id":"i","odata.editLink":"e","lonely@odata.type":"Edm.Int64","n@odata.type@odata.type":"Edm.String","n":1';
    const answer = await insert(keyed('noise', rest), accepting('nometadata'));
    const stamp = timestampOf(etagOf(answer));
    expect(answer.body).toBe(`{"PartitionKey":"dog","RowKey":"noise","Timestamp":"${stamp}","n":1}`);
    const oddly = await insert(keyed('odd', ',"Timestamp@odata.type":5,"Timestamp":true'), accepting('nometadata'));
    expect(oddly.body).toBe(`{"PartitionKey":"dog","RowKey":"odd","Timestamp":"${timestampOf(etagOf(oddly))}"}`);
  });

  it('accepts members in any order, such as keys last and annotations after their property', async () => {
    const body =
      '{"n":"5","n@odata.type":"Edm.Int64","RowKey":"turned","RowKey@odata.type":"Edm.String","PartitionKey":"dog"}';
    const answer = await insert(body);
    expect(answer.body).toMatch(/"RowKey":"turned","Timestamp":"[^"]+","n@odata.type":"Edm.Int64","n":"5"}$/);
  });

  it('is also available at /pets(), and finds the table in any case', async () => {
    for (const path of ['/pets()', '/PETS']) {
      const body = keyed(`at${path.length}${path[1]}`);
      expect((await service.send({ method: 'POST', path, body })).status).toBe(201);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { expectRefusal, querySyntax, refusal } from '../support/expect-refusal.ts';
import { accepting, etagMember, etagOf, expectSuccess, timestampOf } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
const inserted = await service.insert(
  'pets',
  '{"PartitionKey":"dog","RowKey":"rex","name":"Rex \u00e9\u{1f600}\\"<&>/\'","b":true,"i":5,"d":2.5,' +
    '"l@odata.type":"Edm.Int64","l":"9","g@odata.type":"Edm.Guid","g":"A455C695-DF98-5678-AAAA-81D3367E5A34",' +
    '"x@odata.type":"Edm.Binary","x":"AQI=","t@odata.type":"Edm.DateTime","t":"2008-07-10T00:00:00Z"}',
);
const etag = etagOf(inserted);
const stamp = `"Timestamp":"${timestampOf(etag)}"`;
const path = entityPath('pets', 'dog', 'rex');

describe('Get Entity refuses to read', () => {
  const countMessage =
    "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.pets'.";
  it.each([
    ["/pets(PartitionKey='dog')", countMessage],
    ["/pets('dog')", countMessage],
    ["/pets('dog','rex')", "Segments with multiple key values must specify them in 'name=value' form."],
    ["/pets(PartitionKey='dog',RowKey=5)", querySyntax.message],
    ["/pets(RowKey='a',RowKey='b')", querySyntax.message],
    ["/pets(PartitionKey='dog',RowKey='rex'", querySyntax.message],
  ])('%s, without a pair of keys: 400 InvalidInput', async (address, message) => {
    expectRefusal(await service.get(address), { ...querySyntax, message });
  });

  it('an entity of a missing table: 404 TableNotFound', async () => {
    expectRefusal(await service.get(entityPath('absent')), refusal('TableNotFound'));
  });

  it.each([
    ["['age, sex']", 'An identifier was expected at position 0.'],
    ['1st', 'An identifier was expected at position 0.'],
  ])('$select=%s: 400 InvalidInput', async (select, message) => {
    const answer = await service.get(`${path}?$select=${encodeURIComponent(select)}`);
    expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
  });
});

describe('Get Entity refuses', () => {
  it('a missing entity: 404 ResourceNotFound', async () => {
    expectRefusal(await service.get(entityPath('pets', 'dog', 'Rex')), refusal('ResourceNotFound'));
    expectRefusal(await service.get(entityPath('pets', 'DOG', 'rex')), refusal('ResourceNotFound'));
  });
});

describe('Get Entity', () => {
  const text = String.raw`"name":"Rex \u00e9\ud83d\ude00\"<&>/'","b":true,"i":5,"d":2.5`;
  const annotated =
    `${text},"l@odata.type":"Edm.Int64","l":"9","g@odata.type":"Edm.Guid","g":"a455c695-df98-5678-aaaa-81d3367e5a34",` +
    `"x@odata.type":"Edm.Binary","x":"AQI=","t@odata.type":"Edm.DateTime","t":"2008-07-10T00:00:00Z"`;
  const keys = '"PartitionKey":"dog","RowKey":"rex"';

  it('answers 200 with ETag header and annotated members at minimal metadata', async () => {
    expectSuccess(await service.get(path, accepting('minimalmetadata')), {
      status: 200,
      headers: { ETag: etag },
      json: [
        'minimalmetadata',
        `{"odata.metadata":"${base}/$metadata#pets/@Element",${etagMember(etag)},${keys},${stamp},${annotated}}`,
      ],
    });
  });

  it('answers 200 with addresses too at full metadata; String, Boolean, Int32 and Double are never annotated', async () => {
    const edit = "pets(PartitionKey='dog',RowKey='rex')";
    expectSuccess(await service.get(path, accepting('fullmetadata')), {
      status: 200,
      headers: { ETag: etag },
      json: [
        'fullmetadata',
        `{"odata.metadata":"${base}/$metadata#pets/@Element","odata.type":"devstoreaccount1.pets","odata.id":"${base}/${edit}",` +
          `${etagMember(etag)},"odata.editLink":"${edit}",${keys},"Timestamp@odata.type":"Edm.DateTime",${stamp},${annotated}}`,
      ],
    });
  });

  it('answers 200 with only values at no metadata, and the ETag in the header', async () => {
    expectSuccess(await service.get(path, accepting('nometadata')), {
      status: 200,
      headers: { ETag: etag },
      json: [
        'nometadata',
        `{${keys},${stamp},${text},"l":"9","g":"a455c695-df98-5678-aaaa-81d3367e5a34","x":"AQI=","t":"2008-07-10T00:00:00Z"}`,
      ],
    });
  });

  it('repeats the table name in the case of the address', async () => {
    const { body } = await service.get(entityPath('PETS', 'dog', 'rex'));
    expect(body.startsWith(`{"odata.metadata":"${base}/$metadata#PETS/@Element",`)).toBe(true);
  });

  it('answers 200 if If-None-Match names another ETag', async () => {
    const stale = { 'If-None-Match': `W/"datetime'2001-01-01T00%3A00%3A00Z'"` };
    expect((await service.get(path, stale)).status).toBe(200);
  });

  it.each([
    ['the row key first', "/pets(RowKey='rex',PartitionKey='dog')"],
    ['a space after the comma', "/pets(PartitionKey='dog',%20RowKey='rex')"],
    ['everything percent-encoded', '/pets%28PartitionKey=%27dog%27%2CRowKey%3D%27rex%27%29'],
    ['quotes half encoded', "/pets(PartitionKey=%27dog',RowKey='rex%27)"],
    ['letters percent-encoded', "/%70ets(PartitionKey='%64og',RowKey='re%78')"],
  ])('accepts an address with %s', async (_, address) => {
    expect((await service.get(address)).header('ETag')).toBe(etag);
  });
});

describe('Get Entity with $select', () => {
  const selected = (list: string): string =>
    `{"odata.metadata":"${base}/$metadata#pets/@Element&$select=${list}",${etagMember(etag)}`;

  it('returns the named properties in ordinal order, and null for a missing one', async () => {
    const { body } = await service.get(`${path}?$select=l,zzz,b,Aaa`);
    expect(body).toBe(`${selected('l,zzz,b,Aaa')},"Aaa":null,"b":true,"l@odata.type":"Edm.Int64","l":"9","zzz":null}`);
  });

  it('returns system properties first, and only if they are named', async () => {
    const { body } = await service.get(`${path}?$select=i,Timestamp,RowKey,PartitionKey`);
    expect(body).toBe(`${selected('i,Timestamp,RowKey,PartitionKey')},${keys()},${stamp},"i":5}`);
    const one = await service.get(`${path}?$select=RowKey`);
    expect(one.body).toBe(`${selected('RowKey')},"RowKey":"rex"}`);
  });

  it('repeats the list in the metadata address with its spaces encoded', async () => {
    const { body } = await service.get(`${path}?$select=i,%20b`);
    expect(body).toBe(`${selected('i,%20b')},"b":true,"i":5}`);
  });

  it('ignores a trailing comma, and repeats it', async () => {
    expect((await service.get(`${path}?$select=i,`)).body).toBe(`${selected('i,')},"i":5}`);
  });

  it.each(['', '%20'])('returns everything for an empty list, %j, as its metadata address says', async (list) => {
    const { body } = await service.get(`${path}?$select=${list}`);
    const all = (await service.get(path)).body.replace('/@Element"', '/@Element&$select="');
    expect(body).toBe(all);
  });

  it('returns each property once', async () => {
    expect((await service.get(`${path}?$select=i,i`)).body).toBe(`${selected('i,i')},"i":5}`);
  });

  it('returns no member twice if a selected name is the name of an annotation', async () => {
    const { status, body } = await service.get(`${path}?$select=odata.etag,i`);
    expect([status, body.match(/"odata\.etag":/g)]).toEqual([200, ['"odata.etag":']]);
    expect(body).toContain(`${etagMember(etag)}`);
  });

  it('returns values only at no metadata', async () => {
    const { body, headers } = await service.get(`${path}?$select=l,zzz`, accepting('nometadata'));
    expect(body).toBe('{"l":"9","zzz":null}');
    expect(headers).toContainEqual(['ETag', etag]);
  });

  it('annotates the Timestamp at full metadata', async () => {
    const { body } = await service.get(`${path}?$select=Timestamp`, accepting('fullmetadata'));
    expect(body).toMatch(/","Timestamp@odata\.type":"Edm\.DateTime","Timestamp":"[^"]+"}$/);
  });

  function keys(): string {
    return '"PartitionKey":"dog","RowKey":"rex"';
  }
});

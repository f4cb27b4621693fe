// Entities that are written and read in Atom. The tests compare the bytes, and compare with JSON.

import { describe, expect, it } from 'vitest';
import {
  answerNamespaces,
  atomHeaders,
  atomReading,
  declaration,
  entryOf,
  entryType,
  feedType,
  keysOf,
  propertiesIn,
  withoutUpdated,
} from '../support/atom-requests.ts';
import { expectRefusal, headerNames, refusal } from '../support/expect-refusal.ts';
import { etagOf, timestampOf } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');
const xml = { contentType: 'application/xml;charset=utf-8' };
const jsonReading = { ...atomReading, Accept: 'application/json;odata=nometadata' };

const insert = (properties: string, headers: WireHeaders = {}, table = 'pets'): Promise<WireAnswer> =>
  service.send({
    method: 'POST',
    path: `/${table}`,
    headers: { ...atomHeaders, ...headers },
    body: entryOf(properties),
  });
const read = (rowKey: string): Promise<WireAnswer> => service.get(entityPath('pets', 'p', rowKey), atomReading);
const scheme = 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme';

/** An entry of a response. If the entry is the entire document, it has the namespace declarations. */
function entryText(rowKey: string, etag: string, custom: string, isAlone = true): string {
  const target = `pets(PartitionKey='p',RowKey='${rowKey}')`;
  const attributes = isAlone ? ` xml:base="${base}/" ${answerNamespaces}` : '';
  return (
    `<entry${attributes} m:etag="${etag.replaceAll('"', '&quot;')}"><id>${base}/${target}</id>` +
    `<category term="devstoreaccount1.pets" scheme="${scheme}" /><link rel="edit" title="pets" href="${target}" />` +
    `<title /><updated /><author><name /></author><content type="application/xml"><m:properties>${keysOf(rowKey)}` +
    `<d:Timestamp m:type="Edm.DateTime">${timestampOf(etag)}</d:Timestamp>${custom}</m:properties></content></entry>`
  );
}

describe('An insert in Atom', () => {
  it('is answered 201 with the entry, its ETag and its Location', async () => {
    const answer = await insert(`${keysOf('new')}<d:n m:type="Edm.Int32">5</d:n>`);
    const etag = etagOf(answer);
    expect([answer.status, answer.header('Content-Type')]).toEqual([201, entryType]);
    expect(answer.header('Location')).toBe(`${base}/pets(PartitionKey='p',RowKey='new')`);
    expect(headerNames(answer)).toEqual([
      'cache-control',
      'content-type',
      'date',
      'etag',
      'location',
      'server',
      'transfer-encoding',
      'x-content-type-options',
      'x-ms-request-id',
      'x-ms-version',
    ]);
    expect(withoutUpdated(answer.body)).toBe(declaration + entryText('new', etag, '<d:n m:type="Edm.Int32">5</d:n>'));
    const got = await read('new');
    expect([got.status, got.header('ETag'), withoutUpdated(got.body)]).toEqual([
      200,
      etag,
      withoutUpdated(answer.body),
    ]);
  });

  it('is answered 204 if Prefer asks for no content', async () => {
    const answer = await insert(keysOf('quiet'), { Prefer: 'return-no-content' });
    const location = `${base}/pets(PartitionKey='p',RowKey='quiet')`;
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(['Location', 'DataServiceId', 'Preference-Applied'].map((name) => answer.header(name))).toEqual([
      location,
      location,
      'return-no-content',
    ]);
  });

  it('is answered 201 with Preference-Applied if Prefer asks for the content', async () => {
    const answer = await insert(keysOf('loud'), { Prefer: 'return-content' });
    expect([answer.status, answer.header('Preference-Applied')]).toEqual([201, 'return-content']);
  });

  it('is refused in XML', async () => {
    await insert(keysOf('twice'));
    expectRefusal(await insert(keysOf('twice')), refusal('EntityAlreadyExists'), xml);
    expectRefusal(await insert(keysOf('r'), {}, 'absent'), refusal('TableNotFound'), xml);
    expectRefusal(await insert('<d:RowKey>r</d:RowKey>'), refusal('PropertiesNeedValue'), xml);
    expectRefusal(
      await insert('<d:PartitionKey m:null="true" /><d:RowKey>r</d:RowKey>'),
      refusal('PropertiesNeedValue'),
      xml,
    );
    expectRefusal(await insert(`${keysOf('r')}<d:a>1</d:a><d:a>2</d:a>`), refusal('DuplicatePropertiesSpecified'), xml);
    expectRefusal(await insert(`${keysOf('r')}<d:a-b>1</d:a-b>`), refusal('PropertyNameInvalid'), xml);
  });
});

describe('An update, a merge, an upsert and a delete in Atom', () => {
  const write = (method: string, rowKey: string, custom: string, headers: WireHeaders = {}): Promise<WireAnswer> =>
    service.send({
      method,
      path: entityPath('pets', 'p', rowKey),
      headers: { ...atomHeaders, ...headers },
      body: entryOf(custom).replace('<id />', `<id>https://elsewhere/pets(PartitionKey='q',RowKey='other')</id>`),
    });
  const n = (value: number): string => `<d:n m:type="Edm.Int32">${value}</d:n>`;

  it.each(['PUT', 'MERGE', 'PATCH'])('are answered 204 with the ETag: %s', async (method) => {
    for (const condition of [{}, { 'If-Match': '*' }]) {
      const answer = await write(method, method, n(1), condition);
      if (answer.status === 404) throw new Error('the upsert came second');
      expect([answer.status, answer.body]).toEqual([204, '']);
      const got = await read(method);
      expect([got.header('ETag'), propertiesIn(got)]).toEqual([etagOf(answer), [keysOf(method) + n(1)]]);
    }
  });

  it('replace or merge as in JSON', async () => {
    await insert(`${keysOf('both')}<d:a>1</d:a><d:b>2</d:b>`);
    await write('MERGE', 'both', '<d:b>3</d:b><d:a m:null="true" />', { 'If-Match': '*' });
    expect(propertiesIn(await read('both'))).toEqual([`${keysOf('both')}<d:a>1</d:a><d:b>3</d:b>`]);
    await write('PUT', 'both', '<d:c>4</d:c>', { 'If-Match': '*' });
    expect(propertiesIn(await read('both'))).toEqual([`${keysOf('both')}<d:c>4</d:c>`]);
  });

  it('go through POST by X-HTTP-Method', async () => {
    await insert(keysOf('tunnel'));
    const answer = await write('POST', 'tunnel', n(7), { 'X-HTTP-Method': 'MERGE', 'If-Match': '*' });
    expect(answer.status).toBe(204);
    expect(propertiesIn(await read('tunnel'))).toEqual([keysOf('tunnel') + n(7)]);
  });

  it('accept the ETag of an entry as their condition, and refuse a stale one in XML', async () => {
    await insert(keysOf('etag'));
    const etag = (/m:etag="([^"]+)"/.exec((await read('etag')).body)?.[1] ?? '').replaceAll('&quot;', '"');
    expect((await write('PUT', 'etag', n(1), { 'If-Match': etag })).status).toBe(204);
    expectRefusal(await write('PUT', 'etag', n(2), { 'If-Match': etag }), refusal('UpdateConditionNotSatisfied'), xml);
    const path = entityPath('pets', 'p', 'etag');
    const headers = { ...atomReading, 'If-Match': '*' };
    expect((await service.send({ method: 'DELETE', path, headers })).status).toBe(204);
    expectRefusal(await read('etag'), refusal('ResourceNotFound'), xml);
  });
});

describe('Types in Atom', () => {
  const typed = (type: string, text: string): string => `<d:v m:type="${type}">${text}</d:v>`;
  // Each value: as it is sent, as it is returned in Atom, and as it is returned in JSON.
  const forms: [sent: string, atom: string, json: string][] = [
    ['<d:v>text</d:v>', '<d:v>text</d:v>', '"text"'],
    ['<d:v></d:v>', '<d:v></d:v>', '""'],
    [typed('Edm.String', 'text'), '<d:v>text</d:v>', '"text"'],
    [typed('Edm.Int32', ' -5 '), typed('Edm.Int32', '-5'), '-5'],
    [typed('Edm.Int32', '+007'), typed('Edm.Int32', '7'), '7'],
    [typed('Edm.Int64', '9223372036854775807'), typed('Edm.Int64', '9223372036854775807'), '"9223372036854775807"'],
    [typed('Edm.Double', '12.5'), typed('Edm.Double', '12.5'), '12.5'],
    [typed('Edm.Double', '3'), typed('Edm.Double', '3'), '3.0'],
    [typed('Edm.Double', '1e20'), typed('Edm.Double', '1E+20'), '1E+20'],
    [typed('Edm.Double', '-0'), typed('Edm.Double', '-0'), '0.0'],
    [typed('Edm.Double', 'NaN'), typed('Edm.Double', 'NaN'), '"NaN"'],
    [typed('Edm.Double', 'INF'), typed('Edm.Double', 'INF'), '"Infinity"'],
    [typed('Edm.Double', '-Infinity'), typed('Edm.Double', '-INF'), '"-Infinity"'],
    [typed('Edm.Boolean', 'true'), typed('Edm.Boolean', 'true'), 'true'],
    [typed('Edm.Boolean', '0'), typed('Edm.Boolean', 'false'), 'false'],
    [
      typed('Edm.DateTime', '2014-11-10T03:04:05.2Z'),
      typed('Edm.DateTime', '2014-11-10T03:04:05.2Z'),
      '"2014-11-10T03:04:05.2Z"',
    ],
    [
      typed('Edm.DateTime', '2014-11-10T03:04:05'),
      typed('Edm.DateTime', '2014-11-10T03:04:05Z'),
      '"2014-11-10T03:04:05Z"',
    ],
    [
      typed('Edm.Guid', '0F8FAD5B-D9CB-469F-A165-70867728950E'),
      typed('Edm.Guid', '0f8fad5b-d9cb-469f-a165-70867728950e'),
      '"0f8fad5b-d9cb-469f-a165-70867728950e"',
    ],
    [typed('Edm.Binary', 'AQID\n BA=='), typed('Edm.Binary', 'AQIDBA=='), '"AQIDBA=="'],
    [typed('Edm.Binary', ''), typed('Edm.Binary', ''), '""'],
    ['<d:v m:type="Edm.Int32" m:null="true" />', '', ''],
    ['<d:v m:null="true">ignored</d:v>', '', ''],
  ];

  it.each(forms)('%s is answered as %s, and in JSON as %s', async (sent, atom, json) => {
    const rowKey = `type${forms.findIndex(([own]) => own === sent)}`;
    const answer = await insert(keysOf(rowKey) + sent);
    expect(answer.status, answer.body).toBe(201);
    expect(propertiesIn(answer)).toEqual([keysOf(rowKey) + atom]);
    expect(propertiesIn(await read(rowKey))).toEqual([keysOf(rowKey) + atom]);
    const inJson = await service.get(entityPath('pets', 'p', rowKey), jsonReading);
    expect(/"Timestamp":"[^"]+",?(?:"v":)?(.*)\}$/.exec(inJson.body)?.[1]).toBe(json);
  });

  it.each([
    typed('Edm.Int32', 'five'),
    typed('Edm.Int32', '2147483648'),
    typed('Edm.Int32', ''),
    typed('Edm.Int64', '1.5'),
    typed('Edm.Boolean', 'yes'),
    typed('Edm.DateTime', 'today'),
    typed('Edm.Guid', 'none'),
    typed('Edm.Binary', '!'),
    typed('Edm.Decimal', '1'),
    typed('', '1'),
    '<d:v m:null="maybe">x</d:v>',
  ])('%s is refused: 400 InvalidInput', async (sent) => {
    expectRefusal(await insert(keysOf('bad') + sent), refusal('InvalidInput', { stage: 'reading' }), xml);
  });

  it('are the same for an entity written in JSON and read in Atom, and the reverse', async () => {
    const json =
      '"s":" a<b>&\\"\u00e9\u{1f600} ","b":true,"i":-5,"d":1.5,"l@odata.type":"Edm.Int64","l":"9007199254740993",' +
      '"t@odata.type":"Edm.DateTime","t":"2024-05-01T10:00:00.1234567Z","g@odata.type":"Edm.Guid",' +
      '"g":"0f8fad5b-d9cb-469f-a165-70867728950e","y@odata.type":"Edm.Binary","y":"AQIDBA=="';
    await service.insert('pets', `{"PartitionKey":"p","RowKey":"json",${json}}`);
    const [properties = ''] = propertiesIn(await read('json'));
    expect(properties).toBe(
      `${keysOf('json')}<d:s xml:space="preserve"> a&lt;b&gt;&amp;"\u00e9\u{1f600} </d:s>` +
        '<d:b m:type="Edm.Boolean">true</d:b><d:i m:type="Edm.Int32">-5</d:i><d:d m:type="Edm.Double">1.5</d:d>' +
        '<d:l m:type="Edm.Int64">9007199254740993</d:l><d:t m:type="Edm.DateTime">2024-05-01T10:00:00.1234567Z</d:t>' +
        '<d:g m:type="Edm.Guid">0f8fad5b-d9cb-469f-a165-70867728950e</d:g><d:y m:type="Edm.Binary">AQIDBA==</d:y>',
    );
    expect((await insert(properties.replace(keysOf('json'), keysOf('atom')))).status).toBe(201);
    const custom = async (rowKey: string): Promise<string> => {
      const headers = { ...jsonReading, Accept: 'application/json;odata=minimalmetadata' };
      return (await service.get(entityPath('pets', 'p', rowKey), headers)).body.replace(/^.*"Timestamp":"[^"]+"/, '');
    };
    expect(await custom('atom')).toBe(await custom('json'));
  });
});

describe('A feed in Atom', () => {
  const feedStart =
    `${declaration}<feed xml:base="${base}/" ${answerNamespaces}><id>${base}/many</id>` +
    '<title type="text">many</title><updated />';

  it('has an author if it is empty, and otherwise entries that declare no namespaces', async () => {
    await service.createTable('many');
    const empty = await service.get('/many()', atomReading);
    expect([empty.status, empty.header('Content-Type')]).toEqual([200, feedType]);
    const link = '<link rel="self" title="many" href="many" />';
    expect(withoutUpdated(empty.body)).toBe(`${feedStart}<author><name /></author>${link}</feed>`);

    const etags: string[] = [];
    for (const rowKey of ['a', 'b']) etags.push(etagOf(await insert(keysOf(rowKey), {}, 'many')));
    for (const path of ['/many()', '/many', '/many()?$top=5']) {
      const { body } = await service.get(path, atomReading);
      const entries = ['a', 'b'].map((rowKey, index) => entryText(rowKey, etags[index]!, '', false));
      expect(withoutUpdated(body)).toBe(`${feedStart}${link}${entries.join('').replaceAll('pets', 'many')}</feed>`);
    }
  });

  it('is continued by headers, and has no next link', async () => {
    await service.createTable('paged');
    for (const RowKey of ['a', 'b', 'c', 'd', 'e']) await service.insert('paged', { RowKey });
    const seen: string[] = [];
    let next = '';
    do {
      const page = await service.get(`/paged()?$top=2${next}`, atomReading);
      seen.push(...propertiesIn(page).map((text) => /<d:RowKey>(.*?)</.exec(text)?.[1] ?? ''));
      expect(page.body).not.toMatch(/rel="next"|m:count/);
      const [partition, row] = ['NextPartitionKey', 'NextRowKey'].map((name) =>
        page.header(`x-ms-continuation-${name}`),
      );
      next = partition === undefined ? '' : `&NextPartitionKey=${partition}&NextRowKey=${row}`;
    } while (next !== '' && seen.length < 10);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('contains the selected properties, with null for those that an entity lacks', async () => {
    await service.createTable('chosen');
    await service.insert('chosen', { RowKey: 'a', n: 1, x: 'y' });
    await service.insert('chosen', { RowKey: 'b' });
    const feed = await service.get('/chosen()?$select=RowKey,n', atomReading);
    expect(propertiesIn(feed)).toEqual([
      '<d:RowKey>a</d:RowKey><d:n m:type="Edm.Int32">1</d:n>',
      '<d:RowKey>b</d:RowKey><d:n m:null="true" />',
    ]);
    const entry = await service.get(`${entityPath('chosen', 'p', 'b')}?$select=n`, atomReading);
    expect(propertiesIn(entry)).toEqual(['<d:n m:null="true" />']);
  });

  it('is filtered as in JSON, and errors are XML', async () => {
    const feed = await service.get(`/chosen()?$filter=n%20eq%201`, atomReading);
    expect(propertiesIn(feed)).toHaveLength(1);
    const refused = await service.get('/absent()', atomReading);
    expectRefusal(refused, refusal('TableNotFound'), xml);
  });
});

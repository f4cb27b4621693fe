// x-ms-version, Accept, $format and DataServiceVersion decide which requests are parsed as Atom, and which responses
// are written as Atom.

import { describe, expect, it } from 'vitest';
import { atomHeaders, entryOf, entryType, feedType, keysOf } from '../support/atom-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });
const path = entityPath('pets');
const xml = { contentType: 'application/xml;charset=utf-8' };
const get = (version: string, headers: WireHeaders, query = ''): Promise<WireAnswer> =>
  service.get(path + query, { 'x-ms-version': version, ...headers });

const old = ['2009-04-14', '2009-09-19', '2011-08-18', '2012-02-12'];
const both = ['2013-08-15', '2014-02-14', '2015-02-21', '2015-04-05', '2015-07-08'];
const jsonOnly = ['2015-12-11', '2016-05-31', '2019-02-02', '2020-12-06'];
const atomAccepts = [
  undefined,
  '*/*',
  'application/*',
  'application/xml',
  'application/atom+xml',
  'application/atom+xml,application/xml',
  'text/html, application/atom+xml',
];

describe('Before 2013-08-15 a response', () => {
  it.each(old)('is Atom for any Accept except JSON: %s', async (version) => {
    for (const Accept of atomAccepts) {
      const answer = await get(version, { Accept });
      expect([answer.status, answer.header('Content-Type')]).toEqual([200, entryType]);
    }
  });

  it.each(old.slice(1))('is 415 JsonFormatNotSupported if only JSON is accepted: %s', async (version) => {
    expectRefusal(await get(version, { Accept: 'application/json' }), refusal('JsonFormatNotSupported'), xml);
    expectRefusal(
      await get(version, { Accept: 'application/json;odata=nometadata' }),
      refusal('JsonFormatNotSupported'),
      xml,
    );
  });

  it.each(old)('is Atom if JSON is accepted as well: %s', async (version) => {
    const answer = await get(version, { Accept: 'application/json, application/atom+xml' });
    expect(answer.header('Content-Type')).toBe(entryType);
  });
});

describe('From 2013-08-15 on a response', () => {
  it.each(both)('is Atom if Accept is Atom, */* or absent: %s', async (version) => {
    for (const Accept of atomAccepts) {
      expect((await get(version, { Accept })).header('Content-Type')).toBe(entryType);
    }
  });

  it.each(both)('is JSON if Accept is JSON: %s', async (version) => {
    for (const Accept of [
      'application/json',
      'application/json;odata=nometadata',
      'application/atom+xml;q=0.5, application/json',
    ]) {
      expect((await get(version, { Accept })).header('Content-Type')).toMatch(/^application\/json;odata=/);
    }
  });

  it.each(both)('has the format of $format for any Accept: %s', async (version) => {
    for (const format of ['atom', 'application/atom%2Bxml']) {
      const answer = await get(version, { Accept: 'application/json' }, `?$format=${format}`);
      expect(answer.header('Content-Type')).toBe(entryType);
    }
    for (const format of ['json', 'application/json;odata=minimalmetadata']) {
      const answer = await get(version, { Accept: 'application/atom+xml' }, `?$format=${format}`);
      expect(answer.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata/);
    }
  });

  it.each(['1.0', '2.0', '2.0;', '1.0;NetFx'])('is not JSON for DataServiceVersion %s', async (data) => {
    const version = '2015-07-08';
    for (const name of ['DataServiceVersion', 'MaxDataServiceVersion']) {
      const headers = { [name]: data, Accept: 'application/json' };
      expectRefusal(await get(version, headers), refusal('JsonFormatNotSupported'), xml);
      const answer = await get(version, { [name]: data, Accept: 'application/atom+xml' });
      expect(answer.header('Content-Type')).toBe(entryType);
      expect(answer.body).not.toContain('georss');
    }
  });

  it.each(['3.0', '3.0;', '3.0;NetFx', ' 3.0 ; any'])('is JSON for DataServiceVersion %s', async (data) => {
    for (const name of ['DataServiceVersion', 'MaxDataServiceVersion']) {
      const answer = await get('2015-07-08', { [name]: data, Accept: 'application/json' });
      expect(answer.header('Content-Type')).toMatch(/^application\/json/);
    }
  });

  it('depends on MaxDataServiceVersion before DataServiceVersion', async () => {
    const headers = { DataServiceVersion: '1.0', MaxDataServiceVersion: '3.0;NetFx', Accept: 'application/json' };
    expect((await get('2015-07-08', headers)).status).toBe(200);
  });
});

describe('From 2015-12-11 on a response', () => {
  it.each(jsonOnly)('is 415 AtomFormatNotSupported if Accept is Atom or absent: %s', async (version) => {
    for (const Accept of atomAccepts.filter((accept) => !/\*|html/.test(accept ?? ''))) {
      expectRefusal(await get(version, { Accept }), refusal('AtomFormatNotSupported'), xml);
    }
    expectRefusal(await get(version, { Accept: '*/*' }, '?$format=atom'), refusal('AtomFormatNotSupported'), xml);
  });

  it.each(jsonOnly)('is still Atom for */*: %s', async (version) => {
    for (const Accept of ['*/*', 'application/*']) {
      const entry = await get(version, { Accept });
      expect([entry.status, entry.header('Content-Type')]).toEqual([200, entryType]);
      const feed = await service.get('/pets()', { 'x-ms-version': version, Accept });
      expect([feed.status, feed.header('Content-Type')]).toEqual([200, feedType]);
      const tables = await service.get('/Tables', { 'x-ms-version': version, Accept });
      expect([tables.status, tables.header('Content-Type')]).toEqual([200, feedType]);
    }
  });

  it('is Atom for an insert in JSON that accepts */*', async () => {
    const body = '{"PartitionKey":"p","RowKey":"json in"}';
    const answer = await service.send({ method: 'POST', path: '/pets', headers: { Accept: '*/*' }, body });
    expect([answer.status, answer.header('Content-Type')]).toEqual([201, entryType]);
    expect(answer.body).toContain('<d:RowKey>json in</d:RowKey>');
  });

  it('without a body is 204 for any Accept', async () => {
    const headers = { Accept: 'application/atom+xml', 'If-Match': '*' };
    expect((await service.send({ method: 'MERGE', path, headers, body: '{}' })).status).toBe(204);
  });
});

describe('A body', () => {
  let rows = 0;
  const insert = (contentType: string | undefined, version: string, kind: 'atom' | 'json'): Promise<WireAnswer> => {
    const rowKey = `body${rows++}`;
    const body = kind === 'atom' ? entryOf(keysOf(rowKey)) : JSON.stringify({ PartitionKey: 'p', RowKey: rowKey });
    const headers = { ...atomHeaders, 'Content-Type': contentType, 'x-ms-version': version };
    return service.send({ method: 'POST', path: '/pets', headers, body });
  };

  it.each([
    'application/atom+xml',
    'application/atom+xml;type=entry',
    'application/atom+xml; type=entry; charset=utf-8',
    'application/atom+xml;charset="utf-8"',
    'Application/Atom+XML',
    'application/xml',
    'text/xml',
  ])('is Atom if its type is %s, at every version up to 2015-07-08', async (type) => {
    for (const version of [...old, ...both]) expect((await insert(type, version, 'atom')).status).toBe(201);
  });

  it('is Atom without a type, up to 2015-07-08', async () => {
    expect((await insert(undefined, '2015-07-08', 'atom')).status).toBe(201);
  });

  it.each(jsonOnly)('in Atom is 415 AtomFormatNotSupported: %s', async (version) => {
    for (const type of ['application/atom+xml', 'application/atom+xml;type=entry', 'application/xml']) {
      expectRefusal(await insert(type, version, 'atom'), refusal('AtomFormatNotSupported'), xml);
    }
  });

  it('in JSON is 415 JsonFormatNotSupported before 2013-08-15', async () => {
    for (const version of old.slice(1)) {
      expectRefusal(await insert('application/json', version, 'json'), refusal('JsonFormatNotSupported'), xml);
    }
  });

  it('in one format may be answered in the other', async () => {
    const jsonIn = await insert('application/json', '2015-07-08', 'json');
    expect([jsonIn.status, jsonIn.header('Content-Type')]).toEqual([201, entryType]);
    const headers = { ...atomHeaders, Accept: 'application/json;odata=nometadata' };
    const body = entryOf(keysOf('atom in'));
    const atomIn = await service.send({ method: 'POST', path: '/pets', headers, body });
    expect(atomIn.body).toMatch(/^\{"PartitionKey":"p","RowKey":"atom in","Timestamp":"[^"]+"\}$/);
  });

  it('is refused if it does not have the format that Content-Type declares', async () => {
    expect((await insert('application/json', '2015-07-08', 'atom')).status).toBe(400);
    expect((await insert('application/atom+xml', '2015-07-08', 'json')).status).toBe(400);
  });
});

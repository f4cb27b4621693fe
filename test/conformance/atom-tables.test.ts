// Tables written and read in Atom.

import { describe, expect, it } from 'vitest';
import {
  answerNamespaces,
  atomHeaders,
  atomReading,
  declaration,
  entryOf,
  entryType,
  feedType,
  propertiesIn,
  withoutUpdated,
} from '../support/atom-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
const { base } = service;
const xml = { contentType: 'application/xml;charset=utf-8' };

const create = (properties: string, headers: WireHeaders = {}): Promise<WireAnswer> =>
  service.send({
    method: 'POST',
    path: '/Tables',
    headers: { ...atomHeaders, ...headers },
    body: entryOf(properties),
  });
const named = (name: string): string => `<d:TableName>${name}</d:TableName>`;
const scheme = 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme';

function entryText(name: string, isAlone = true): string {
  const attributes = isAlone ? ` xml:base="${base}/" ${answerNamespaces}` : '';
  return (
    `<entry${attributes}><id>${base}/Tables('${name}')</id><category term="devstoreaccount1.Tables" scheme="${scheme}" />` +
    `<link rel="edit" title="Tables" href="Tables('${name}')" /><title /><updated /><author><name /></author>` +
    `<content type="application/xml"><m:properties>${named(name)}</m:properties></content></entry>`
  );
}

const feedStart = `${declaration}<feed xml:base="${base}/" ${answerNamespaces}><id>${base}/Tables</id><title type="text">Tables</title><updated />`;
const feedLink = '<link rel="self" title="Tables" href="Tables" />';

describe('Tables in Atom', () => {
  it('are an empty feed with an author at first', async () => {
    const { body, header } = await service.get('/Tables', atomReading);
    expect(header('Content-Type')).toBe(feedType);
    expect(withoutUpdated(body)).toBe(`${feedStart}<author><name /></author>${feedLink}</feed>`);
  });

  it('are created: 201 with the entry and its Location, and no ETag', async () => {
    const answer = await create(named('pets'));
    expect([answer.status, answer.header('Content-Type')]).toEqual([201, entryType]);
    expect(answer.header('Location')).toBe(`${base}/Tables('pets')`);
    expect(answer.header('ETag')).toBeUndefined();
    expect(withoutUpdated(answer.body)).toBe(declaration + entryText('pets'));
  });

  it('are created with an empty response if Prefer asks for no content', async () => {
    const answer = await create(named('quiet'), { Prefer: 'return-no-content' });
    expect([answer.status, answer.body]).toEqual([204, '']);
    for (const name of ['Location', 'DataServiceId']) expect(answer.header(name)).toBe(`${base}/Tables('quiet')`);
    expect(answer.header('Preference-Applied')).toBe('return-no-content');
  });

  it('are listed, and read one by one', async () => {
    const { body } = await service.get('/Tables', atomReading);
    const entries = ['pets', 'quiet'].map((name) => entryText(name, false)).join('');
    expect(withoutUpdated(body)).toBe(`${feedStart}${feedLink}${entries}</feed>`);
    for (const path of ["/Tables('pets')", '/Tables(%27pets%27)']) {
      expect(withoutUpdated((await service.get(path, atomReading)).body)).toBe(declaration + entryText('pets'));
    }
  });

  it('are listed in pages, with a token in the headers', async () => {
    const page = await service.get('/Tables?$top=1', atomReading);
    const next = page.header('x-ms-continuation-NextTableName');
    expect(propertiesIn(page)).toEqual([named('pets')]);
    const last = await service.get(`/Tables?$top=1&NextTableName=${next}`, atomReading);
    expect(propertiesIn(last)).toEqual([named('quiet')]);
    expect(last.header('x-ms-continuation-NextTableName')).toBeUndefined();
  });

  it('have the same names as in JSON', async () => {
    const headers = { 'x-ms-version': '2015-07-08', Accept: 'application/json;odata=nometadata' };
    expect((await service.get('/Tables', headers)).body).toBe('{"value":[{"TableName":"pets"},{"TableName":"quiet"}]}');
    await service.createTable('fromjson');
    expect((await service.get("/Tables('fromjson')", atomReading)).body).toContain(named('fromjson'));
  });

  it('get errors in XML', async () => {
    expectRefusal(await create(named('pets')), refusal('TableAlreadyExists'), xml);
    expectRefusal(await service.get("/Tables('absent')", atomReading), refusal('ResourceNotFound'), xml);
    expectRefusal(await create(named('has space')), refusal('InvalidResourceName'), xml);
    for (const properties of ['', '<d:TableName m:null="true" />', '<d:Other>pets</d:Other>']) {
      const answer = await create(properties);
      expect([answer.status, answer.header('Content-Type')]).toEqual([400, xml.contentType]);
    }
  });

  it('are deleted', async () => {
    const path = "/Tables('quiet')";
    const answer = await service.send({
      method: 'DELETE',
      path,
      headers: { ...atomHeaders, 'Content-Type': undefined },
    });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expectRefusal(await service.get(path, atomReading), refusal('ResourceNotFound'), xml);
  });
});

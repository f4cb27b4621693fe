// If a request has no `x-ms-version`, the service answers in its oldest version, which has no JSON. Every SDK sends
// this header. A request for JSON without the header was therefore written by hand, so Tanzanite answers it in the
// newest version. If a request without the header does not ask for JSON, Tanzanite answers in Atom, as the service
// does. WCF Data Services clients and PowerShell's Invoke-WebRequest send such requests.

import { describe, expect, it } from 'vitest';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { entryOf, entryType, keysOf } from '../../support/atom-requests.ts';
import { aclPath } from '../../support/expect-xml.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();

describe('A missing x-ms-version is the newest', () => {
  it('gets JSON, and the newest version in the response', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': undefined });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
    expect(answer.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata;/);
  });

  it('is the oldest if the request accepts or sends Atom: the response is Atom, without x-ms-version', async () => {
    for (const headers of [
      { Accept: 'application/atom+xml,application/xml' },
      { Accept: '*/*', 'Content-Type': 'application/atom+xml' },
    ]) {
      const answer = await service.get('/Tables', { 'x-ms-version': undefined, ...headers });
      expect([answer.status, answer.header('Content-Type'), answer.header('x-ms-version')]).toEqual([
        200,
        'application/atom+xml;type=feed;charset=utf-8',
        undefined,
      ]);
      expect(answer.body).not.toContain('georss');
    }
  });

  it('is the oldest if the request does not ask for JSON: entities are Atom, errors are XML', async () => {
    await service.createTable('bare');
    await service.insert('bare', { n: 1 });
    for (const Accept of [undefined, '*/*', 'application/xml', 'text/html, application/xml;q=0.9, */*;q=0.8']) {
      const headers = { 'x-ms-version': undefined, Accept };
      const [entity, missing] = [
        await service.get(entityPath('bare'), headers),
        await service.get(entityPath('bare', 'p', 'missing'), headers),
      ];
      expect([entity.status, entity.header('Content-Type'), entity.header('x-ms-version')]).toEqual([
        200,
        entryType,
        undefined,
      ]);
      expect([missing.status, missing.header('Content-Type')]).toEqual([404, 'application/xml;charset=utf-8']);
      expect(missing.body).toContain('<code>ResourceNotFound</code>');
    }
  });

  it('is the newest if JSON is sent, or asked for with $format', async () => {
    const asked = await service.get('/Tables?$format=application/json', { 'x-ms-version': undefined, Accept: '*/*' });
    expect(asked.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata;/);
    const headers = { 'x-ms-version': undefined, Accept: '*/*', 'Content-Type': 'application/json' };
    await service.createTable('sent');
    const insert = { method: 'POST', path: '/sent', headers, body: '{"PartitionKey":"p","RowKey":"r"}' };
    const inserted = await service.send(insert);
    expect([inserted.status, inserted.header('x-ms-version')]).toEqual([201, newestVersion]);
  });

  it('is the newest for the policies and properties of the service, which are XML', async () => {
    await service.createTable('policies');
    for (const path of [aclPath('policies'), '/?restype=service&comp=properties']) {
      const answer = await service.get(path, { 'x-ms-version': undefined, Accept: undefined });
      expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
    }
  });

  it('is the oldest for writes and errors of an Atom client too', async () => {
    const headers = {
      'x-ms-version': undefined,
      Accept: 'application/atom+xml,application/xml',
      'Content-Type': 'application/atom+xml',
      DataServiceVersion: '1.0;NetFx',
      MaxDataServiceVersion: '2.0;NetFx',
    };
    await service.createTable('plain');
    const insert = { method: 'POST', path: '/plain', headers, body: entryOf(keysOf('r')) };
    const [inserted, refused] = [await service.send(insert), await service.send(insert)];
    expect([inserted.status, inserted.header('Content-Type')]).toEqual([201, entryType]);
    expect([refused.status, refused.header('Content-Type')]).toEqual([409, 'application/xml;charset=utf-8']);
    expect(refused.header('x-ms-version')).toBeUndefined();
  });

  it('may also be a header without a value', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': '' });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
  });
});

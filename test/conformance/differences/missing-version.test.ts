// The service answers a request without `x-ms-version` with its oldest version, which has no JSON. Every SDK sends the
// header. A JSON request without it is written by hand, and the newest version serves it better. An Atom request without it
// comes from a WCF Data Services client, and gets the service's response.

import { describe, expect, it } from 'vitest';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { entryOf, entryType, keysOf } from '../../support/atom-requests.ts';
import { startService } from '../../support/service.ts';

const service = await startService();

describe('A missing x-ms-version is the newest', () => {
  it('gets JSON, and the newest version in the response', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': undefined });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
    expect(answer.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata;/);
  });

  it('is the oldest if the request accepts or sends Atom: the response is Atom, and has no version', async () => {
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

  it('may also be an empty header', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': '' });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
  });
});

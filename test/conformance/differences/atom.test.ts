// The service speaks Atom beside JSON: for `Accept: */*` at every version, and for bodies before 2015-12-11. The SDKs
// have asked for JSON for a decade, so Atom is not built. What the service does is written here as expected to fail,
// so that building it is noticed.

import { describe, expect, it } from 'vitest';
import { startService } from '../service.ts';

const service = await startService();
await service.createTable('pets');

describe('AtomPub is not built', () => {
  it('answers Accept: */* in JSON at minimal metadata', async () => {
    const answer = await service.get('/Tables', { Accept: '*/*' });
    expect(answer.status).toBe(200);
    expect(answer.header('Content-Type')).toBe('application/json;odata=minimalmetadata;streaming=true;charset=utf-8');
    expect(answer.body).toContain('"value":[{"TableName":"pets"}]');
  });

  it('answers 501 NotImplemented to a body in Atom where the version allows it', async () => {
    const headers = { 'Content-Type': 'application/atom+xml', 'x-ms-version': '2015-07-08' };
    const answer = await service.send({ method: 'POST', path: '/Tables', headers, body: '<entry/>' });
    expect([answer.status, answer.body]).toEqual([501, expect.stringContaining('"code":"NotImplemented"')]);
  });

  it.fails('answers Accept: */* with an Atom feed', async () => {
    const answer = await service.get('/Tables', { Accept: '*/*' });
    expect(answer.header('Content-Type')).toMatch(/^application\/atom\+xml/);
  });

  it.fails('reads an Atom entry before 2015-12-11', async () => {
    const headers = { 'Content-Type': 'application/atom+xml', 'x-ms-version': '2015-07-08' };
    const body =
      '<?xml version="1.0" encoding="utf-8"?><entry xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" ' +
      'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom">' +
      '<content type="application/xml"><m:properties><d:TableName>fromatom</d:TableName></m:properties></content></entry>';
    const answer = await service.send({ method: 'POST', path: '/Tables', headers, body });
    expect(answer.status).toBe(201);
  });
});

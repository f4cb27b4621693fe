import { describe, expect, it } from 'vitest';
import { entityPath, startService } from '../service.ts';

// `loose` takes what the service refuses, where the meaning is plain. What it does not say stays as the service has it.

const loose = await startService({ loose: true });
await loose.createTable('pets');
await loose.insert('pets', { n: 1 });

describe('Loose manners', () => {
  it.each(['2018-06-28', '12.0.0b1', 'latest'])('take a version that does not exist: %s', async (version) => {
    expect((await loose.get('/Tables', { 'x-ms-version': version })).status).toBe(200);
  });

  it.each([undefined, 'text/plain', 'application/atom+xml'])(
    'read a body as JSON for Content-Type %s',
    async (type) => {
      const headers = { 'Content-Type': type };
      const answer = await loose.send({
        method: 'PUT',
        path: entityPath('pets', 'p', 'typed'),
        headers,
        body: '{"n":2}',
      });
      expect(answer.status).toBe(204);
      expect((await loose.get(entityPath('pets', 'p', 'typed'))).body).toContain('"n":2}');
    },
  );

  it.each([undefined, 'text/html', 'application/xml'])('answer in JSON for Accept %s', async (Accept) => {
    const answer = await loose.get(entityPath('pets'), { Accept });
    expect(answer.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata;/);
  });

  it('take a date of any age', async () => {
    expect((await loose.get('/Tables', { 'x-ms-date': 'Mon, 15 Jan 2024 10:30:00 GMT' })).status).toBe(200);
  });

  it('delete without a condition', async () => {
    await loose.insert('pets', { RowKey: 'doomed' });
    expect((await loose.send({ method: 'DELETE', path: entityPath('pets', 'p', 'doomed') })).status).toBe(204);
    expect((await loose.get(entityPath('pets', 'p', 'doomed'))).status).toBe(404);
  });

  it('overlook a condition where the service knows none', async () => {
    const body = '{"PartitionKey":"p","RowKey":"conditional"}';
    const inserted = await loose.send({ method: 'POST', path: '/pets', headers: { 'If-Match': '*' }, body });
    expect(inserted.status).toBe(201);
    const headers = { 'If-None-Match': '*' };
    const put = await loose.send({ method: 'PUT', path: entityPath('pets', 'p', 'conditional'), headers, body });
    expect(put.status).toBe(204);
  });

  it('give 1000 entities where more are asked for, and overlook options that the service has no use for', async () => {
    expect((await loose.get('/pets()?$top=5000')).status).toBe(200);
    expect((await loose.get('/pets()?$orderby=RowKey')).status).toBe(200);
  });
});

describe('Loose manners do not', () => {
  it.each([
    ['let strangers in', 'GET', '/Tables', { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' }, undefined, 403],
    [
      'overlook a stale condition',
      'PUT',
      entityPath('pets'),
      { 'If-Match': `W/"datetime'2001-01-01T00%3A00%3A00Z'"` },
      '{}',
      412,
    ],
    ['read a malformed body', 'PUT', entityPath('pets'), {}, '{', 400],
    ['stretch a limit', 'PUT', entityPath('pets'), {}, JSON.stringify({ s: 's'.repeat(32_769) }), 400],
    ['read a page size that is no number', 'GET', '/pets()?$top=ten', {}, undefined, 400],
    ['answer what is not built', 'GET', '/pets()?$filter=true', {}, undefined, 501],
  ] as const)('%s', async (_, method, path, headers, body, status) => {
    expect((await loose.send({ method, path, headers, body })).status).toBe(status);
  });
});

import { describe, expect, it } from 'vitest';
import { expectRefusal, type Refusal, refusal, unreadable } from '../support/expect-refusal.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });
const path = entityPath('pets');
const xml = { contentType: 'application/xml;charset=utf-8' };

function get(
  Accept: string | undefined,
  { format, version = '2019-02-02' }: { format?: string; version?: string } = {},
) {
  const query = format === undefined ? '' : `?$format=${encodeURIComponent(format)}`;
  return service.get(path + query, { Accept, 'x-ms-version': version });
}

const levelOf = (answer: WireAnswer): string | undefined =>
  /^application\/json;odata=(\w+);streaming=true;charset=utf-8$/.exec(answer.header('Content-Type') ?? '')?.[1];

// Evidence: recorded (azure-storage-node: none at 2014-02-14 and 2015-02-21; storage: some at 2015-04-05).
describe('odata.etag', () => {
  it.each([
    ['2015-02-21', [false, false, true]],
    ['2015-04-05', [false, true, true]],
  ])('at version %s is present at these levels: %j', async (version, expected) => {
    const seen: boolean[] = [];
    for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata']) {
      const headers = { Accept: `application/json;odata=${level}`, 'x-ms-version': version };
      const [point, feed] = [await service.get(path, headers), await service.get('/pets()', headers)];
      const nothing = await service.get(`${path}?$select=a.b`, headers);
      for (const answer of [point, feed, nothing]) expect(() => JSON.parse(answer.body)).not.toThrow();
      expect(feed.body.includes('"odata.etag"')).toBe(point.body.includes('"odata.etag"'));
      seen.push(point.body.includes('"odata.etag"'));
    }
    expect(seen).toEqual(expected);
  });
});

describe('Accept', () => {
  it.each([
    ['application/json', 'minimalmetadata'],
    ['application/json;odata=nometadata', 'nometadata'],
    ['application/json;odata=minimalmetadata', 'minimalmetadata'],
    ['application/json;odata=fullmetadata', 'fullmetadata'],
    ['application/json; odata=fullmetadata', 'fullmetadata'],
    ['application/json ;odata=nometadata', 'nometadata'],
    ['APPLICATION/JSON;ODATA=NOMETADATA', 'nometadata'],
    ['application/json;odata=nometadata;charset=utf-8', 'nometadata'],
    ['application/json;charset=utf-8;odata=nometadata', 'nometadata'],
    ['application/json;odata=unheard', 'minimalmetadata'],
    ['application/json;odata=constructor', 'minimalmetadata'],
    ['text/html, application/json;odata=nometadata', 'nometadata'],
    ['application/json;odata=nometadata;q=0.4, application/json;odata=fullmetadata;q=0.9', 'fullmetadata'],
    ['application/json;odata=fullmetadata;q=0, application/json;odata=nometadata', 'nometadata'],
    ['application/atom+xml, application/json;odata=nometadata;q=0.1', 'nometadata'],
  ])('%s results in JSON at %s', async (accept, level) => {
    const answer = await get(accept);
    expect([answer.status, levelOf(answer)]).toEqual([200, level]);
    expect(answer.body.includes('odata.metadata')).toBe(level !== 'nometadata');
    expect(answer.body.includes('odata.editLink')).toBe(level === 'fullmetadata');
  });

  it.each([undefined, 'application/atom+xml', 'application/xml', 'application/atom+xml,application/xml'])(
    '%s is refused from 2015-12-11 on: 415 AtomFormatNotSupported, in XML',
    async (accept) => {
      expectRefusal(await get(accept), refusal('AtomFormatNotSupported'), xml);
      expectRefusal(await get(accept, { version: '2015-12-11' }), refusal('AtomFormatNotSupported'), xml);
    },
  );

  it.each(['text/html', 'text/plain, image/png', 'nonsense', ''])(
    '%j is refused: 415 MediaTypeNotSupported',
    async (accept) => {
      expectRefusal(await get(accept), refusal('MediaTypeNotSupported'), xml);
    },
  );

  it('for verbose JSON is refused: 415', async () => {
    const answer = await get('application/json;odata=verbose');
    expect([answer.status, answer.body]).toEqual([
      415,
      expect.stringContaining('<code>JsonVerboseFormatNotSupported</code>'),
    ]);
  });

  it('for JSON is refused before 2013-08-15: 415 JsonFormatNotSupported, in XML', async () => {
    expectRefusal(await get('application/json', { version: '2012-02-12' }), refusal('JsonFormatNotSupported'), xml);
  });
});

describe('$format', () => {
  it.each([
    ['application/json;odata=nometadata', 'nometadata'],
    ['application/json;odata=fullmetadata', 'fullmetadata'],
    ['application/json', 'minimalmetadata'],
    ['json', 'minimalmetadata'],
  ])('%s overrides Accept and results in JSON at %s', async (format, level) => {
    for (const accept of ['application/json;odata=minimalmetadata', 'application/atom+xml', 'text/html', undefined]) {
      const answer = await get(accept, { format });
      expect([answer.status, levelOf(answer)]).toEqual([200, level]);
    }
  });

  it.each(['atom', 'application/atom+xml'])('%s overrides Accept and is refused from 2015-12-11 on', async (format) => {
    expectRefusal(await get('application/json', { format }), refusal('AtomFormatNotSupported'), xml);
  });

  it('determines the format of an error', async () => {
    const answer = await service.get(`${entityPath('absent')}?$format=application/json;odata=fullmetadata`, {
      Accept: '*/*',
    });
    const contentType = 'application/json;odata=fullmetadata;streaming=true;charset=utf-8';
    expectRefusal(answer, refusal('TableNotFound'), { contentType });
  });
});

describe('An error', () => {
  it.each(['nometadata', 'minimalmetadata', 'fullmetadata'])('is JSON with the requested level: %s', async (level) => {
    const answer = await service.get(entityPath('absent'), { Accept: `application/json;odata=${level}` });
    const contentType = `application/json;odata=${level};streaming=true;charset=utf-8`;
    expectRefusal(answer, refusal('TableNotFound'), { contentType });
  });

  it('is XML for Accept: */*', async () => {
    const headers = { Accept: '*/*' };
    expectRefusal(await service.get(entityPath('absent'), headers), refusal('TableNotFound'), xml);
    expectRefusal(await service.get(entityPath('pets', 'p', 'absent'), headers), refusal('ResourceNotFound'), xml);
  });

  it('escapes the text that it quotes', async () => {
    const key = 'a<b>&"\u00e9/';
    const body = JSON.stringify({ PartitionKey: key, RowKey: 'r' });
    const message = (text: string): Partial<Refusal> => ({
      message: `The 'PartitionKey' parameter of value '${text}' is out of range.`,
      stage: 'reading',
    });
    const asXml = await service.send({
      method: 'POST',
      path: '/pets',
      headers: { Accept: '*/*', Prefer: 'return-no-content' },
      body,
    });
    const escaped = key.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;');
    expect(asXml.body).toContain(`<message xml:lang="en-US">${message(escaped).message}\nRequestId:`);
    expectRefusal(
      await service.send({ method: 'POST', path: '/pets', body }),
      refusal('OutOfRangeInput', message(key)),
    );
  });
});

describe('A response without a body', () => {
  it('does not need an acceptable format', async () => {
    const write = (method: string, target: string, headers: WireHeaders) =>
      service.send({ method, path: target, headers: { Accept: 'text/html', 'If-Match': '*', ...headers }, body: '{}' });
    expect((await write('PUT', path, {})).status).toBe(204);
    expect((await write('MERGE', path, {})).status).toBe(204);
    const insert = { Accept: undefined, Prefer: 'return-no-content' };
    const body = '{"PartitionKey":"p","RowKey":"quiet"}';
    expect((await service.send({ method: 'POST', path: '/pets', headers: insert, body })).status).toBe(204);
  });
});

describe('Content-Type', () => {
  const put = (contentType: string | undefined, version = '2019-02-02', body = '{"n":2}'): Promise<WireAnswer> => {
    const headers = { 'Content-Type': contentType, 'x-ms-version': version };
    return service.send({ method: 'PUT', path, headers, body });
  };

  it.each([
    'application/json',
    'application/json;odata=nometadata',
    'application/json; charset=utf-8',
    'application/json;odata=fullmetadata;charset=UTF-16;other=thing',
    'Application/JSON',
  ])('%s is read as JSON', async (contentType) => {
    expect((await put(contentType)).status).toBe(204);
    expectRefusal(await put(contentType, undefined, '<entry/>'), unreadable);
  });

  it.each(['application/atom+xml', 'application/atom+xml;type=entry;charset=utf-8', 'application/xml', undefined, ''])(
    '%s is refused from 2015-12-11 on: 415 AtomFormatNotSupported',
    async (contentType) => {
      expectRefusal(await put(contentType), refusal('AtomFormatNotSupported'));
    },
  );

  it.each(['text/plain', 'multipart/mixed', 'application/jsonp', 'json'])(
    '%s is refused: 415 MediaTypeNotSupported',
    async (type) => {
      expectRefusal(await put(type), refusal('MediaTypeNotSupported'));
    },
  );

  it('of JSON is refused before 2013-08-15: 415 JsonFormatNotSupported', async () => {
    expectRefusal(await put('application/json', '2012-02-12'), refusal('JsonFormatNotSupported'), xml);
  });
});

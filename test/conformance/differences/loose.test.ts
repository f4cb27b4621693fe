// By default Tanzanite refuses every request that the service refuses, with the same error, so that you find the
// mistake before production. With `--loose` (`loose: true` in the library), Tanzanite accepts the requests in the
// sections below. Use `--loose` for code that was written against a lenient emulator and cannot be changed yet. The
// flag changes nothing else.

import { describe, expect, it } from 'vitest';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { entityPath, type Service, startService } from '../../support/service.ts';
import { tableToken } from '../../support/shared-access-tokens.ts';
import type { WireHeaders, WireRequest } from '../../support/table-client.ts';
import { outcomeOf } from './outcome.ts';

const strict = await startService();
const loose = await startService({ loose: true });
for (const service of [strict, loose]) {
  await service.createTable('pets');
  await service.insert('pets', { n: 1 });
}

let rows = 0;
/** An insert of a new entity. */
function insert(headers: WireHeaders): WireRequest {
  const body = JSON.stringify({ PartitionKey: 'inserted', RowKey: `r${rows++}` });
  return { method: 'POST', path: '/pets', headers, body };
}

async function outcome(service: Service, request: WireRequest): Promise<string> {
  return outcomeOf(await service.send(request));
}

const read = (headers: WireHeaders): WireRequest => ({ method: 'GET', path: entityPath('pets'), headers });

async function outcomes(service: Service, requests: readonly WireRequest[]): Promise<string[]> {
  const seen: string[] = [];
  for (const request of requests) seen.push(await outcome(service, request));
  return seen;
}

const all = (count: number, expected: string): string[] => Array<string>(count).fill(expected);

describe('Loose mode', () => {
  describe('Versions that do not exist', () => {
    const requests = ['2018-06-28', 'latest', '2019-2-2'].map((version) => read({ 'x-ms-version': version }));

    it('are answered 400 InvalidHeaderValue', async () => {
      expect(await outcomes(strict, requests)).toEqual(all(3, '400 InvalidHeaderValue'));
    });

    it('are accepted with --loose: a date counts as the version of that date, and any other value counts as the newest version', async () => {
      const versionOf = async (version: string): Promise<unknown[]> => {
        const answer = await loose.get('/Tables', { 'x-ms-version': version });
        return [answer.status, answer.header('x-ms-version')];
      };
      expect(await versionOf('2018-06-28')).toEqual([200, '2018-06-28']);
      for (const text of ['latest', '2019-2-2']) expect(await versionOf(text)).toEqual([200, newestVersion]);
    });

    it('are refused even with --loose if apiVersions is known', async () => {
      const careful = await startService({ loose: true, apiVersions: 'known' });
      expect(await outcomes(careful, requests)).toEqual(all(3, '400 InvalidHeaderValue'));
    });
  });

  describe('A missing Accept, or one the service refuses', () => {
    const requests = [undefined, 'application/atom+xml', 'application/json;odata=verbose', 'text/html'].map((accept) =>
      read({ Accept: accept }),
    );

    it('is answered 415, with a code for each reason', async () => {
      expect(await outcomes(strict, requests)).toEqual([
        '415 AtomFormatNotSupported',
        '415 AtomFormatNotSupported',
        '415 JsonVerboseFormatNotSupported',
        '415 MediaTypeNotSupported',
      ]);
    });

    it('is answered in JSON at minimal metadata with --loose', async () => {
      for (const request of requests) {
        const answer = await loose.send(request);
        expect([answer.status, answer.header('Content-Type')]).toEqual([
          200,
          'application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
        ]);
      }
    });

    it('is answered in JSON with --loose, and in Atom without it, if x-ms-version is missing too', async () => {
      const bare = read({ Accept: undefined, 'x-ms-version': undefined });
      const types = [(await strict.send(bare)).header('Content-Type'), (await loose.send(bare)).header('Content-Type')];
      expect(types.map((type) => type?.split(';', 1)[0])).toEqual(['application/atom+xml', 'application/json']);
    });
  });

  describe('A missing Content-Type, or one the service does not accept', () => {
    const types = [undefined, 'text/plain', 'application/atom+xml'];
    const inserts = (): WireRequest[] => types.map((type) => insert({ 'Content-Type': type }));

    it('is answered 415', async () => {
      expect(await outcomes(strict, inserts())).toEqual([
        '415 AtomFormatNotSupported',
        '415 MediaTypeNotSupported',
        '415 AtomFormatNotSupported',
      ]);
    });

    it('is read as JSON with --loose, for entities and tables', async () => {
      expect(await outcomes(loose, inserts())).toEqual(all(3, '201'));
      const headers = { 'Content-Type': 'text/plain' };
      const create = { method: 'POST', path: '/Tables', headers, body: '{"TableName":"plain"}' };
      expect(await outcome(loose, create)).toBe('201');
      const put = { method: 'PUT', path: entityPath('pets', 'p', 'typed'), headers, body: '{"n":2}' };
      expect(await outcome(loose, put)).toBe('204');
      expect((await loose.get(put.path)).body).toContain('"n":2}');
    });

    it('is refused even with --loose if the request has an Origin header: a page could otherwise write without a preflight', async () => {
      const simple = [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'];
      for (const Origin of ['https://evil.example', 'null']) {
        const token = tableToken('pets', { sp: 'a' });
        for (const type of simple) {
          const headers = { Origin, 'Content-Type': type, Authorization: undefined, 'x-ms-date': undefined };
          const request = { ...insert(headers), path: `/pets?${token}` };
          expect((await loose.send(request)).status).toBe(415);
        }
        expect(await outcome(loose, insert({ Origin, 'Content-Type': 'application/json' }))).toBe('201');
      }
    });

    it('is refused even with --loose if the body is not JSON', async () => {
      const request = { ...insert({ 'Content-Type': 'application/atom+xml' }), body: '<entry/>' };
      expect(await outcome(loose, request)).toBe('400 InvalidInput');
    });
  });

  describe('A DELETE of an entity without If-Match', () => {
    const path = entityPath('pets', 'p', 'doomed');

    it('is answered 400 InvalidInput, and deletes nothing', async () => {
      await strict.insert('pets', { RowKey: 'doomed' });
      expect(await outcome(strict, { method: 'DELETE', path })).toBe('400 InvalidInput');
      expect((await strict.get(path)).status).toBe(200);
    });

    it('deletes any version of the entity with --loose', async () => {
      await loose.insert('pets', { RowKey: 'doomed' });
      expect(await outcome(loose, { method: 'DELETE', path })).toBe('204');
      expect((await loose.get(path)).status).toBe(404);
    });

    it('obeys an If-Match that is present, even with --loose', async () => {
      await loose.insert('pets', { RowKey: 'doomed' });
      const headers = { 'If-Match': `W/"datetime'2020-01-01T00%3A00%3A00.0000000Z'"` };
      expect(await outcome(loose, { method: 'DELETE', path, headers })).toBe('412 UpdateConditionNotSatisfied');
    });
  });

  describe('$top above 1000', () => {
    it('is answered 400 InvalidInput, for tables and entities', async () => {
      for (const path of ['/pets()?$top=1001', '/Tables?$top=5000']) {
        expect(await outcome(strict, { method: 'GET', path })).toBe('400 InvalidInput');
      }
    });

    it('returns a page of 1000 and a continuation with --loose', async () => {
      await loose.createTable('many');
      const inserted = Array.from({ length: 1001 }, (_, row) => loose.insert('many', { RowKey: String(row) }));
      await Promise.all(inserted);
      const answer = await loose.get('/many()?$top=1001', { Accept: 'application/json;odata=nometadata' });
      expect((JSON.parse(answer.body) as { value: unknown[] }).value).toHaveLength(1000);
      expect(answer.header('x-ms-continuation-NextRowKey')).toBeDefined();
      expect(await outcome(loose, { method: 'GET', path: '/Tables?$top=5000' })).toBe('200');
    });

    it('is refused even with --loose if it is not a number', async () => {
      for (const top of ['many', '-1', '']) {
        expect(await outcome(loose, { method: 'GET', path: `/pets()?$top=${top}` })).toBe('400 InvalidInput');
      }
    });
  });

  describe('Conditions on an insert', () => {
    const conditions = [{ 'If-Match': '*' }, { 'If-None-Match': '*' }, { 'If-Match': '*', 'If-None-Match': '*' }];

    it('are answered 400 InvalidInput', async () => {
      expect(await outcomes(strict, conditions.map(insert))).toEqual(all(3, '400 InvalidInput'));
    });

    it('are ignored with --loose; an existing entity is still 409 EntityAlreadyExists', async () => {
      expect(await outcomes(loose, conditions.map(insert))).toEqual(all(3, '201'));
      const again = { method: 'POST', path: '/pets', body: '{"PartitionKey":"p","RowKey":"r"}' };
      expect(await outcome(loose, { ...again, headers: { 'If-Match': '*' } })).toBe('409 EntityAlreadyExists');
    });
  });

  describe('If-None-Match on a write', () => {
    const writes = ['PUT', 'MERGE'].map((method) => {
      return { method, path: entityPath('pets'), headers: { 'If-None-Match': '*' }, body: '{"n":2}' };
    });

    it('is answered 400 InvalidInput', async () => {
      expect(await outcomes(strict, writes)).toEqual(all(2, '400 InvalidInput'));
    });

    it('is ignored with --loose', async () => {
      expect(await outcomes(loose, writes)).toEqual(all(2, '204'));
    });
  });

  describe('A request older than 15 minutes', () => {
    const dated = (minutes: number): WireRequest =>
      read({ 'x-ms-date': new Date(Date.now() - minutes * 60_000).toUTCString() });

    it('is answered 403 AuthenticationFailed', async () => {
      expect(await outcome(strict, dated(16))).toBe('403 AuthenticationFailed');
    });

    it('is accepted with --loose at any age, if its signature is right', async () => {
      expect(await outcomes(loose, [dated(16), dated(1_000_000)])).toEqual(all(2, '200'));
      const forged = { ...dated(16).headers, Authorization: 'SharedKeyLite devstoreaccount1:Zm9yZ2Vk' };
      expect(await outcome(loose, read(forged))).toBe('403 AuthenticationFailed');
    });

    it('requires a date even with --loose', async () => {
      expect(await outcome(loose, read({ 'x-ms-date': undefined }))).toBe('403 AuthenticationFailed');
    });
  });

  describe('$orderby, $skip, $expand, $inlinecount, $skiptoken', () => {
    const requests = ['$orderby=n', '$skip=1', '$expand=n', '$inlinecount=allpages', '$skiptoken=x'].flatMap((option) =>
      ['/pets()', '/Tables'].map((path) => ({ method: 'GET', path: `${path}?${option}` })),
    );

    it('are answered 501 NotImplemented', async () => {
      expect(await outcomes(strict, requests)).toEqual(all(10, '501 NotImplemented'));
    });

    it('are ignored with --loose: entities are in key order, and none is skipped', async () => {
      expect(await outcomes(loose, requests)).toEqual(all(10, '200'));
      await loose.createTable('ordered');
      for (const [row, n] of [['a', 2] as const, ['b', 1] as const]) await loose.insert('ordered', { RowKey: row, n });
      const { body } = await loose.get('/ordered()?$orderby=n&$skip=1', {
        Accept: 'application/json;odata=nometadata',
      });
      const { value } = JSON.parse(body) as { value: { RowKey: string }[] };
      expect(value.map(({ RowKey }) => RowKey)).toEqual(['a', 'b']);
    });
  });

  describe('What --loose does not change', () => {
    it('a wrong signature is 403 AuthenticationFailed', async () => {
      const request = read({ Authorization: 'SharedKeyLite devstoreaccount1:AAAA' });
      expect(await outcome(loose, request)).toBe('403 AuthenticationFailed');
    });

    it('a stale condition is 412 UpdateConditionNotSatisfied', async () => {
      const headers = { 'If-Match': `W/"datetime'2001-01-01T00%3A00%3A00Z'"` };
      const request = { method: 'PUT', path: entityPath('pets'), headers, body: '{}' };
      expect(await outcome(loose, request)).toBe('412 UpdateConditionNotSatisfied');
    });

    it('a malformed body is 400 InvalidInput', async () => {
      expect(await outcome(loose, { method: 'PUT', path: entityPath('pets'), body: '{' })).toBe('400 InvalidInput');
    });

    it('a value over its limit is 400 PropertyValueTooLarge', async () => {
      const body = JSON.stringify({ s: 's'.repeat(32_769) });
      expect(await outcome(loose, { method: 'PUT', path: entityPath('pets'), body })).toBe('400 PropertyValueTooLarge');
    });
  });
});

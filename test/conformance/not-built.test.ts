import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from './refusals.ts';
import { startService } from './service.ts';

// What the service has and the emulator does not have yet: it says so, rather than answering something else.

const service = await startService();
await service.createTable('pets');

const notImplemented = refusal('NotImplemented');

describe('What is not built answers 501 NotImplemented', () => {
  it.each([
    ['an entity group transaction', 'POST', '/$batch'],
    ['an entity group transaction, its dollar sign encoded', 'POST', '/%24batch'],
    ['Get Table ACL', 'GET', '/pets?comp=acl'],
    ['Set Table ACL', 'PUT', '/pets?comp=acl'],
    ['Get Table Service Properties', 'GET', '/?restype=service&comp=properties'],
    ['Get Table Service Properties, its options turned round', 'GET', '/?comp=properties&restype=service'],
    ['Get Table Service Properties, without a slash', 'GET', '?restype=service&comp=properties'],
    ['Set Table Service Properties', 'PUT', '/?restype=service&comp=properties'],
  ])('to %s', async (_, method, path) => {
    const body = method === 'GET' ? undefined : '<xml/>';
    expectRefusal(await service.send({ method, path, body }), notImplemented);
  });

  it('to Get Table Service Stats', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const answer = await secondary.send({ method: 'GET', path: '/?restype=service&comp=stats' });
    expectRefusal(answer, notImplemented);
  });

  it('to HEAD of a table ACL, without a body', async () => {
    const answer = await service.send({ method: 'HEAD', path: '/pets?comp=acl' });
    expect([answer.status, answer.body]).toEqual([501, '']);
  });

  it.each(['$orderby=RowKey', '$skip=5', '$expand=x', '$inlinecount=allpages', '$skiptoken=x'])(
    'to %s, which the service has no use for either',
    async (option) => {
      expectRefusal(await service.get(`/pets()?${option}`), notImplemented);
    },
  );
});

describe('What is not built', () => {
  it('is refused to strangers first: 403', async () => {
    const headers = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' };
    for (const path of ['/$batch', '/pets?comp=acl', '/?restype=service&comp=properties']) {
      expect((await service.get(path, headers)).status).toBe(403);
    }
  });

  it('changes nothing', async () => {
    const batch = `--b\r\n\r\nDELETE ${service.base}/Tables('pets') HTTP/1.1\r\n\r\n--b--`;
    await service.send({ method: 'POST', path: '/$batch', body: batch });
    expect((await service.get("/Tables('pets')")).status).toBe(200);
  });
});

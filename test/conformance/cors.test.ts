import { describe, expect, it } from 'vitest';
import { corsHeadersOf } from '../support/cors-headers.ts';
import { type CorsRuleText, propertiesPath, setCors } from '../support/expect-xml.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });

const shop = 'https://shop.example';
const forAll: CorsRuleText = { origins: '*', methods: 'GET,HEAD,POST,PUT,MERGE,DELETE', exposed: 'x-ms-*' };
const forShop: CorsRuleText = { ...forAll, origins: shop };
const exposed = 'x-ms-request-id,x-ms-version';

const get = (headers: WireHeaders = {}, path = entityPath('pets')): Promise<WireAnswer> => service.get(path, headers);
const write = (headers: WireHeaders = {}): Promise<WireAnswer> =>
  service.send({ method: 'PUT', path: entityPath('pets'), headers, body: '{"n":2}' });

const toAll = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };
const toShop = {
  'access-control-allow-origin': shop,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': exposed,
};
const vary = { vary: 'Origin' };

// Source: docs, CORS support for the Azure Storage services: the table of actual requests.
describe('A response to GET', () => {
  it.each([
    ['no origin, no rules', {}, [], {}],
    ['no origin, rules for others only', {}, [forShop], vary],
    ['no origin, a rule for all', {}, [forAll], toAll],
    ['an origin, no rules', { Origin: shop }, [], {}],
    ['an origin, a rule for it', { Origin: shop }, [forShop], { ...vary, ...toShop }],
    ['an origin, a rule for others', { Origin: 'https://other.example' }, [forShop], vary],
    ['an origin, a rule for all', { Origin: shop }, [forAll], toAll],
    ['an origin, a rule for it before one for all', { Origin: shop }, [forShop, forAll], { ...vary, ...toShop }],
    ['an origin, a rule for all before one for it', { Origin: shop }, [forAll, forShop], toAll],
    ['an origin, a rule for other methods', { Origin: shop }, [{ ...forShop, methods: 'PUT' }], vary],
    ['an origin in another case', { Origin: 'https://SHOP.example' }, [forShop], vary],
  ])('has the CORS headers: %s', async (_, headers, rules: readonly CorsRuleText[], expected) => {
    await setCors(service, rules);
    const answer = await get(headers);
    expect([answer.status, corsHeadersOf(answer)]).toEqual([200, expected]);
  });
});

describe('A response to a write', () => {
  it.each([
    ['no origin, no rules', {}, [], {}],
    ['no origin, a rule for all', {}, [forAll], {}],
    ['an origin, no rules', { Origin: shop }, [], {}],
    ['an origin, a rule for it', { Origin: shop }, [forShop], toShop],
    ['an origin, a rule for all', { Origin: shop }, [forAll], toAll],
    ['an origin, a rule for others', { Origin: 'https://other.example' }, [forShop], {}],
  ])('has CORS headers without Vary: %s', async (_, headers, rules: readonly CorsRuleText[], expected) => {
    await setCors(service, rules);
    const answer = await write(headers);
    expect([answer.status, corsHeadersOf(answer)]).toEqual([204, expected]);
  });

  it('is carried out although no rule allows it: a browser would send a preflight first', async () => {
    await setCors(service, [forShop]);
    expect((await write({ Origin: 'https://other.example' })).status).toBe(204);
  });
});

describe('Access-Control-Expose-Headers', () => {
  const exposedBy = async (rule: string, path?: string): Promise<string | undefined> => {
    await setCors(service, [{ exposed: rule }]);
    return corsHeadersOf(await get({ Origin: shop }, path))['access-control-expose-headers'];
  };

  // Evidence: recorded (js-tables), for an entity query.
  it('names the headers of the response, in the order of the service', async () => {
    expect(await exposedBy('*', '/pets()')).toBe(
      'x-ms-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,Content-Type,Content-Length,Date,Transfer-Encoding',
    );
    expect(await exposedBy('*')).toBe(
      'x-ms-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,ETag,Content-Type,Content-Length,Date,Transfer-Encoding',
    );
  });

  it('names the headers of continuations', async () => {
    await service.insert('pets', { RowKey: 's' });
    expect(await exposedBy('x-ms-continuation*', '/pets()?$top=1')).toBe(
      'x-ms-continuation-NextPartitionKey,x-ms-continuation-NextRowKey',
    );
  });

  it('names only headers that the rule allows', async () => {
    expect(await exposedBy('etag,x-ms-v*,absent')).toBe('x-ms-version,ETag');
    expect(await exposedBy('absent')).toBeUndefined();
    expect(await exposedBy('')).toBeUndefined();
  });
});

describe('Every response', () => {
  it.each([
    ['a refusal by the front end', 403, entityPath('pets'), { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' }],
    ['a refusal without credentials', 403, entityPath('pets'), { Authorization: undefined }],
    ['a missing entity', 404, entityPath('pets', 'p', 'absent'), {}],
    ['a missing table', 404, '/absent()', {}],
    ['what cannot be read', 400, '/pets()?$filter=%28', {}],
    ['settings', 200, propertiesPath, {}],
    ['a list of tables', 200, '/Tables', {}],
  ])('has CORS headers: %s', async (_, status, path, headers) => {
    await setCors(service, [forShop]);
    const answer = await get({ Origin: shop, ...headers }, path);
    expect([answer.status, answer.header('Access-Control-Allow-Origin')]).toEqual([status, shop]);
    await setCors(service, []);
    expect(corsHeadersOf(await get({ Origin: shop, ...headers }, path))).toEqual({});
  });

  it('has the CORS headers of its own account only', async () => {
    await setCors(service, [forAll]);
    const answer = await service.send({ method: 'GET', path: '/Tables', headers: { Origin: shop } });
    expect(answer.header('Access-Control-Allow-Origin')).toBe('*');
    const elsewhere = service.with({ prefix: '/nobody', account: 'nobody' });
    expect(corsHeadersOf(await elsewhere.send({ method: 'GET', path: '/Tables', headers: { Origin: shop } }))).toEqual(
      {},
    );
  });
});

import { describe, expect, it } from 'vitest';
import { aclPath, expectServiceRefusal, expectStored, expectXml, putXml } from '../support/expect-xml.ts';
import { startService } from '../support/service.ts';

const service = await startService();
await service.createTable('pets');

const missing = { status: 404, code: 'TableNotFound', message: 'The table specified does not exist.' };

describe('Get Table ACL refuses', () => {
  it('a table that does not exist: 404 TableNotFound', async () => {
    expectServiceRefusal(await service.get(aclPath('absent')), missing);
  });

  it('HEAD of a table that does not exist, without a body', async () => {
    const answer = await service.send({ method: 'HEAD', path: aclPath('absent') });
    expect([answer.status, answer.header('x-ms-error-code'), answer.body]).toEqual([404, 'TableNotFound', '']);
  });

  it.each(['POST', 'DELETE', 'MERGE'])('%s', async (method) => {
    const answer = await service.send({ method, path: aclPath('pets'), body: '' });
    expect(answer.status).toBe(405);
  });
});

describe('Get Table ACL', () => {
  it('of a new table returns an empty list', async () => {
    expectXml(await service.get(aclPath('pets')), '<SignedIdentifiers />');
  });

  it.each(['application/atom+xml,application/xml', 'application/xml', '*/*', 'application/json', undefined])(
    'is XML for Accept: %s',
    async (Accept) => {
      expectXml(await service.get(aclPath('pets'), { Accept }), '<SignedIdentifiers />');
    },
  );

  it.each(['2012-02-12', '2015-12-11', '2026-06-06'])('is the same at version %s', async (version) => {
    expectXml(await service.get(aclPath('pets'), { 'x-ms-version': version }), '<SignedIdentifiers />', version);
  });

  it('returns policies in their order, with times in UTC with seven digits, and omits absent members', async () => {
    const stored = await putXml(
      service,
      aclPath('pets'),
      `<SignedIdentifiers>
        <SignedIdentifier><AccessPolicy><Permission>r</Permission><Expiry>2030-02-01T02:00:00+02:00</Expiry><Start>2024-01-01</Start></AccessPolicy><Id>nightly</Id></SignedIdentifier>
        <SignedIdentifier><Id>empty</Id><AccessPolicy/></SignedIdentifier>
        <SignedIdentifier><Id>bare &amp; é</Id></SignedIdentifier>
        <SignedIdentifier><Id>fraction</Id><AccessPolicy><Start/><Expiry>2030-01-01T00:00:00.1234567Z</Expiry><Permission/></AccessPolicy></SignedIdentifier>
      </SignedIdentifiers>`,
    );
    expectStored(stored, 204);
    expectXml(
      await service.get(aclPath('PETS')),
      '<SignedIdentifiers>' +
        '<SignedIdentifier><Id>nightly</Id><AccessPolicy><Start>2024-01-01T00:00:00.0000000Z</Start><Expiry>2030-02-01T00:00:00.0000000Z</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier>' +
        '<SignedIdentifier><Id>empty</Id></SignedIdentifier>' +
        '<SignedIdentifier><Id>bare &amp; é</Id></SignedIdentifier>' +
        '<SignedIdentifier><Id>fraction</Id><AccessPolicy><Expiry>2030-01-01T00:00:00.1234567Z</Expiry></AccessPolicy></SignedIdentifier>' +
        '</SignedIdentifiers>',
    );
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [get, head] = [
      await service.get(aclPath('pets')),
      await service.send({ method: 'HEAD', path: aclPath('pets') }),
    ];
    expect([head.status, head.body, head.header('Content-Type')]).toEqual([200, '', get.header('Content-Type')]);
  });

  it('repeats x-ms-client-request-id', async () => {
    const answer = await service.get(aclPath('pets'), { 'x-ms-client-request-id': 'mine' });
    expect(answer.header('x-ms-client-request-id')).toBe('mine');
  });

  it('also reads on the secondary', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    expect((await secondary.send({ method: 'GET', path: aclPath('pets') })).status).toBe(200);
  });
});

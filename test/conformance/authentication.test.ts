import { beforeAll, describe, expect, it } from 'vitest';
import {
  challenged,
  expectFailed,
  expectFrontEndHeaders,
  expectFrontEndRefusal,
  expectOldest,
  failed,
  malformed,
} from '../support/expect-front-end-refusal.ts';
import { expectTrailer } from '../support/expect-refusal.ts';
import { hasOpenssl, type SecureGet, startSecureService } from '../support/secure-service.ts';
import { startService } from '../support/service.ts';
import {
  authorization,
  type ClientOptions,
  developmentKey,
  type WireAnswer,
  type WireHeaders,
} from '../support/table-client.ts';

const keyOf = (seed: string): string => Buffer.from(seed.repeat(8)).toString('base64');
const firstKey = keyOf('first-key-of-it-');
const secondKey = keyOf('second-key-of-it');

const service = await startService({
  accounts: [
    { name: 'devstoreaccount1', keys: [developmentKey] },
    { name: 'twokeys', keys: [firstKey, secondKey] },
  ],
});

function query(options: ClientOptions = {}, headers: WireHeaders = {}, path = '/Tables'): Promise<WireAnswer> {
  return service.with(options).send({ method: 'GET', path, headers });
}

const twoKeys = { account: 'twokeys', prefix: '/twokeys' };
const dateAt = (offsetMs: number): string => new Date(Date.now() + offsetMs).toUTCString();
const minuteMs = 60_000;

describe.each(['SharedKey', 'SharedKeyLite'] as const)('%s', (scheme) => {
  it('accepts a signature by the key of the account', async () => {
    expect((await query({ scheme })).status).toBe(200);
  });

  it('accepts a signature by either key of the account', async () => {
    for (const key of [firstKey, secondKey]) expect((await query({ ...twoKeys, scheme, key })).status).toBe(200);
  });

  it('refuses a signature by the key of another account', async () => {
    expectFailed(await query({ ...twoKeys, scheme, key: developmentKey }));
    expectFailed(await query({ scheme, key: firstKey }));
  });

  it('covers Content-Type with its parameters, Content-MD5, and the verb as sent', async () => {
    const headers = { 'Content-Type': 'application/json;odata=nometadata; charset=utf-8', 'Content-MD5': 'bWQ1' };
    for (const [method, path] of [
      ['POST', '/pets'],
      ['MERGE', "/pets(PartitionKey='a',RowKey='b')"],
    ] as const) {
      const answer = await service
        .with({ scheme })
        .send({ method, path, headers, body: '{"PartitionKey":"a","RowKey":"b"}' });
      expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('"TableNotFound"')]);
    }
  });

  it('covers the path as sent', async () => {
    for (const path of [
      "/pets(PartitionKey=%27a%27,RowKey='b%20c')",
      "/%70ets(PartitionKey='%c3%a9',RowKey='')",
      '//',
    ]) {
      expect((await query({ scheme }, {}, path)).status).toBe(404);
    }
  });

  it('covers no query option except comp', async () => {
    expect((await query({ scheme }, {}, '/Tables?$top=1&timeout=5')).status).toBe(200);
    const answer = await query({ scheme }, {}, '/pets?timeout=1&comp=acl');
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([404, 'TableNotFound']);
  });

  it('uses x-ms-date rather than Date', async () => {
    expect((await query({ scheme }, { Date: 'nonsense' })).status).toBe(200);
    expect((await query({ scheme }, { 'x-ms-date': undefined, Date: dateAt(0) })).status).toBe(200);
    expectFailed(await query({ scheme }, { 'x-ms-date': 'nonsense', Date: dateAt(0) }));
  });

  it('refuses a date older than 15 minutes, and accepts a younger one', async () => {
    expect((await query({ scheme }, { 'x-ms-date': dateAt(-14 * minuteMs) })).status).toBe(200);
    expectFailed(await query({ scheme }, { 'x-ms-date': dateAt(-15 * minuteMs - 2000) }));
    expectFailed(await query({ scheme }, { 'x-ms-date': undefined, Date: dateAt(-24 * 60 * minuteMs) }));
  });

  it('accepts a date in the future', async () => {
    expect((await query({ scheme }, { 'x-ms-date': dateAt(24 * 60 * minuteMs) })).status).toBe(200);
  });

  it.each([undefined, '', 'now', '2024-01-15T10:30:00Z', String(Date.now()), 'Mon, 15 Jan 2024 10:30:00 +0000'])(
    'refuses a date that is missing or not an RFC 1123 date: %j',
    async (date) => {
      expectFailed(await query({ scheme }, { 'x-ms-date': date }));
    },
  );

  it('refuses a path-style signature that does not name the account twice', async () => {
    // A host-style client would sign /devstoreaccount1/Tables instead of /devstoreaccount1/devstoreaccount1/Tables.
    const date = dateAt(0);
    const hostStyle = await query(
      { scheme, prefix: '' },
      { 'x-ms-date': date, Host: 'devstoreaccount1.table.localhost' },
    );
    expect(hostStyle.status).toBe(200);

    const signed = authorization(
      { method: 'GET', target: '/Tables', headers: { 'x-ms-date': date } },
      { account: 'devstoreaccount1', key: developmentKey, scheme },
    );
    expectFailed(await query({}, { 'x-ms-date': date, Authorization: signed }));
  });

  it('for a path-style secondary may cover the path as sent or with the name of the primary', async () => {
    const date = dateAt(0);
    expect((await query({ scheme, prefix: '/devstoreaccount1-secondary' }, { 'x-ms-date': date })).status).toBe(200);

    const signed = authorization(
      { method: 'GET', target: '/devstoreaccount1/Tables', headers: { 'x-ms-date': date } },
      { account: 'devstoreaccount1', key: developmentKey, scheme },
    );
    const headers = { 'x-ms-date': date, Authorization: signed };
    expect((await query({ prefix: '/devstoreaccount1-secondary' }, headers)).status).toBe(200);
  });
});

describe('A signature of one scheme', () => {
  it('is wrong for the other scheme', async () => {
    const date = dateAt(0);
    const request = { method: 'GET', target: '/devstoreaccount1/Tables', headers: { 'x-ms-date': date } };
    const lite = authorization(request, { account: 'devstoreaccount1', key: developmentKey, scheme: 'SharedKeyLite' });
    expectFailed(await query({}, { 'x-ms-date': date, Authorization: lite.replace('Lite', '') }));
    expect((await query({}, { 'x-ms-date': date, Authorization: lite })).status).toBe(200);
  });
});

describe('An account', () => {
  it('in the header that differs from the address is 403 AuthenticationFailed', async () => {
    expectFailed(await query({ account: 'twokeys', key: firstKey, prefix: '/devstoreaccount1' }));
    expectFailed(await query({ account: 'devstoreaccount1', prefix: '/twokeys' }));
  });

  it('must be the same in header and address, even if the signature is right', async () => {
    const date = dateAt(0);
    const request = { method: 'GET', target: '/devstoreaccount1/Tables', headers: { 'x-ms-date': date } };
    const account = 'devstoreaccount1';
    const signed = authorization(request, { account, key: developmentKey, scheme: 'SharedKeyLite' });
    expect((await query({}, { 'x-ms-date': date, Authorization: signed })).status).toBe(200);
    expectFailed(await query({}, { 'x-ms-date': date, Authorization: signed.replace(account, 'twokeys') }));
  });

  it('cannot be used with the key of another account', async () => {
    const date = dateAt(0);
    const request = { method: 'GET', target: '/devstoreaccount1/Tables', headers: { 'x-ms-date': date } };
    const own = authorization(request, {
      account: 'devstoreaccount1',
      key: firstKey,
      scheme: 'SharedKeyLite',
    });
    expectFailed(await query({}, { 'x-ms-date': date, Authorization: own }));
    expectFailed(await query({}, { 'x-ms-date': date, Authorization: own.replace('devstoreaccount1', 'twokeys') }));
  });

  it('that does not exist is 404 ResourceNotFound', async () => {
    const answer = await query({ account: 'nobody', prefix: '/nobody' });
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('"code":"ResourceNotFound"')]);
  });

  it('does not see the tables of another account', async () => {
    const body = '{"TableName":"mine"}';
    expect(
      (await service.with({ ...twoKeys, key: firstKey }).send({ method: 'POST', path: '/Tables', body })).status,
    ).toBe(201);
    expect((await query()).body).not.toContain('mine');
    expect((await query({ ...twoKeys, key: secondKey })).body).toContain('"TableName":"mine"');
  });
});

describe('An Authorization header', () => {
  it.each([
    'SharedKey',
    'SharedKey devstoreaccount1',
    'SharedKeyLite :sig',
    'SharedKey devstoreaccount1:',
    'Basic dTpw',
    'nonsense',
    'SharedKey a:b c',
  ])('that is malformed, %s, is 400 InvalidAuthenticationInfo', async (Authorization) => {
    expectFrontEndRefusal(await query({}, { Authorization }), malformed);
  });

  it.each([
    'SharedKeyLite devstoreaccount1:AAAA',
    'SharedKey devstoreaccount1:!',
    `SharedKeyLite devstoreaccount1:${'A'.repeat(43)}=`,
  ])('whose signature is wrong, %s, is 403 AuthenticationFailed', async (Authorization) => {
    expectFailed(await query({}, { Authorization }));
  });
});

describe('A bearer token', () => {
  const bearer = { Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' };

  it.each(['2026-06-06', '2020-12-06', '2019-02-02'])(
    'over http is 403 AuthenticationFailed at %s',
    async (version) => {
      expectFrontEndRefusal(await query({}, { ...bearer, 'x-ms-version': version }), failed);
    },
  );

  it('over http is 403 AuthenticationFailed in the oldest form without a version', async () => {
    expectOldest(await query({}, { ...bearer, 'x-ms-version': undefined }));
  });

  describe.skipIf(!hasOpenssl)('over https (needs the openssl command)', () => {
    let get: SecureGet;
    beforeAll(async () => {
      get = await startSecureService({ explain: true });
    });

    it.each(['2026-06-06', '2020-12-06'])('is 401 with a challenge at %s', async (version) => {
      const answer = await get('/Tables', { ...bearer, Accept: 'application/json', 'x-ms-version': version });
      expect(answer.body).toContain('"code":"InvalidAuthenticationInfo"');
      expect([answer.status, answer.reason]).toEqual([401, challenged.message]);
      expect(answer.headers).toMatchObject({
        'x-ms-error-code': 'InvalidAuthenticationInfo',
        'x-ms-version': version,
        'www-authenticate': expect.stringMatching(/^Bearer authorization_uri=https:.* resource_id=https:/),
      });
      const why = JSON.parse(String(answer.headers['x-emulator-why'])) as string[];
      expect(why.join()).toContain('Bearer tokens (Microsoft Entra ID) are not accepted without --oauth');
    });

    it('is 403 AuthenticationFailed before 2020-12-06', async () => {
      const answer = await get('/Tables', { ...bearer, 'x-ms-version': '2020-10-02' });
      expect([answer.status, answer.headers['x-ms-error-code']]).toEqual([403, 'AuthenticationFailed']);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    });
  });
});

describe('No Authorization header', () => {
  it.each(['2020-12-06', '2026-06-06'])('is 401 with a challenge at %s', async (version) => {
    const answer = await query({}, { Authorization: undefined, 'x-ms-version': version });
    expectFrontEndRefusal(answer, challenged);
    expect(answer.header('x-ms-version')).toBe(version);
    expect(answer.header('WWW-Authenticate')).toMatch(
      /^Bearer authorization_uri=https:\/\/login\.microsoftonline\.com\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/oauth2\/authorize resource_id=https:\/\/storage\.azure\.com$/,
    );
  });

  it.each(['2020-10-02', '2019-02-02', '2014-02-14'])('is 403 AuthenticationFailed at %s', async (version) => {
    expectFrontEndRefusal(await query({}, { Authorization: undefined, 'x-ms-version': version }), failed);
  });

  it('is 403 AuthenticationFailed in the oldest form without a version', async () => {
    expectOldest(await query({}, { Authorization: undefined, 'x-ms-version': undefined }));
  });
});

describe('An error of the front end', () => {
  const wrong = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' };

  it.each([
    'application/json',
    'application/json;odata=nometadata',
    'text/html,application/json;odata=fullmetadata;q=0.5',
  ])('is JSON for Accept: %s', async (Accept) => {
    expectFrontEndRefusal(await query({}, { ...wrong, Accept }), failed);
  });

  it.each(['*/*', 'application/xml', 'application/atom+xml,application/xml', undefined])(
    'is prefixed XML for Accept: %s',
    async (Accept) => {
      const answer = await query({}, { ...wrong, Accept });
      const trailed = expectTrailer(answer, failed.message);
      const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
      expect(answer.body).toBe(
        `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${namespace}"><m:code>AuthenticationFailed</m:code>` +
          `<m:message xml:lang="en-US">${trailed}</m:message></m:error>`,
      );
      expectFrontEndHeaders(answer, failed, 'application/xml');
    },
  );

  it('is XML of the oldest version without a version header, for any Accept', async () => {
    expectOldest(await query({}, { ...wrong, 'x-ms-version': undefined, Accept: 'application/json' }));
  });

  it('repeats x-ms-client-request-id', async () => {
    const answer = await query({}, { ...wrong, 'x-ms-client-request-id': 'mine' });
    expect(answer.header('x-ms-client-request-id')).toBe('mine');
  });
});

// Signed requests that Azurite accepts although it should refuse them, and requests that it wrongly refuses.

import { describe, expect, it } from 'vitest';
import { answersIn, callsOn, changesetBody, codeOf, sendBatch } from '../../support/batch-requests.ts';
import { expectFailed, expectOldest } from '../../support/expect-front-end-refusal.ts';
import { accepting } from '../../support/expect-success.ts';
import { aclPath, expectServiceRefusal, expectStored, invalidDocument, putXml } from '../../support/expect-xml.ts';
import { rowKeysIn } from '../../support/queries.ts';
import { entityPath, startService } from '../../support/service.ts';
import { accountToken, holderOf, momentAt, tableToken } from '../../support/shared-access-tokens.ts';
import type { WireAnswer } from '../../support/table-client.ts';

const service = await startService();
await service.createTable('sas');
for (const PartitionKey of ['a', 'b', 'c', 'z']) await service.insert('sas', { PartitionKey, RowKey: PartitionKey });

const calls = callsOn(service.base, 'sas');
const outcome = ({ status, body }: Pick<WireAnswer, 'status' | 'body'>): string =>
  `${status} ${codeOf({ body }) ?? ''}`.trim();
const identifiers = (...inside: string[]): string =>
  `<SignedIdentifiers>${inside.map((one) => `<SignedIdentifier>${one}</SignedIdentifier>`).join('')}</SignedIdentifiers>`;

describe('A shared access signature', () => {
  it.each([
    { sp: 'r', srt: 'sco' },
    { sp: 'rl', srt: 'o' },
  ])('with read permission only, %j, writes nothing in a batch', async (clauses) => {
    const answer = await sendBatch(holderOf(service, accountToken(clauses)), changesetBody([calls.insert('x')]));
    expect(answersIn(answer).map(outcome)).toEqual(['403 AuthorizationPermissionMismatch']);
    expect((await service.get(calls.keyed('p', 'x').slice(service.base.length))).status).toBe(404);
  });

  it('with a range reads only inside it', async () => {
    const { send } = holderOf(service, tableToken('sas', { sp: 'raud', spk: 'b', epk: 'b' }));
    expect(rowKeysIn(await send({ method: 'GET', path: '/sas()', headers: accepting('nometadata') }))).toEqual(['b']);
    const path = entityPath('sas', 'z', 'z');
    expect(outcome(await send({ method: 'GET', path }))).toBe('404 ResourceNotFound');
    const body = '{"PartitionKey":"z","RowKey":"new"}';
    expect(outcome(await send({ method: 'POST', path: '/sas', body }))).toBe('403 AuthorizationFailure');
    const headers = { 'If-Match': '*' };
    expect(outcome(await send({ method: 'DELETE', path, headers }))).toBe('403 AuthorizationFailure');
    expect((await service.get(path)).status).toBe(200);
  });

  it('for another address is refused: 403 AuthorizationSourceIPMismatch', async () => {
    for (const token of [tableToken('sas', { sp: 'r', sip: '10.0.0.1' }), accountToken({ sp: 'r', sip: '10.0.0.1' })]) {
      const answer = await holderOf(service, token).send({ method: 'GET', path: '/sas()' });
      expect(outcome(answer)).toBe('403 AuthorizationSourceIPMismatch');
    }
  });

  it('for a table allows a batch on it', async () => {
    const holder = holderOf(service, tableToken('sas', { sp: 'raud' }));
    const answer = await sendBatch(holder, changesetBody([calls.insert('batched')]));
    expect(answersIn(answer).map(({ status }) => status)).toEqual([204]);
  });

  it('with update permission only does not insert by an upsert', async () => {
    const { send } = holderOf(service, tableToken('sas', { sp: 'u' }));
    const answer = await send({ method: 'PUT', path: entityPath('sas', 'p', 'upserted'), body: '{}' });
    expect(outcome(answer)).toBe('403 AuthorizationPermissionMismatch');
  });

  it('may not repeat a clause of its stored policy', async () => {
    const policy = `<Id>p</Id><AccessPolicy><Expiry>${momentAt(600_000)}</Expiry><Permission>r</Permission></AccessPolicy>`;
    expectStored(await putXml(service, aclPath('sas'), identifiers(policy)), 204);
    const ask = (token: string): Promise<WireAnswer> =>
      holderOf(service, token).send({ method: 'GET', path: '/sas()' });
    expectFailed(await ask(tableToken('sas', { si: 'p', se: momentAt(60_000) })));
    expect((await ask(tableToken('sas', { si: 'p', se: undefined }))).status).toBe(200);
  });
});

describe('A signed request', () => {
  it('of a day ago is refused: 403 AuthenticationFailed', async () => {
    expectFailed(await service.get('/sas()', { 'x-ms-date': new Date(Date.now() - 86_400_000).toUTCString() }));
  });

  it('to write to the secondary is refused, and creates no table', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const answer = await secondary.send({ method: 'POST', path: '/Tables', body: '{"TableName":"there"}' });
    expect(outcome(answer)).toBe('403 InsufficientAccountPermissions');
    expect((await service.get("/Tables('there')")).status).toBe(404);
  });

  it('that is refused gets AuthenticationFailed, in JSON if accepted, without the text of the Blob service', async () => {
    for (const Authorization of [undefined, 'SharedKeyLite devstoreaccount1:AAAA']) {
      expectFailed(await service.get('/sas()', { Authorization }));
      const inXml = await service.get('/sas()', { Authorization, Accept: 'application/xml' });
      expect([inXml.body.includes('<m:code>AuthenticationFailed<'), inXml.body.includes('<Error>')]).toEqual([
        true,
        false,
      ]);
    }
    expectOldest(await service.get('/sas()', { Authorization: undefined, 'x-ms-version': undefined }));
  });
});

describe('A bearer token', () => {
  it('without a signature is refused', async () => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: 'https://sts.windows.net/t/',
      aud: 'https://storage.azure.com',
      exp: 4_000_000_000,
      nbf: 0,
      iat: 0,
    };
    const token = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
    for (const version of ['2019-02-02', '2020-12-06']) {
      const answer = await service.get('/sas()', { Authorization: `Bearer ${token}`, 'x-ms-version': version });
      expect(answer.status, answer.body).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
  });
});

describe('A stored policy', () => {
  it.each([
    ['an Id', '<Id>abc</Id>'],
    ['an Id and a permission', '<Id>abc</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>'],
    ['an Id and an expiry', '<Id>abc</Id><AccessPolicy><Expiry>2030-01-01T00:00:00Z</Expiry></AccessPolicy>'],
  ])('may consist of %s only', async (_, inside) => {
    expectStored(await putXml(service, aclPath('sas'), identifiers(inside)), 204);
  });

  it.each([
    ['an Id of 80 characters', `<Id>${'i'.repeat(80)}</Id>`],
    ['invalid dates', '<Id>a</Id><AccessPolicy><Start>banana</Start><Expiry>kiwi</Expiry></AccessPolicy>'],
  ])('may not have %s: 400', async (_, inside) => {
    expectServiceRefusal(await putXml(service, aclPath('sas'), identifiers(inside)), invalidDocument);
  });
});

// Bearer tokens of Microsoft Entra ID. Evidence: recorded (go-aztables TestMultiTenantAuth: the challenge); documented
// (Authorize access to tables using Microsoft Entra ID).

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultTenantId } from '../../src/identity/identifiers.ts';
import type { RequestReport } from '../../src/model/request-report.ts';
import {
  bearing,
  createSigningKey,
  hmacToken,
  keySetOf,
  nowSeconds,
  signedToken,
  someone,
  somethingElse,
  tenant,
  unsignedToken,
} from '../support/bearer-tokens.ts';
import {
  challenged,
  expectFailed,
  expectFrontEndRefusal,
  expectOldest,
  malformed,
} from '../support/expect-front-end-refusal.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { hostileTokens } from '../support/hostile-tokens.ts';
import { entityPath, startService } from '../support/service.ts';
import { noPermission } from '../support/shared-access-refusals.ts';
import { accountToken } from '../support/shared-access-tokens.ts';
import { developmentKey, type WireAnswer, type WireHeaders } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const key = createSigningKey('one');
const folder = temporaryFolder();
const oauthKeys = join(folder.path, 'keys.json');
writeFileSync(oauthKeys, keySetOf(key));
afterAll(() => folder.remove());

const accounts = ['devstoreaccount1', 'elsewhere'].map((name) => ({ name, keys: [developmentKey] }));
const service = await startService({ oauth: 'verify', oauthKeys, accounts });
const basic = await startService({ oauth: 'basic' });
await service.createTable('pets');
await service.insert('pets', { Name: 'Tom' });

const newest = { 'x-ms-version': '2020-12-06' };
const tables = (headers: WireHeaders): Promise<WireAnswer> => service.get('/Tables', headers);
const invalid = { ...challenged, code: 'InvalidAuthenticationInfo' };
const whyOf = (answer: WireAnswer): string =>
  (JSON.parse(answer.header('x-emulator-why') ?? '[]') as string[]).join(' ');

describe('A valid token', () => {
  it.each(['2017-11-09', '2019-02-02', '2020-12-06', '2026-06-06'])('is accepted at version %s', async (version) => {
    const answer = await tables(bearing(signedToken(key), { 'x-ms-version': version }));
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"TableName":"pets"')]);
  });

  it.each([
    ['Azure Storage', 'https://storage.azure.com'],
    ['Azure Storage, with a slash', 'https://storage.azure.com/'],
    ['Azure Storage by its id', 'e406a681-f3d4-42a8-90b6-c2b029497af1'],
    ['the account', 'https://devstoreaccount1.table.core.windows.net'],
    ['the account, with a slash', 'https://devstoreaccount1.table.core.windows.net/'],
    ['the account in another cloud', 'https://devstoreaccount1.table.core.usgovcloudapi.net'],
    ['one of several', ['https://graph.microsoft.com', 'https://storage.azure.com']],
  ])('may be for %s', async (_, aud) => {
    expect((await tables(bearing(signedToken(key, { aud })))).status).toBe(200);
  });

  it.each([
    ['the first version', `https://sts.windows.net/${tenant}/`],
    ['the second version', `https://login.microsoftonline.com/${tenant}/v2.0`],
    ['China', `https://sts.chinacloudapi.cn/${tenant}/`],
  ])('may be of an issuer of %s', async (_, iss) => {
    expect((await tables(bearing(signedToken(key, { iss })))).status).toBe(200);
  });

  it('may begin up to five minutes from now, or have ended up to five minutes ago', async () => {
    const now = nowSeconds();
    for (const times of [
      { nbf: now + 290, exp: now + 3_600 },
      { nbf: now - 3_600, exp: now - 290 },
    ]) {
      expect((await tables(bearing(signedToken(key, times)))).status).toBe(200);
    }
  });

  it('reads and writes entities and tables', async () => {
    const headers = bearing(signedToken(key));
    const send = async (method: string, path: string, body?: string): Promise<number> =>
      (await service.send({ method, path, headers, body })).status;
    expect(await send('POST', '/Tables', '{"TableName":"mine"}')).toBe(201);
    expect(await send('POST', '/mine', '{"PartitionKey":"p","RowKey":"r"}')).toBe(201);
    expect(await send('GET', entityPath('mine'))).toBe(200);
    expect(await send('PUT', entityPath('mine'), '{"n":1}')).toBe(204);
    expect(await send('DELETE', "/Tables('mine')")).toBe(204);
  });

  it('gets no access policies, and may not read the properties of the service', async () => {
    const acl = await service.get('/pets?comp=acl', bearing(signedToken(key)));
    expect([acl.status, acl.header('x-ms-error-code')]).toEqual([404, 'ResourceNotFound']);
    const properties = await service.get('/?restype=service&comp=properties', bearing(signedToken(key)));
    expect([properties.status, properties.header('x-ms-error-code')]).toEqual([403, 'AuthorizationPermissionMismatch']);
    expect(whyOf(properties)).toContain('no built-in role for tables has this');
  });

  it('for one account is refused at another, even after it was accepted at its own account', async () => {
    const other = service.with({ prefix: '/elsewhere' });
    const headers = bearing(signedToken(key, { aud: 'https://devstoreaccount1.table.core.windows.net' }));
    expect((await tables(headers)).status).toBe(200);
    expectFailed(await other.send({ method: 'GET', path: '/Tables', headers }));
    expect((await tables(headers)).status).toBe(200);
    const forAll = bearing(signedToken(key));
    expect((await other.send({ method: 'GET', path: '/Tables', headers: forAll })).status).toBe(200);
  });
});

const now = nowSeconds();

describe.each(hostileTokens(key))('A token %s', (_, token, why) => {
  it('is 401 with a challenge, and 403 before 2020-12-06', async () => {
    const text = token();
    const answer = await tables(bearing(text, newest));
    expectFrontEndRefusal(answer, invalid);
    expect(whyOf(answer)).toMatch(why);
    expectFailed(await tables(bearing(text)));
  });

  it('is never part of a reason', async () => {
    const text = token();
    const [, claimsPart = '', signature = ''] = text.split('.');
    const why = whyOf(await tables(bearing(text, newest)));
    for (const part of [claimsPart, signature]) if (part.length > 20) expect(why).not.toContain(part.slice(0, 20));
  });
});

describe('A challenge', () => {
  it('names the tenant of the token that was refused', async () => {
    const answer = await tables(bearing(signedToken(key, { exp: now - 400 }), newest));
    expect(answer.header('WWW-Authenticate')).toBe(
      `Bearer authorization_uri=https://login.microsoftonline.com/${tenant}/oauth2/authorize resource_id=https://storage.azure.com`,
    );
  });

  it.each([
    ['of another tenant', { tid: somethingElse, iss: 'https://attacker.example/' }],
    ['with text for a tenant', { tid: 'x\r\nSet-Cookie: a=b', exp: 1 }],
  ])('does not repeat the tenant of a token %s', async (_, changes) => {
    const answer = await tables(bearing(signedToken(key, changes), newest));
    expect(answer.status).toBe(401);
    expect(answer.header('WWW-Authenticate')).toContain(`/${defaultTenantId}/`);
    expect(answer.header('Set-Cookie')).toBeUndefined();
  });
});

describe('A good token', () => {
  it.each(['2017-07-29', '2015-12-11'])('is 403 at version %s', async (version) => {
    expectFailed(await tables(bearing(signedToken(key), { 'x-ms-version': version })));
  });

  it('is 403 in the oldest form without a version', async () => {
    expectOldest(await tables(bearing(signedToken(key), { 'x-ms-version': undefined })));
  });

  it('in the query has no effect', async () => {
    const answer = await service.get(`/Tables?access_token=${signedToken(key)}`, {
      ...newest,
      Authorization: undefined,
    });
    expectFrontEndRefusal(answer, challenged);
  });

  it.each([
    ['another token', [`Bearer ${signedToken(key)}`, `Bearer ${signedToken(key)}`]],
    ['a forged token behind it', [`Bearer ${signedToken(key)}`, `Bearer ${unsignedToken()}`]],
    ['another scheme before it', ['SharedKeyLite devstoreaccount1:AA==', `Bearer ${signedToken(key)}`]],
  ])('together with %s in a second header is malformed', async (_, Authorization) => {
    const answer = await tables({ ...newest, Authorization });
    expectFrontEndRefusal(answer, malformed);
    expect(whyOf(answer)).toContain('more than one Authorization header');
  });

  it.each(['sig', 'SIG', '%73ig'])('together with a shared access signature is malformed: %s', async (name) => {
    const query = accountToken({ sp: 'l' }).replace('sig=', `${name}=`);
    const answer = await service.get(`/Tables?${query}`, bearing(signedToken(key), newest));
    expectFrontEndRefusal(answer, malformed);
  });

  it('has no effect on a request that is also signed with a key', async () => {
    const answer = await tables({ Authorization: `SharedKeyLite devstoreaccount1:${signedToken(key)}` });
    expectFailed(answer);
  });
});

describe('With --oauth basic a token', () => {
  const ask = (token: string, headers: WireHeaders = {}): Promise<WireAnswer> =>
    basic.get('/Tables', bearing(token, headers));

  it('is accepted with any signature, as by Azurite', async () => {
    for (const token of [unsignedToken(), hmacToken(key), signedToken(createSigningKey('any'))]) {
      expect((await ask(token)).status).toBe(200);
    }
  });

  it('need not name a tenant in addition to its issuer', async () => {
    expect((await ask(unsignedToken({ tid: undefined, oid: undefined, appid: undefined }))).status).toBe(200);
  });

  it.each([
    ['audience', { aud: 'https://graph.microsoft.com' }],
    ['issuer', { iss: 'https://attacker.example/' }],
    ['tenant', { tid: somethingElse }],
    ['end', { exp: now - 400 }],
    ['beginning', { nbf: now + 400 }],
  ])('is refused by its %s', async (_, changes) => {
    expectFrontEndRefusal(await ask(unsignedToken(changes), newest), invalid);
    expectFailed(await ask(unsignedToken(changes)));
  });

  it('is refused at a version before 2017-11-09', async () => {
    expectFailed(await ask(unsignedToken(), { 'x-ms-version': '2017-07-29' }));
  });
});

describe('A token without the role for a request', () => {
  it('is 403 in the form of the table service', async () => {
    const roles = join(folder.path, 'nobody.json');
    writeFileSync(roles, '[]');
    const closed = await startService({ oauth: 'verify', oauthKeys, roleAssignments: roles });
    const answer = await closed.get('/Tables', bearing(signedToken(key)));
    expectRefusal(answer, noPermission);
    expect(whyOf(answer)).toMatch(/needs tables\/read.*no role there; Storage Table Data Reader/);
  });
});

describe('What the emulator keeps of a request', () => {
  it('names the owner of the token and why it was refused, and no part of the token', async () => {
    const reports: RequestReport[] = [];
    const watched = await startService({
      oauth: 'verify',
      oauthKeys,
      onRequest: (report) => void reports.push(report),
    });
    const events = await fetch(`${watched.origin}/_emulator/events`);
    const good = signedToken(key);
    const expired = signedToken(key, { exp: now - 400 });
    await watched.get('/Tables', bearing(good));
    await watched.get('/Tables', bearing(expired));
    await watched.get(`/Tables?access_token=${good}`, { Authorization: undefined });
    await expect.poll(() => reports.length).toBe(3);
    expect(reports.map(({ status, principal }) => [status, principal])).toEqual([
      [200, someone],
      [403, undefined],
      [403, undefined],
    ]);
    expect(reports[1]?.why?.[0]).toMatch(/^exp is .*: the token has expired\.$/);
    const stream = await readUntil(events, (text) => text.split('"method":"GET"').length > 3);
    expect(stream).toContain('"credential":"bearer"');
    const [, claimsPart = '', signature = ''] = good.split('.');
    for (const text of [JSON.stringify(reports), stream]) {
      expect(text).not.toContain(claimsPart);
      expect(text).not.toContain(signature);
    }
  });
});

/** Reads a stream of events until its text is enough, and returns the text. */
async function readUntil({ body }: Response, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (isEnough(text)) break;
  }
  return text;
}

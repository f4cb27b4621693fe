import { describe, expect, it } from 'vitest';
import { expectFrontEndRefusal, failed } from '../support/expect-front-end-refusal.ts';
import { startService } from '../support/service.ts';
import {
  accountText,
  accountToken,
  holderOf,
  momentAt,
  queryOf,
  signatureOf,
  tableText,
  tableToken,
  withToken,
} from '../support/shared-access-tokens.ts';
import { developmentKey, type WireHeaders } from '../support/table-client.ts';
import { outcomeOf } from './differences/outcome.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });

describe('A token on the wire', () => {
  const statusOf = async (query: string, headers: WireHeaders = {}, path = '/pets()'): Promise<number> => {
    const request = { method: 'GET', path: withToken(path, query), headers: { Authorization: undefined, ...headers } };
    return (await service.send(request)).status;
  };

  it('is ignored if there is an Authorization header', async () => {
    expect((await service.get(withToken('/pets()', 'sig=AAAA&tn=pets&sv=2019-02-02'))).status).toBe(200);
    const token = tableToken('pets', { sp: 'r' });
    expect(await statusOf(token, { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' })).toBe(403);
    expect(await statusOf(token, { Authorization: 'nonsense' })).toBe(400);
  });

  it('may have a plus sign in place of a space, and in its signature a space in place of a plus sign', async () => {
    const policy = `<AccessPolicy><Expiry>${momentAt(60_000)}</Expiry><Permission>r</Permission></AccessPolicy>`;
    const body = `<SignedIdentifiers><SignedIdentifier><Id>a b</Id>${policy}</SignedIdentifier></SignedIdentifiers>`;
    const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
    expect((await service.send({ method: 'PUT', path: '/pets?comp=acl', headers, body })).status).toBe(204);
    const token = tableToken('pets', { se: undefined, si: 'a b' });
    expect(await statusOf(token.replace('si=a%20b', 'si=a+b'))).toBe(200);
    const plus = Array.from({ length: 200 }, (_, index) => tableToken('pets', { sp: 'r', spk: ` ${index}` })).find(
      (one) => one.includes('%2B'),
    );
    expect(await statusOf(plus?.replaceAll('%2B', '+') ?? 'none')).toBe(200);
  });

  it.each([
    ['2099-01-01', 200],
    ['2099-01-01T00:00Z', 200],
    ['2099-01-01T00:00:00Z', 200],
    ['2099-01-01T00:00:00+02:00', 200],
    ['2099-01-01T00:00:00.0000000Z', 403],
    ['2099-01-01T00:00:00', 403],
    ['tomorrow', 403],
    ['2099-13-01', 403],
  ])('may expire at %s: %i', async (se, status) => {
    expect(await statusOf(tableToken('pets', { sp: 'r', se }))).toBe(status);
  });

  it('must not repeat a clause with another value', async () => {
    const token = tableToken('pets', { sp: 'r', se: momentAt(-60_000) });
    expect(await statusOf(`${token}&se=2099-01-01`)).not.toBe(200);
    expect(await statusOf(`se=2099-01-01&${token}`)).not.toBe(200);
    const narrow = tableToken('pets', { sp: 'r', spk: 'q' });
    for (const query of [`${narrow}&spk=a`, `spk=a&${narrow}`, `SPK=a&${narrow}`, `${narrow}&SPK=a`]) {
      const answer = await service.send({
        method: 'GET',
        path: `/pets()?${query}`,
        headers: { Authorization: undefined },
      });
      expect(answer.status === 200 ? answer.body.includes('"RowKey"') : false, query).toBe(false);
    }
  });

  it('determines the version of the response, unless a header or api-version names one', async () => {
    const token = tableToken('pets', { sp: 'r', sv: '2020-04-08' });
    const versionOf = async (query: string, version?: string): Promise<string | undefined> => {
      const headers = { Authorization: undefined, 'x-ms-version': version };
      return (await service.send({ method: 'GET', path: `/pets()?${query}`, headers })).header('x-ms-version');
    };
    expect(await versionOf(token)).toBe('2020-04-08');
    expect(await versionOf(token, '2019-02-02')).toBe('2019-02-02');
    expect(await versionOf(`${token}&api-version=2018-03-28`, '2019-02-02')).toBe('2018-03-28');
  });

  it('with an unknown version is refused as a wrong token, not as a wrong header', async () => {
    for (const sv of ['banana', '2018-06-28']) {
      const path = `/pets()?${tableToken('pets', { sp: 'r' }).replace(/(^|&)sv=[^&]*/, `$1sv=${sv}`)}`;
      const headers = { Authorization: undefined, 'x-ms-version': undefined };
      expect(outcomeOf(await service.send({ method: 'GET', path, headers })), sv).toBe('403 AuthenticationFailed');
    }
  });

  it('reads on the secondary too, and cannot write there', async () => {
    const { send } = holderOf(
      service.with({ prefix: '/devstoreaccount1-secondary' }),
      tableToken('pets', { sp: 'raud' }),
    );
    expect((await send({ method: 'GET', path: '/pets()' })).status).toBe(200);
    const answer = await send({ method: 'POST', path: '/pets', body: '{"PartitionKey":"p","RowKey":"x"}' });
    expect(outcomeOf(answer)).toBe('403 InsufficientAccountPermissions');
  });
});

describe('The account token', () => {
  it('is signed with a final newline: a signature without it is refused', async () => {
    const clauses = { sv: '2020-12-06', ss: 't', srt: 'co', sp: 'rl', se: '2099-01-01T00:00:00Z' };
    const text = accountText(clauses);
    const open = async (signed: string): Promise<number> => {
      const path = `/Tables?${queryOf(clauses, signatureOf(signed))}`;
      return (await service.send({ method: 'GET', path, headers: { Authorization: undefined } })).status;
    };
    expect([await open(text), await open(text.slice(0, -1)), await open(`${text}\n`)]).toEqual([200, 403, 403]);
  });

  it('of 2018-11-09 is signed without the line that 2020-12-06 added: a signature with it is refused', async () => {
    const clauses = { sv: '2018-11-09', ss: 't', srt: 'co', sp: 'rl', se: '2099-01-01T00:00:00Z' };
    const path = `/Tables?${queryOf(clauses, signatureOf(`${accountText(clauses)}\n`))}`;
    expect((await service.send({ method: 'GET', path, headers: { Authorization: undefined } })).status).toBe(403);
  });
});

// Source: docs, the strings to sign; made with data-tables for JavaScript 13.3.2 if it supports the clauses.
describe('The tokens of these tests', () => {
  const se = '2030-01-01T00:00:00Z';
  const st = '2024-01-01T00:00:00Z';

  it.each([
    [{ tn: 'Inventory', sv: '2012-02-12', sp: 'raud', st, se }, '/IA7fQuE/7C0xZp9z5+sFrrbDyt5lIZ+odm+4/Q0AVg='],
    [
      { tn: 'Inventory', sv: '2013-08-15', sp: 'r', se, spk: 'a', epk: 'm' },
      'ahAvu6I6DzOarzw3IrHNcbslGqS0s4z9cIEiP397N7Y=',
    ],
    [{ tn: 'Inventory', sv: '2015-02-21', sp: 'r', se }, 'Brg77pyniWGizz8K0IaQ9TwUaaPX5HGV3gEqJJGFZms='],
    [{ tn: 'Inventory', sv: '2019-02-02', si: 'ReadersPolicy' }, 'FtRJ1EltJLOroWON96gGYyZFios3kAOvuZmb/F8qPxU='],
    [
      { tn: 'Inventory', sv: '2020-12-06', sp: 'r', st, se, spr: 'https' },
      'XYU8UDqVYL6088cs3QIiQdqj1peYn7xGbwwwedqRu0g=',
    ],
    [
      { tn: 'Inventory', sv: '2019-02-02', sp: 'r', se, spk: 'a b+c', epk: "é'" },
      'uKSqtt0oGld88hnfkOWGlD3/3S6EmE9/jOQ/uDY9+T8=',
    ],
  ])('are signed like the documented table token: %j', (clauses, signature) => {
    expect(signatureOf(tableText(clauses), { key: developmentKey })).toBe(signature);
  });

  it.each([
    [
      { sv: '2019-02-02', ss: 't', srt: 'sco', sp: 'rwdlau', st, se, spr: 'https,http' },
      'o6bIffBK+CqM0tNDbG4+ZoWpIKZxL5iGVF+KRgYsR+U=',
    ],
    [
      { sv: '2020-12-06', ss: 't', srt: 'co', sp: 'rl', se, spr: 'https' },
      'lEjn/AArJw+TrqmMisG16wo3LsecHU5BnZUObgWkPnI=',
    ],
    [
      { sv: '2021-12-02', ss: 'bt', srt: 'o', sp: 'r', se, sip: '10.0.0.1', spr: 'https', ses: 'myscope' },
      'IPlDyT8qjIz4cL7qyB+yGbJEMBIo2/iNn/LMG8XnazI=',
    ],
  ])('are signed like the documented account token: %j', (clauses, signature) => {
    expect(signatureOf(accountText(clauses))).toBe(signature);
  });
});

describe('A token with the same clause twice', () => {
  const table = tableToken('pets', { sp: 'r', st: momentAt(-60_000), spk: 'p', epk: 'p' });
  const account = accountToken({ sp: 'r' });
  const names = (token: string): string[] => token.split('&').map((clause) => clause.split('=', 1)[0] ?? '');
  const twice = (token: string, name: string): string =>
    `${token}&${token.split('&').find((clause) => clause.startsWith(`${name}=`))}`;

  it.each<readonly [what: string, token: string]>([
    ...names(table).map((name) => [`table, ${name}`, twice(table, name)] as const),
    ...names(account).map((name) => [`account, ${name}`, twice(account, name)] as const),
    ['table, all', `${table}&${table}`],
    ['account, all', `${account}&${account}`],
    ['sp with another value first', `sp=raud&${table}`],
    ['sp with another value last', `${table}&sp=raud`],
    ['se in another case', `${table}&SE=2099-01-01`],
    ['sig, percent-encoded', `${table}&%73ig=AAAA`],
  ])('is 403 AuthenticationFailed: %s', async (_, token) => {
    expectFrontEndRefusal(await holderOf(service, token).send({ method: 'GET', path: '/pets()' }), failed);
  });

  it('may be sent with other query options twice', async () => {
    for (const token of [table, account]) {
      const answer = await holderOf(service, token).send({ method: 'GET', path: '/pets()?timeout=5&timeout=5' });
      expect(answer.status).toBe(200);
    }
  });
});

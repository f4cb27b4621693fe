import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { access } from '../../../src/auth/access.ts';
import { authorize } from '../../../src/auth/authorize.ts';
import type { Credentials } from '../../../src/auth/credentials.ts';
import { sharedKeyLiteText, sharedKeyText } from '../../../src/auth/shared-key.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { hmac } from '../../support/sign.mjs';
import {
  accountSas,
  accountText,
  anonymous,
  answerTo,
  type Clauses,
  key,
  nowHttp,
  signedQuery,
  tableSas,
  tableText,
  thrownBy,
} from '../../support/signed-requests.ts';

async function explanationOf(changes: Partial<Credentials>): Promise<string> {
  const refusal = await answerTo(changes);
  if (!(refusal instanceof ServiceError)) throw new Error('refuses nothing');
  return refusal.why.join('\n');
}

const path = "/devstoreaccount1/Inventory(PartitionKey='a%20b',RowKey='c')";
const request: Credentials = {
  ...anonymous,
  method: 'PUT',
  wirePath: path,
  contentType: 'application/json;odata=nometadata',
  msDate: nowHttp,
  date: 'Mon, 15 Jun 2026 12:00:01 GMT',
};
const full = (changes: Partial<Credentials> = {}, date = nowHttp) => sharedKeyText({ ...request, ...changes }, date);
const lite = (changes: Partial<Credentials> = {}, date = nowHttp) =>
  sharedKeyLiteText({ ...request, ...changes }, date);
const once = path.slice('/devstoreaccount1'.length);

describe('The explanation of a wrong Shared Key signature', () => {
  it.each([
    ['the form of the other scheme', 'SharedKey', lite(), 'its form is that of the other scheme'],
    ['the form of the other scheme', 'SharedKeyLite', full(), 'its form is that of the other scheme'],
    ['the account once', 'SharedKeyLite', lite({ wirePath: once }), 'it has the account once'],
    [
      'the account thrice',
      'SharedKeyLite',
      lite({ wirePath: `/devstoreaccount1${path}` }),
      'it has the account doubled',
    ],
    ['a decoded path', 'SharedKey', full({ wirePath: decodeURIComponent(path) }), 'its path is decoded'],
    ['encoded quotes', 'SharedKey', full({ wirePath: path.replaceAll("'", '%27') }), 'its quotes are percent-encoded'],
    ['the other date', 'SharedKey', full({}, request.date), 'it has the other date header'],
    ['no date', 'SharedKey', full({}, ''), 'its date is empty, as for blobs'],
    ['no Content-Type', 'SharedKey', full({ contentType: '' }), 'it has no Content-Type'],
    [
      'a bare Content-Type',
      'SharedKey',
      full({ contentType: 'application/json' }),
      'its Content-Type has no parameters',
    ],
    ['a newline at the end', 'SharedKey', `${full()}\n`, 'it ends with a newline'],
    [
      'two at the same time',
      'SharedKey',
      `${lite()}\n`,
      'its form is that of the other scheme and it ends with a newline',
    ],
  ])('finds "%s" in %s', async (_, scheme, text, mistake) => {
    const authorization = `${scheme} devstoreaccount1:${hmac(text)}`;
    const explanation = await explanationOf({ ...request, authorization });
    expect(explanation).toContain(`The text to sign is ${JSON.stringify(scheme === 'SharedKey' ? full() : lite())}.`);
    expect(explanation).toContain(`The signature fits if ${mistake}: ${JSON.stringify(text)}.`);
    expect(explanation).toContain('First difference at character ');
  });

  it('finds that the entire query was signed, or that comp was not signed', async () => {
    const query = new Map([
      ['comp', 'acl'],
      ['timeout', '5'],
    ]);
    const text = lite({ comp: undefined, wirePath: `${path}?comp=acl&timeout=5` });
    const asked = { ...request, comp: 'acl', query };
    const whole = `SharedKeyLite devstoreaccount1:${hmac(text)}`;
    expect(await explanationOf({ ...asked, authorization: whole })).toContain('if it has the whole query');
    const without = `SharedKeyLite devstoreaccount1:${hmac(lite())}`;
    expect(await explanationOf({ ...asked, authorization: without })).toContain('if it has no comp');
  });

  it('finds a key that was not decoded', async () => {
    const text = Buffer.from(key).toString('base64');
    const authorization = `SharedKeyLite devstoreaccount1:${hmac(lite(), text)}`;
    expect(await explanationOf({ ...request, authorization })).toContain('if the key is used as text');
  });

  it('says that no known mistake explains the signature', async () => {
    const authorization = `SharedKeyLite devstoreaccount1:${hmac(lite(), 'b3RoZXI=')}`;
    expect(await explanationOf({ ...request, authorization })).toContain('made with another key or from another text');
  });

  it('looks for no mistake in a text of more than 2,048 characters', async () => {
    const authorizationOf = (text: string): string => `SharedKey devstoreaccount1:${hmac(text)}`;
    const pathOf = (length: number): string => path + 'a'.repeat(length - full().length);
    const fits = { wirePath: pathOf(2_047) };
    const long = { wirePath: pathOf(2_049) };
    expect(await explanationOf({ ...request, ...fits, authorization: authorizationOf(`${full(fits)}\n`) })).toContain(
      'The signature fits if it ends with a newline',
    );
    const explanation = await explanationOf({ ...request, ...long, authorization: authorizationOf(`${full(long)}\n`) });
    expect(explanation).toContain('Only texts of up to 2048 characters are searched for mistakes.');
    expect(explanation).not.toContain('fits');
  });

  it.each([
    [
      'Mon, 15 Jun 2026 09:59:59 GMT',
      'The date is 2 hours old; 15 minutes are allowed: Mon, 15 Jun 2026 09:59:59 GMT.',
    ],
    ['2026-06-15T12:00:00Z', 'The date "2026-06-15T12:00:00Z" is not an RFC 1123 date.'],
    ['', 'There is neither x-ms-date nor Date.'],
  ])('says what is wrong with the date %j', async (msDate, line) => {
    expect(await explanationOf({ ...request, msDate, authorization: 'SharedKey devstoreaccount1:eA==' })).toBe(line);
  });

  it('does not repeat an account name that may be a misplaced key', async () => {
    const explanation = await explanationOf({ ...request, authorization: `SharedKey ${key}:eA==` });
    expect(explanation).toBe('The Authorization header and the address name different accounts.');
  });
});

describe('The explanation of a wrong shared access signature', () => {
  const old = { ...accountSas, sv: '2019-02-02' };
  const scoped = { ...accountSas, ses: 'x', spr: 'https,http' };
  const dollar = { ...tableSas, tn: "In$`$&$'" };
  const oldTable = { ...tableSas, sv: '2013-08-15' };
  it.each<[string, Clauses, string, string]>([
    ['no line for ses, which is empty', accountSas, accountText(accountSas).slice(0, -1), 'it has no line for ses'],
    [
      'neither a line for ses nor a newline',
      accountSas,
      accountText(accountSas).slice(0, -2),
      'it has no line for ses and',
    ],
    ['no last newline', old, accountText(old).slice(0, -1), 'its last newline is missing'],
    ['no line for ses', scoped, accountText(scoped).replace('x\n', ''), 'it has no line for ses'],
    ['a line for ses', old, `${accountText(old)}\n`, 'it has a line for ses'],
    [
      'values as the query has them',
      scoped,
      accountText({ ...scoped, ses: 'x', spr: 'https%2Chttp' }),
      'the values are percent-encoded',
    ],
    ['a newline', tableSas, `${tableText(tableSas)}\n`, 'it ends with a newline'],
    [
      'a table as it was written',
      tableSas,
      tableText(tableSas).replace('inventory', 'Inventory'),
      'the table is not in lower case',
    ],
    ['a table with a dollar sign', dollar, tableText(dollar).replace('/in', '/In'), 'the table is not in lower case'],
    ['no prefix', tableSas, tableText(tableSas).replace('/table/', '/'), 'the resource begins without /table'],
    ['a prefix', oldTable, tableText(oldTable).replace('/devst', '/table/devst'), 'the resource begins with /table'],
    [
      'a doubled account',
      tableSas,
      tableText(tableSas).replace('/devst', '/devstoreaccount1/devst'),
      'the account is doubled',
    ],
    [
      'no lines for the caller',
      tableSas,
      tableText(tableSas).replace('\n\n\n\n2019', '\n\n2019'),
      'sip and spr have no lines',
    ],
  ])('finds this mistake: %s', async (_, clauses, text, mistake) => {
    const query = new Map(Object.entries(clauses)).set('sig', hmac(text));
    const explanation = await explanationOf({ query });
    expect(explanation).toContain(`The signature fits if ${mistake}`);
    expect(explanation).toContain(JSON.stringify(text));
  });

  it.each<[Clauses, string]>([
    [{ se: '2026-06-15T11:48:00Z' }, 'se 2026-06-15T11:48:00Z passed 12 minutes ago.'],
    [{ st: '2026-06-18' }, 'st 2026-06-18 is 2 days ahead.'],
    [{ se: 'kiwi' }, 'se "kiwi" is not a date'],
    [{ sv: '1999-01-01' }, 'sv "1999-01-01" is not a version from 2012-02-12 on.'],
    [{ sp: 'dr' }, 'sp "dr" has letters other than raud, or not in this order.'],
    [{ sip: '10.0.0.1' }, 'sip is 10.0.0.1; the caller is 127.0.0.1.'],
    [{ srk: 'x' }, 'There is srk without spk.'],
    [{ si: 'gone' }, 'The table has no stored policy "gone".'],
  ])('names the wrong clause: %j', async (clauses, line) => {
    expect(await explanationOf({ query: signedQuery({ ...tableSas, ...clauses }) })).toContain(line);
  });

  it('names the permissions that an operation needs', () => {
    const grant = { kind: 'accountSas', permissions: 'u', resourceTypes: 'o' } as const;
    const refusal = thrownBy(() => authorize(grant, access.upsertEntity)) as ServiceError;
    expect(refusal.why).toEqual(['sp is u; this operation needs a and u.']);
  });
});

describe('A refusal', () => {
  const authorization = `SharedKey devstoreaccount1:${hmac(lite())}`;
  const requests = [
    { ...request, authorization },
    { ...request, authorization, query: signedQuery(tableSas) },
    { query: signedQuery(tableSas, 'b3RoZXI=') },
    { query: signedQuery(accountSas, 'b3RoZXI=') },
  ];

  it.each(requests)('contains neither key nor signature in any rendering', async (changes) => {
    const refusal = await answerTo(changes);
    if (!(refusal instanceof ServiceError)) throw new Error('was not a refusal');
    const shown = [JSON.stringify(refusal), inspect(refusal, { depth: 9, showHidden: true }), ...refusal.why];
    const secrets = [key, 'b3RoZXI=', hmac(lite()), changes.query?.get('sig') ?? key];
    for (const secret of secrets) expect(shown.join('\n')).not.toContain(secret);
    expect(refusal.message).not.toContain('text to sign');
  });

  it('hides a signature in the text that a client signed', async () => {
    const query = signedQuery(tableSas);
    const wirePath = `${path}?${[...query].map((pair) => pair.join('=')).join('&')}`;
    const signed = `SharedKeyLite devstoreaccount1:${hmac(lite({ wirePath }))}`;
    const explanation = await explanationOf({ ...request, query, authorization: signed });
    expect(explanation).toContain('was made with another key or from another text');
    expect(explanation).not.toContain(query.get('sig'));
  });
});

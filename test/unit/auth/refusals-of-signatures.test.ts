// All refusals of a caller that come before the operation is checked, for both kinds of signatures.

import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../../src/auth/credentials.ts';
import { hmac } from '../../support/sign.mjs';
import {
  accountSas,
  answerTo,
  type Clauses,
  nowHttp,
  outcomeOf,
  signedQuery,
  tableSas,
} from '../../support/signed-requests.ts';

const failed = 'AuthenticationFailed';
const granted = 'granted';
const noon = '2026-06-15T12:00:00Z';

interface Case {
  readonly name: string;
  readonly clauses?: Clauses;
  readonly request?: Partial<Credentials>;
  /** Clauses that are added after the query was signed. */
  readonly afterwards?: Clauses;
  readonly outcome: string;
}

const ipMismatch = 'AuthorizationSourceIPMismatch';

const common: readonly Case[] = [
  { name: 'that is good', outcome: granted },
  { name: 'of another key', afterwards: { sig: hmac('text', 'b3RoZXI=') }, outcome: failed },
  { name: 'that is empty', afterwards: { sig: '' }, outcome: failed },
  { name: 'that is not base64', afterwards: { sig: '!'.repeat(44) }, outcome: failed },
  { name: 'with clauses again in capitals', afterwards: { SP: 'x', SIG: 'x' }, outcome: failed },
  { name: 'whose letters were changed', afterwards: { sp: 'a' }, outcome: failed },
  { name: 'with api-version, which is not signed', afterwards: { 'api-version': '2019-02-02' }, outcome: granted },
  { name: 'without a version', clauses: { sv: '' }, outcome: failed },
  { name: 'of no version', clauses: { sv: 'v1' }, outcome: failed },
  { name: 'of a version too old', clauses: { sv: '2011-08-18' }, outcome: failed },

  { name: 'over this moment', clauses: { se: noon }, outcome: failed },
  { name: 'over in a second', clauses: { se: '2026-06-15T12:00:01Z' }, outcome: granted },
  { name: 'over in an hour, with an offset', clauses: { se: '2026-06-15T15:00:00+02:00' }, outcome: granted },
  { name: 'over for an hour, with an offset', clauses: { se: '2026-06-15T09:00-02:00' }, outcome: failed },
  { name: 'over since the day began', clauses: { se: '2026-06-15' }, outcome: failed },
  { name: 'over when the next day begins', clauses: { se: '2026-06-16' }, outcome: granted },
  { name: 'without se', clauses: { se: '' }, outcome: failed },
  { name: 'that begins this moment', clauses: { st: noon }, outcome: granted },
  { name: 'that begins in a second', clauses: { st: '2026-06-15T12:00:01Z' }, outcome: failed },
  { name: 'that begins in a minute', clauses: { st: '2026-06-15T12:01Z' }, outcome: failed },
  // Evidence: recorded (py-tables test_sas_query 2021-03-01).
  { name: 'with digits of a second in st', clauses: { st: '2024-01-01T00:00:00.923004Z' }, outcome: failed },
  { name: 'with digits of a second in se', clauses: { se: '2030-01-01T00:00:00.000Z' }, outcome: failed },
  { name: 'with a time of no zone', clauses: { se: '2030-01-01T00:00:00' }, outcome: failed },
  { name: 'with a day no calendar has', clauses: { se: '2030-02-30' }, outcome: failed },
  { name: 'with a date in another form', clauses: { se: nowHttp }, outcome: failed },
  { name: 'with a malformed start', clauses: { st: 'banana' }, outcome: failed },

  { name: 'for the address', clauses: { sip: '127.0.0.1' }, outcome: granted },
  { name: 'for another address', clauses: { sip: '10.0.0.1' }, outcome: ipMismatch },
  { name: 'for addresses up to it', clauses: { sip: '126.0.0.0-127.0.0.1' }, outcome: granted },
  { name: 'for addresses from it on', clauses: { sip: '127.0.0.1-127.0.0.9' }, outcome: granted },
  { name: 'for addresses after it', clauses: { sip: '127.0.0.2-127.0.0.9' }, outcome: ipMismatch },
  { name: 'for addresses compared as numbers', clauses: { sip: '9.0.0.0-200.0.0.0' }, outcome: granted },
  { name: 'for ::1', clauses: { sip: '127.0.0.1' }, request: { remoteAddress: '::1' }, outcome: granted },
  {
    name: 'used from IPv6',
    clauses: { sip: '0.0.0.0-255.255.255.255' },
    request: { remoteAddress: 'fe80::1' },
    outcome: ipMismatch,
  },
  { name: 'for a name', clauses: { sip: 'localhost' }, outcome: failed },
  { name: 'for no byte', clauses: { sip: '127.0.0.256' }, outcome: failed },
  { name: 'for three addresses', clauses: { sip: '1.1.1.1-2.2.2.2-3.3.3.3' }, outcome: failed },

  { name: 'for https, by https', clauses: { spr: 'https' }, outcome: granted },
  {
    name: 'for https, used over http',
    clauses: { spr: 'https' },
    request: { isSecure: false },
    outcome: 'AuthorizationProtocolMismatch',
  },
  { name: 'for both, by http', clauses: { spr: 'https,http' }, request: { isSecure: false }, outcome: granted },
  { name: 'for any, by http', request: { isSecure: false }, outcome: granted },
  { name: 'for http alone', clauses: { spr: 'http' }, request: { isSecure: false }, outcome: failed },
  { name: 'for both in the other order', clauses: { spr: 'http,https' }, outcome: failed },

  // If a request has two errors, the response reports the error that comes first in this order: signature and times,
  // then address, then protocol.
  { name: 'over, and for another address', clauses: { se: noon, sip: '10.0.0.1' }, outcome: failed },
  {
    name: 'for another address, and used over http',
    clauses: { sip: '10.0.0.1', spr: 'https' },
    request: { isSecure: false },
    outcome: ipMismatch,
  },

  {
    name: 'with a malformed header',
    request: { authorization: 'Basic eDp5' },
    outcome: 'InvalidAuthenticationInfo',
  },
  { name: 'with an empty header', request: { authorization: '' }, outcome: granted },
  {
    name: 'with a Shared Key that is wrong',
    request: { authorization: 'SharedKeyLite devstoreaccount1:eA==', msDate: nowHttp },
    outcome: failed,
  },
];

const ofTables: readonly Case[] = [
  ...['r', 'a', 'u', 'd', 'ra', 'ud', 'raud'].map((sp) => ({ name: `of ${sp}`, clauses: { sp }, outcome: granted })),
  ...['', 'rr', 'ar', 'duar', 'l', 'rw', 'R'].map((sp) => ({
    name: `of ${sp || 'nothing'}`,
    clauses: { sp },
    outcome: failed,
  })),
  { name: 'with srk and no spk', clauses: { srk: '1' }, outcome: failed },
  { name: 'with erk and no epk', clauses: { erk: '1', spk: 'a' }, outcome: failed },
  { name: 'with spk alone', clauses: { spk: 'a' }, outcome: granted },
  { name: 'without a table', clauses: { tn: '' }, outcome: failed },
];

const ofAccounts: readonly Case[] = [
  ...[...'rwdlacu'].map((sp) => ({ name: `of ${sp}`, clauses: { sp }, outcome: granted })),
  ...[...'sco'].map((srt) => ({ name: `for ${srt}`, clauses: { srt }, outcome: granted })),
  { name: 'in any order', clauses: { sp: 'uald', srt: 'ocs', ss: 'ftqb' }, outcome: granted },
  { name: 'for blobs', clauses: { ss: 'b' }, outcome: 'AuthorizationServiceMismatch' },
  { name: 'without ss', clauses: { ss: '' }, outcome: failed },
  { name: 'without srt', clauses: { srt: '' }, outcome: failed },
  {
    name: 'for blobs, used over http',
    clauses: { ss: 'b', spr: 'https' },
    request: { isSecure: false },
    outcome: 'AuthorizationProtocolMismatch',
  },
];

const kinds = [
  { kind: 'table', base: tableSas as Clauses, cases: [...common, ...ofTables] },
  { kind: 'account', base: accountSas as Clauses, cases: [...common, ...ofAccounts] },
];

describe.each(kinds)('A signature for one $kind', ({ kind, base, cases }) => {
  it.each(cases)('$name: $outcome', async ({ clauses, request, afterwards = {}, outcome }) => {
    const query = new Map([...signedQuery({ ...base, ...clauses }), ...Object.entries(afterwards)]);
    expect(await outcomeOf({ query, ...request })).toBe(outcome === granted ? `${kind}Sas` : outcome);
  });

  it('may have spaces in place of its plus signs', async () => {
    const withPlus = Array.from({ length: 40 }, (_, index) => signedQuery({ ...base, se: `20${30 + index}-01-01` }));
    const query = withPlus.find((candidate) => candidate.get('sig')?.includes('+'))!;
    query.set('sig', query.get('sig')!.replaceAll('+', ' '));
    expect(await outcomeOf({ query })).toBe(`${kind}Sas`);
  });

  it('may have the names of its clauses in upper case', async () => {
    const query = new Map([...signedQuery(base)].map(([name, value]) => [name.toUpperCase(), value]));
    expect(await outcomeOf({ query })).toBe(`${kind}Sas`);
  });

  it('is refused with the address of the caller in the text', async () => {
    const query = signedQuery({ ...base, sip: '10.0.0.1' });
    expect(await answerTo({ query })).toMatchObject({
      status: 403,
      stage: 'frontEnd',
      message: 'This request is not authorized to perform this operation using this source IP 127.0.0.1.',
    });
  });

  it('is refused by the front end', async () => {
    expect(await answerTo({ query: signedQuery(base, 'b3RoZXI=') })).toMatchObject({ status: 403, stage: 'frontEnd' });
  });
});

describe('A request', () => {
  it('without credentials is refused with an error that depends on its version', async () => {
    expect(await outcomeOf({})).toBe(failed);
    expect(await outcomeOf({ query: new Map([['tn', 'Inventory']]) })).toBe(failed);
    expect(await outcomeOf({ query: new Map(), challenges: true })).toBe('NoAuthenticationInformation');
  });

  it('with a signature for neither a table nor an account is refused', async () => {
    expect(await outcomeOf({ query: new Map([['sig', hmac('')]]), challenges: true })).toBe(failed);
  });

  it('to a missing account is ResourceNotFound', async () => {
    expect(await outcomeOf({ account: 'other', query: signedQuery(tableSas) })).toBe('ResourceNotFound');
  });

  it('that is a day old is refused, even with a right signature', async () => {
    const msDate = 'Sun, 14 Jun 2026 12:00:00 GMT';
    const authorization = `SharedKeyLite devstoreaccount1:${hmac(`${msDate}\n/devstoreaccount1/devstoreaccount1/Inventory()`)}`;
    expect(await outcomeOf({ msDate, authorization })).toBe(failed);
  });

  it('that is signed with a key is granted everything, even if it also has a signature', async () => {
    const authorization = `SharedKeyLite devstoreaccount1:${hmac(`${nowHttp}\n/devstoreaccount1/devstoreaccount1/Inventory()`)}`;
    const query = signedQuery(tableSas, 'b3RoZXI=');
    expect(await answerTo({ msDate: nowHttp, authorization, query })).toEqual({ kind: 'key' });
  });
});

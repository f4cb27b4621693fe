import fc from 'fast-check';
import { expect } from 'vitest';
import {
  accountText,
  accountToken,
  type Clauses,
  momentAt,
  signatureOf,
  tableText,
  tableToken,
} from '../../support/shared-access-tokens.ts';
import { authorization, developmentKey } from '../../support/table-client.ts';
import { type Change, changed, changesOf } from '../damage.ts';
import { outcomeOf, service } from '../emulator.ts';
import { type Outcome, target } from '../target.ts';

const table = 'signed';
const account = 'devstoreaccount1';

const tokens = [
  ...[
    '&',
    '=',
    '?',
    '%',
    '%00',
    '%0A',
    '+',
    '/',
    ',',
    'sig=',
    '&sig=x',
    '&sp=raud',
    '&tn=signed',
    '&tn=',
    '&se=2099-01-01',
  ],
  ...[
    '&sv=2012-02-12',
    '&srt=sco',
    '&ss=t',
    '&si=x',
    '&spk=a',
    '&epk=z',
    '&sip=0.0.0.0',
    '&spr=http',
    '&SP=r',
    'r',
    'a',
  ],
];
const authorizationTokens = ['SharedKey ', 'SharedKeyLite ', 'Bearer ', account, ':', '=', ' ', ',', '==', 'A'];

const textOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom('', ...texts);
const clauses = fc.record({
  sv: fc.constantFrom('2012-02-12', '2015-02-21', '2015-04-05', '2019-02-02', '2020-12-06', '2026-01-01', 'x'),
  sp: fc.constantFrom('r', 'raud', 'rwdlacu', 'a', 'x', 'rr', ''),
  se: fc.constantFrom('in an hour', 'an hour ago', '2099-01-01', '2099-01-01T00:00Z', 'x', ''),
  st: textOf('2020-01-01', '2098-01-01', 'x'),
  sip: textOf('127.0.0.1', '127.0.0.0-127.0.0.9', '1.2.3.4', 'x'),
  spr: textOf('https', 'https,http', 'http', 'x'),
  spk: textOf('a', 'p'),
  srk: textOf('a'),
  epk: textOf('z'),
  erk: textOf('z'),
  si: textOf('unknown'),
});

interface Access {
  readonly kind: 'table' | 'account' | 'key';
  readonly clauses: Clauses;
  readonly changes: readonly Change[];
}

const inputs: fc.Arbitrary<Access> = fc.oneof(
  fc.record({ kind: fc.constantFrom('table' as const, 'account' as const), clauses, changes: changesOf(tokens) }),
  fc.record({ kind: fc.constant('key' as const), clauses: fc.constant({}), changes: changesOf(authorizationTokens) }),
);

const moments: Readonly<Record<string, number>> = { 'in an hour': 3_600_000, 'an hour ago': -3_600_000 };

let made: Promise<void> | undefined;

async function check({ kind, clauses: given, changes }: Access): Promise<Outcome> {
  made ??= service.createTable(table);
  await made;
  if (kind === 'key') return checkSharedKey(changes);
  const { se = '' } = given;
  const offset = moments[se];
  const all = { ...given, se: offset === undefined ? se : momentAt(offset) };
  const sound = kind === 'table' ? tableToken(table, all) : accountToken(all);
  const query = changed(sound, changes).replaceAll(/[^!-~]|#/g, escaped);
  const answer = await service.send({
    method: 'GET',
    path: `/${table}()?${query}`,
    headers: { Authorization: undefined },
  });
  const outcome = outcomeOf(answer);
  if (outcome === 'accepted') expectSigned(query);
  return outcome;
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** A signature must be accepted only if it covers the query's clauses and has not expired. */
function expectSigned(query: string): void {
  const found = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const { sig = '', se = '', tn, ...rest } = Object.fromEntries(found);
  const texts = [tableText({ ...rest, se, ...(tn !== undefined && { tn }) }), accountText({ ...rest, se })];
  expect(texts.map((text) => signatureOf(text))).toContain(sig.replaceAll(' ', '+'));
  expect(Date.parse(se)).toBeGreaterThan(Date.now() - 60_000);
}

async function checkSharedKey(changes: readonly Change[]): Promise<Outcome> {
  const target = `/${account}/${table}()`;
  const headers = { 'x-ms-date': new Date().toUTCString() };
  const request = { method: 'GET', target, headers };
  const schemes = ['SharedKey', 'SharedKeyLite'] as const;
  const sound = schemes.map((scheme) => authorization(request, { account, key: developmentKey, scheme }));
  const sent = changed(sound[changes.length % 2] ?? '', changes)
    .replaceAll(/[^ -~]/g, '')
    .trim();
  const answer = await service.get(`/${table}()`, { ...headers, Authorization: sent });
  const outcome = outcomeOf(answer);
  if (outcome === 'accepted') expect(sound).toContain(sent);
  return outcome;
}

export const signatures = target({ name: 'signatures', share: 12, inputs, check });

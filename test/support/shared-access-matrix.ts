// The rights of each credential as a table, with a line for each credential and a column for each operation. The table
// was written by hand from the documentation and the recordings of the service. No outcome is computed or taken from
// the emulator. Source: docs, Create a service SAS, Create an account SAS, SAS error codes; recordings of
// azure-sdk-for-net and -python.

import { accountToken, type Clauses, momentAt, tableToken } from './shared-access-tokens.ts';

/** The columns, in this order. A second table has only the entity operations, inside a batch. */
export const operationNames = [
  'QueryTables',
  'GetTable',
  'CreateTable',
  'DeleteTable',
  'QueryEntities',
  'GetEntity',
  'InsertEntity',
  'UpdateEntity',
  'MergeEntity',
  'InsertOrReplaceEntity',
  'InsertOrMergeEntity',
  'DeleteEntity',
  'GetTableAcl',
  'SetTableAcl',
  'GetTableServiceProperties',
  'SetTableServiceProperties',
  'GetTableServiceStats',
] as const;
export type OperationName = (typeof operationNames)[number];

export const batchedNames = operationNames.slice(4, 12);

/** What each letter in the table means. */
export const outcomes: Readonly<Record<string, string>> = {
  '+': 'done',
  // The request is answered with an empty result.
  o: 'done, empty',
  A: '403 AuthenticationFailed',
  F: '403 AuthorizationFailure',
  P: '403 AuthorizationPermissionMismatch',
  T: '403 AuthorizationResourceTypeMismatch',
  S: '403 AuthorizationServiceMismatch',
  I: '403 AuthorizationSourceIPMismatch',
  H: '403 AuthorizationProtocolMismatch',
  N: '404 ResourceNotFound',
};

/** The stored access policies to which lines with `si` refer. */
export const storedPolicies =
  '<SignedIdentifiers>' +
  `<SignedIdentifier><Id>full</Id><AccessPolicy><Expiry>${momentAt(3_600_000)}</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier>` +
  `<SignedIdentifier><Id>reader</Id><AccessPolicy><Expiry>${momentAt(3_600_000)}</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier>` +
  `<SignedIdentifier><Id>over</Id><AccessPolicy><Expiry>${momentAt(-60_000)}</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier>` +
  `<SignedIdentifier><Id>later</Id><AccessPolicy><Start>${momentAt(600_000)}</Start><Expiry>${momentAt(3_600_000)}</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier>` +
  '<SignedIdentifier><Id>blank</Id></SignedIdentifier>' +
  '</SignedIdentifiers>';

/** How to add a credential to a request. */
export type Credential =
  | { readonly kind: 'key' }
  | { readonly kind: 'none' }
  | { readonly kind: 'wrongKey' }
  | { readonly kind: 'staleDate' }
  | { readonly kind: 'token'; readonly token: string };

export interface Line {
  readonly title: string;
  readonly credential: Credential;
  /** The outcomes, with one letter for each column. */
  readonly direct: string;
  /** The outcomes of the entity operations inside `$batch`. */
  readonly batched: string;
}

const otherKey = Buffer.alloc(64, 7).toString('base64');
const allLetters = 'rwdlacu';

const table = (clauses: Clauses, tn = 'pets'): Credential => ({ kind: 'token', token: tableToken(tn, clauses) });
const account = (clauses: Clauses): Credential => ({ kind: 'token', token: accountToken(clauses) });
const token = (text: string): Credential => ({ kind: 'token', token: text });

const past = momentAt(-60_000);
const future = momentAt(600_000);
const nothing = { sp: undefined, se: undefined };

// Each letter is the outcome of one operation. The letters are in groups: tables (query, get, create, delete); entities
// (query, get, insert, update, merge, insert or replace, insert or merge, delete); policies (get, set); service (get
// properties, set properties, stats).
const grid: readonly (readonly [title: string, credential: Credential, direct: string, batched: string])[] = [
  ['the key', { kind: 'key' }, '++++ ++++++++ ++ +++', '++++++++'],
  ['no credentials', { kind: 'none' }, 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['a wrong key', { kind: 'wrongKey' }, 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['a date of yesterday', { kind: 'staleDate' }, 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],

  ['table, sp=r', table({ sp: 'r' }), 'FFFF ++PPPPPP FF FFF', '++PPPPPP'],
  ['table, sp=a', table({ sp: 'a' }), 'FFFF PP+PPPPP FF FFF', 'PP+PPPPP'],
  ['table, sp=u', table({ sp: 'u' }), 'FFFF PPP++PPP FF FFF', 'PPP++PPP'],
  ['table, sp=d', table({ sp: 'd' }), 'FFFF PPPPPPP+ FF FFF', 'PPPPPPP+'],
  ['table, sp=au', table({ sp: 'au' }), 'FFFF PP+++++P FF FFF', 'PP+++++P'],
  ['table, sp=ra', table({ sp: 'ra' }), 'FFFF +++PPPPP FF FFF', '+++PPPPP'],
  ['table, sp=raud', table({ sp: 'raud' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['table, in another case', table({ sp: 'raud' }, 'PETS'), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['table, sp out of order', table({ sp: 'dar' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['table, no sp', table({}), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['table, no se', table({ sp: 'raud', se: undefined }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['another table', table({ sp: 'raud' }, 'others'), 'FFFF FFFFFFFF FF FFF', 'FFFFFFFF'],
  ['table, expired', table({ sp: 'raud', se: past }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['table, not yet valid', table({ sp: 'raud', st: future }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['table, valid since', table({ sp: 'raud', st: past }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['table, from elsewhere', table({ sp: 'raud', sip: '10.0.0.1' }), 'IIII IIIIIIII II III', 'IIIIIIII'],
  ['table, from here', table({ sp: 'raud', sip: '127.0.0.0-127.0.0.9' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['table, https only', table({ sp: 'raud', spr: 'https' }), 'HHHH HHHHHHHH HH HHH', 'HHHHHHHH'],
  ['table, https and http', table({ sp: 'raud', spr: 'https,http' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['table, http alone', table({ sp: 'raud', spr: 'http' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  [
    'table, another key',
    token(tableToken('pets', { sp: 'raud' }, { key: otherKey })),
    'AAAA AAAAAAAA AA AAA',
    'AAAAAAAA',
  ],
  [
    'table, another account',
    token(tableToken('pets', { sp: 'raud' }, { account: 'other' })),
    'AAAA AAAAAAAA AA AAA',
    'AAAAAAAA',
  ],
  [
    'table, sp changed',
    token(tableToken('pets', { sp: 'r' }).replace('sp=r', 'sp=raud')),
    'AAAA AAAAAAAA AA AAA',
    'AAAAAAAA',
  ],
  ['table, sv unknown', table({ sp: 'raud', sv: '2011-08-18' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  // Before version 2015-04-05, everything that is not allowed is answered ResourceNotFound.
  ['table, sp=r, sv 2013-08-15', table({ sp: 'r', sv: '2013-08-15' }), 'NNNN ++NNNNNN NN NNN', '++NNNNNN'],
  ['table, sp=raud, sv 2012-02-12', table({ sp: 'raud', sv: '2012-02-12' }), 'NNNN ++++++++ NN NNN', '++++++++'],
  ['table, sp=raud, sv 2020-12-06', table({ sp: 'raud', sv: '2020-12-06' }), 'FFFF ++++++++ FF FFF', '++++++++'],

  ['range inside', table({ sp: 'raud', spk: 'p', epk: 'p' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  [
    'range inside, rows',
    table({ sp: 'raud', spk: 'p', srk: 'a', epk: 'p', erk: 'z' }),
    'FFFF ++++++++ FF FFF',
    '++++++++',
  ],
  ['range above', table({ sp: 'raud', spk: 'q' }), 'FFFF oNFFFFFF FF FFF', 'oNFFFFFF'],
  ['range below', table({ sp: 'raud', epk: 'o' }), 'FFFF oNFFFFFF FF FFF', 'oNFFFFFF'],
  ['adjacent range, rows', table({ sp: 'raud', spk: 'p', srk: 's', epk: 'p' }), 'FFFF oNFFFFFF FF FFF', 'oNFFFFFF'],
  ['range outside, sp=r', table({ sp: 'r', spk: 'q' }), 'FFFF oNPPPPPP FF FFF', 'oNPPPPPP'],
  ['srk without spk', table({ sp: 'raud', srk: 'a' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['erk without epk', table({ sp: 'raud', erk: 'z' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],

  ['policy raud', table({ ...nothing, si: 'full' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['policy r', table({ ...nothing, si: 'reader' }), 'FFFF ++PPPPPP FF FFF', '++PPPPPP'],
  ['policy absent', table({ ...nothing, si: 'nobody' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy in another case', table({ ...nothing, si: 'FULL' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy expired', table({ ...nothing, si: 'over' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy not yet valid', table({ ...nothing, si: 'later' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy, se twice', table({ si: 'full' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy, sp twice', table({ ...nothing, sp: 'r', si: 'full' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy blank', table({ ...nothing, si: 'blank' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['policy blank, the rest here', table({ sp: 'raud', si: 'blank' }), 'FFFF ++++++++ FF FFF', '++++++++'],
  ['policy raud, range above', table({ ...nothing, si: 'full', spk: 'q' }), 'FFFF oNFFFFFF FF FFF', 'oNFFFFFF'],

  ['account, sp=r', account({ sp: 'r' }), 'PPPP ++PPPPPP FF +P+', '++PPPPPP'],
  ['account, sp=w', account({ sp: 'w' }), 'PP+P PPPPPPPP FF P+P', 'PPPPPPPP'],
  ['account, sp=d', account({ sp: 'd' }), 'PPP+ PPPPPPP+ FF PPP', 'PPPPPPP+'],
  ['account, sp=l', account({ sp: 'l' }), '++PP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=a', account({ sp: 'a' }), 'PPPP PP+PPPPP FF PPP', 'PP+PPPPP'],
  ['account, sp=c', account({ sp: 'c' }), 'PP+P PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=u', account({ sp: 'u' }), 'PPPP PPP++PPP FF PPP', 'PPP++PPP'],
  ['account, sp=au', account({ sp: 'au' }), 'PPPP PP+++++P FF PPP', 'PP+++++P'],
  ['account, sp=p', account({ sp: 'p' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=y', account({ sp: 'y' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=x', account({ sp: 'x' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=t', account({ sp: 't' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=f', account({ sp: 'f' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, sp=i', account({ sp: 'i' }), 'PPPP PPPPPPPP FF PPP', 'PPPPPPPP'],
  ['account, all letters', account({ sp: allLetters }), '++++ ++++++++ FF +++', '++++++++'],
  [
    'account, permissions of other services too',
    account({ sp: 'rwdyxlacuptfi', ss: 'bqtf' }),
    '++++ ++++++++ FF +++',
    '++++++++',
  ],
  ['account, srt=s', account({ sp: allLetters, srt: 's' }), 'TTTT TTTTTTTT FF +++', 'TTTTTTTT'],
  ['account, srt=c', account({ sp: allLetters, srt: 'c' }), '++++ TTTTTTTT FF TTT', 'TTTTTTTT'],
  ['account, srt=o', account({ sp: allLetters, srt: 'o' }), 'TTTT ++++++++ FF TTT', '++++++++'],
  ['account, srt=oc', account({ sp: 'rl', srt: 'oc' }), '++PP ++PPPPPP FF TTT', '++PPPPPP'],
  ['account, ss=bqf', account({ sp: allLetters, ss: 'bqf' }), 'SSSS SSSSSSSS SS SSS', 'SSSSSSSS'],
  ['account, from elsewhere', account({ sp: allLetters, sip: '10.0.0.1' }), 'IIII IIIIIIII II III', 'IIIIIIII'],
  ['account, from here', account({ sp: allLetters, sip: '127.0.0.1' }), '++++ ++++++++ FF +++', '++++++++'],
  ['account, https only', account({ sp: allLetters, spr: 'https' }), 'HHHH HHHHHHHH HH HHH', 'HHHHHHHH'],
  ['account, https and http', account({ sp: allLetters, spr: 'https,http' }), '++++ ++++++++ FF +++', '++++++++'],
  ['account, expired', account({ sp: allLetters, se: past }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['account, not yet valid', account({ sp: allLetters, st: future }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['account, no se', account({ sp: allLetters, se: undefined }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  [
    'account, another key',
    token(accountToken({ sp: allLetters }, { key: otherKey })),
    'AAAA AAAAAAAA AA AAA',
    'AAAAAAAA',
  ],
  [
    'account, srt changed',
    token(accountToken({ sp: allLetters, srt: 's' }).replace('srt=s', 'srt=sco')),
    'AAAA AAAAAAAA AA AAA',
    'AAAAAAAA',
  ],
  ['account, sv before it was', account({ sp: allLetters, sv: '2015-02-21' }), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
  ['account, sv 2020-12-06', account({ sp: allLetters, sv: '2020-12-06' }), '++++ ++++++++ FF +++', '++++++++'],
  [
    'account, sv 2021-12-02, ses',
    account({ sp: 'r', sv: '2021-12-02', ses: 'scope' }),
    'PPPP ++PPPPPP FF +P+',
    '++PPPPPP',
  ],
  ['sig alone', token('sig=AAAA'), 'AAAA AAAAAAAA AA AAA', 'AAAAAAAA'],
];

export const lines: readonly Line[] = grid.map(([title, credential, direct, batched]) => ({
  title,
  credential,
  direct: direct.replaceAll(' ', ''),
  batched,
}));

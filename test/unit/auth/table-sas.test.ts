import { describe, expect, it } from 'vitest';
import { type StoredPolicy, tableSasText } from '../../../src/auth/table-sas.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { hmac } from '../../support/sign.mjs';
import { account, answerTo, authenticate, outcomeOf, signedQuery, tableSas } from '../../support/signed-requests.ts';

interface Vector {
  readonly name: string;
  readonly wire: string;
  readonly text: string;
  readonly signature: string;
}

const times = 'st=2024-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';

// Signatures that were made with the well-known key. Some come from the published package (data-tables 13.3.2). The
// others were computed separately.
const vectors: readonly Vector[] = [
  {
    name: 'S1: the oldest version',
    wire: `sv=2012-02-12&tn=Inventory&sp=raud&${times}`,
    text: 'raud\n2024-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n/devstoreaccount1/inventory\n\n2012-02-12\n\n\n\n',
    signature: '/IA7fQuE/7C0xZp9z5+sFrrbDyt5lIZ+odm+4/Q0AVg=',
  },
  {
    name: 'S2: a range of partitions, before the resource had a prefix',
    wire: 'sv=2013-08-15&tn=inventory&sp=r&se=2030-01-01T00:00:00Z&spk=a&epk=m',
    text: 'r\n\n2030-01-01T00:00:00Z\n/devstoreaccount1/inventory\n\n2013-08-15\na\n\nm\n',
    signature: 'ahAvu6I6DzOarzw3IrHNcbslGqS0s4z9cIEiP397N7Y=',
  },
  {
    name: 'S3: the prefix, not yet the caller',
    wire: 'sv=2015-02-21&tn=INVENTORY&sp=r&se=2030-01-01T00:00:00Z',
    text: 'r\n\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/inventory\n\n2015-02-21\n\n\n\n',
    signature: 'Brg77pyniWGizz8K0IaQ9TwUaaPX5HGV3gEqJJGFZms=',
  },
  {
    name: 'S4: every field (SDK)',
    wire: `sv=2015-04-05&tn=Inventory&sp=raud&${times}&sip=168.1.5.60-168.1.5.70&spr=https,http&spk=a&srk=1&epk=m&erk=9`,
    text: 'raud\n2024-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/inventory\n\n168.1.5.60-168.1.5.70\nhttps,http\n2015-04-05\na\n1\nm\n9',
    signature: 'pT2enkBjcktoNnvaT/wqWNqUnGxtsg1HwVizZogLXsU=',
  },
  {
    name: 'S5: a stored policy and nothing else (SDK)',
    wire: 'sv=2019-02-02&tn=Inventory&si=ReadersPolicy',
    text: '\n\n\n/table/devstoreaccount1/inventory\nReadersPolicy\n\n\n2019-02-02\n\n\n\n',
    signature: 'FtRJ1EltJLOroWON96gGYyZFios3kAOvuZmb/F8qPxU=',
  },
  {
    name: 'S6: a newer version, unchanged',
    wire: `sv=2020-12-06&tn=Inventory&sp=r&${times}&spr=https`,
    text: 'r\n2024-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/inventory\n\n\nhttps\n2020-12-06\n\n\n\n',
    signature: 'XYU8UDqVYL6088cs3QIiQdqj1peYn7xGbwwwedqRu0g=',
  },
  {
    name: 'S7: keys with a space, a plus sign, a quote and a letter beyond ASCII (SDK)',
    wire: 'sv=2019-02-02&tn=Inventory&sp=r&se=2030-01-01T00:00:00Z&spk=a+b%2Bc&epk=%C3%A9%27',
    text: "r\n\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/inventory\n\n\n\n2019-02-02\na b+c\n\né'\n",
    signature: 'uKSqtt0oGld88hnfkOWGlD3/3S6EmE9/jOQ/uDY9+T8=',
  },
];

const policies: Readonly<Record<string, StoredPolicy>> = {
  ReadersPolicy: { expiry: '2030-01-01T00:00:00.0000000Z', permission: 'r' },
};
const findPolicy = async (_account: string, _table: string, id: string): Promise<StoredPolicy | undefined> =>
  policies[id];

describe('A signature for a table', () => {
  it.each(vectors)('is right for $name', async ({ wire, text, signature }) => {
    const query = new Map(new URLSearchParams(wire));
    expect(tableSasText(account, query)).toBe(text);
    expect(hmac(text)).toBe(signature);
    const request = { query: query.set('sig', signature), remoteAddress: '168.1.5.65' };
    expect(await outcomeOf(request, findPolicy)).toBe('tableSas');
    for (const other of vectors.filter((vector) => vector.signature !== signature)) {
      query.set('sig', other.signature);
      expect(await outcomeOf(request, findPolicy)).toBe('AuthenticationFailed');
    }
  });

  it('grants its permissions on its table, as frozen data, synchronously', () => {
    const grant = authenticate({
      query: signedQuery({ ...tableSas, sp: 'ru', spk: 'a', srk: '1', epk: 'm', erk: '9' }),
    });
    expect(grant).toEqual({
      kind: 'tableSas',
      permissions: 'ru',
      table: 'Inventory',
      range: { from: { partitionKey: 'a', rowKey: '1' }, before: { partitionKey: 'm', rowKey: '9\u0000' } },
      isLegacy: false,
    });
    expect(Object.isFrozen(grant)).toBe(true);
  });

  it.each([
    ['2012-02-12', true],
    ['2015-02-21', true],
    ['2015-04-05', false],
    ['2026-06-06', false],
  ])('of %s follows older rules: %j', async (sv, isLegacy) => {
    expect(await answerTo({ query: signedQuery({ ...tableSas, sv }) })).toMatchObject({ isLegacy });
  });

  it('before 2015-04-05 restricts neither addresses nor protocols', async () => {
    const query = signedQuery({ ...tableSas, sv: '2015-02-21' })
      .set('sip', '10.0.0.1')
      .set('spr', 'https');
    expect(await outcomeOf({ query, isSecure: false })).toBe('tableSas');
  });

  it('is signed with its table in lower case, and grants it in the case of the signature', async () => {
    const query = signedQuery({ ...tableSas, tn: 'INVENTORY' });
    expect(await answerTo({ query })).toMatchObject({ kind: 'tableSas', table: 'INVENTORY' });
  });

  it('counts as a signature for a table if it could also be one for an account', async () => {
    const query = signedQuery({ ...tableSas, ss: 't', srt: 'o' });
    expect(await outcomeOf({ query })).toBe('tableSas');
  });
});

describe('A stored policy', () => {
  interface Case {
    readonly name: string;
    readonly policy: StoredPolicy | undefined;
    readonly clauses: Readonly<Record<string, string>>;
    readonly outcome: string;
  }
  const failed = 'AuthenticationFailed';
  const { sp, se } = tableSas;
  const full = { start: '2024-01-01', expiry: '2030-01-01T00:00Z', permission: 'r' };

  const cases: readonly Case[] = [
    { name: 'gives everything', policy: full, clauses: {}, outcome: 'r' },
    { name: 'gives nothing', policy: {}, clauses: { sp, se }, outcome: 'raud' },
    {
      name: 'has empty fields, which allow nothing',
      policy: { start: '', expiry: '', permission: '' },
      clauses: { sp, se },
      outcome: 'raud',
    },
    { name: 'has the permission', policy: { permission: 'ad' }, clauses: { se }, outcome: 'ad' },
    { name: 'has the expiry', policy: { expiry: full.expiry }, clauses: { sp }, outcome: 'raud' },
    { name: 'has the start and the rest', policy: { start: full.start }, clauses: { sp, se }, outcome: 'raud' },
    { name: 'does not exist', policy: undefined, clauses: { sp, se }, outcome: failed },
    { name: 'is over', policy: { ...full, expiry: '2026-06-15T12:00:00.0000000Z' }, clauses: {}, outcome: failed },
    {
      name: 'is about to be over',
      policy: { ...full, expiry: '2026-06-15T12:00:00.0000001Z' },
      clauses: {},
      outcome: 'r',
    },
    { name: 'has not begun', policy: { ...full, start: '2026-06-15T12:00:00.0000001Z' }, clauses: {}, outcome: failed },
    {
      name: 'begins at this moment',
      policy: { ...full, start: '2026-06-15T14:00:00+02:00' },
      clauses: {},
      outcome: 'r',
    },
    // A signature must not repeat a clause of its policy. Evidence: recorded (py-tables test_sas_upper_case_table_name
    // 2021-03-01: the signature has st and se, and so has its policy).
    { name: 'repeats st', policy: full, clauses: { st: '2024-01-01' }, outcome: failed },
    { name: 'repeats se', policy: full, clauses: { se }, outcome: failed },
    { name: 'repeats sp', policy: full, clauses: { sp: 'r' }, outcome: failed },
    {
      name: 'has no permissions, and the signature has none either',
      policy: { expiry: full.expiry },
      clauses: {},
      outcome: failed,
    },
    { name: 'has no expiry, nor does the signature', policy: { permission: 'r' }, clauses: {}, outcome: failed },
    { name: 'has a malformed date', policy: { ...full, expiry: 'kiwi' }, clauses: {}, outcome: failed },
  ];

  it.each(cases)('that $name: $outcome', async ({ policy, clauses, outcome }) => {
    const query = signedQuery({ sv: '2019-02-02', tn: 'Inventory', si: 'id', ...clauses });
    const answer = await answerTo({ query }, async () => policy);
    const got = answer instanceof ServiceError ? answer.code : answer.kind === 'tableSas' && answer.permissions;
    expect(got).toBe(outcome);
  });

  it('is looked up by account, table and id, and only for a right signature', async () => {
    const asked: string[][] = [];
    const find = async (...names: string[]): Promise<StoredPolicy> => {
      asked.push(names);
      return full;
    };
    const query = signedQuery({ sv: '2019-02-02', tn: 'Inventory', si: 'Id' });
    expect(authenticate({ query }, find)).toBeInstanceOf(Promise);
    await answerTo({ query: new Map(query).set('sig', hmac('other')) }, find);
    await answerTo({ query: signedQuery(tableSas) }, find);
    expect(asked).toEqual([[account, 'Inventory', 'Id']]);
  });

  it('is required to exist: without a store of policies the signature is refused', async () => {
    expect(await outcomeOf({ query: signedQuery({ sv: '2019-02-02', tn: 'Inventory', si: 'Id' }) })).toBe(failed);
  });

  it('causes an error, not a refusal, if it cannot be read', async () => {
    const query = signedQuery({ sv: '2019-02-02', tn: 'Inventory', si: 'Id' });
    const find = () => Promise.reject(new Error('disk'));
    await expect(authenticate({ query }, find)).rejects.toThrow('disk');
  });
});

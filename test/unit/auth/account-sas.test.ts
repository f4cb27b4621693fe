import { describe, expect, it } from 'vitest';
import { accountSasText } from '../../../src/auth/account-sas.ts';
import { hmac } from '../../support/sign.mjs';
import { account, accountSas, authenticate, outcomeOf, signedQuery } from '../../support/signed-requests.ts';

const times = 'st=2024-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';
const a3 = {
  name: 'A3: the line for the encryption scope',
  wire: 'sv=2020-12-06&ss=t&srt=co&sp=rl&se=2030-01-01T00:00:00Z&spr=https',
  text: 'devstoreaccount1\nrl\nt\nco\n\n2030-01-01T00:00:00Z\n\nhttps\n2020-12-06\n\n',
  signature: 'lEjn/AArJw+TrqmMisG16wo3LsecHU5BnZUObgWkPnI=',
};

// Signatures that were made with the well-known key. Some come from the published package (data-tables 13.3.2). The
// others were computed separately.
const vectors = [
  {
    name: 'A1: every letter (SDK)',
    wire: `sv=2019-02-02&ss=t&srt=sco&sp=rwdlau&${times}&spr=https,http`,
    text: 'devstoreaccount1\nrwdlau\nt\nsco\n2024-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n\nhttps,http\n2019-02-02\n',
    signature: 'o6bIffBK+CqM0tNDbG4+ZoWpIKZxL5iGVF+KRgYsR+U=',
  },
  {
    name: 'A2: other letters',
    wire: `sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&${times}&spr=https,http`,
    text: 'devstoreaccount1\nrwdlacu\nt\nsco\n2024-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n\nhttps,http\n2019-02-02\n',
    signature: 'xVL/tAyuI340ewO6UK9K1eWUkZjlQIuohSN7Hp9haIQ=',
  },
  a3,
  {
    name: 'A4: an encryption scope, another service, an address',
    wire: 'sv=2021-12-02&ss=bt&srt=o&sp=r&se=2030-01-01T00:00:00Z&sip=10.0.0.1&spr=https&ses=myscope',
    text: 'devstoreaccount1\nr\nbt\no\n\n2030-01-01T00:00:00Z\n10.0.0.1\nhttps\n2021-12-02\nmyscope\n',
    signature: 'IPlDyT8qjIz4cL7qyB+yGbJEMBIo2/iNn/LMG8XnazI=',
  },
];

describe('A signature for an account', () => {
  it.each(vectors)('is right for $name', async ({ wire, text, signature }) => {
    const query = new Map(new URLSearchParams(wire));
    expect(accountSasText(account, query)).toBe(text);
    expect(hmac(text)).toBe(signature);
    const request = { query: query.set('sig', signature), remoteAddress: '10.0.0.1' };
    expect(await outcomeOf(request)).toBe('accountSas');
    for (const other of vectors.filter((vector) => vector.signature !== signature)) {
      query.set('sig', other.signature);
      expect(await outcomeOf(request)).toBe('AuthenticationFailed');
    }
  });

  it('ends with a newline: A5 is refused', async () => {
    const signature = 'W2JSSieSulCWQHOnlKTNPtEzVZ9dCZhmZ0iRITtKe50=';
    expect(hmac(a3.text.slice(0, -1))).toBe(signature);
    const query = new Map(new URLSearchParams(a3.wire)).set('sig', signature);
    expect(await outcomeOf({ query })).toBe('AuthenticationFailed');
  });

  it('grants its permissions on its resource types, as frozen data, synchronously', () => {
    const grant = authenticate({ query: signedQuery({ ...accountSas, ss: 'qbft', srt: 'soc', sp: 'rdlcxyitfp' }) });
    expect(grant).toEqual({ kind: 'accountSas', permissions: 'rdlcxyitfp', resourceTypes: 'soc' });
    expect(Object.isFrozen(grant)).toBe(true);
  });

  it.each(['2012-02-12', '2015-02-21', '', '2019', 'newest', '2020-12-6'])('is refused for version %j', async (sv) => {
    expect(await outcomeOf({ query: signedQuery({ ...accountSas, sv }) })).toBe('AuthenticationFailed');
  });

  it.each(['2015-04-05', '2020-10-02', '2026-06-06'])('is accepted for the version %s', async (sv) => {
    expect(await outcomeOf({ query: signedQuery({ ...accountSas, sv }) })).toBe('accountSas');
  });

  it.each([{ sp: '' }, { sp: 'R' }, { srt: 'x' }, { ss: 'tables' }, { se: '' }])(
    'is refused with %j',
    async (clauses) => {
      expect(await outcomeOf({ query: signedQuery({ ...accountSas, ...clauses }) })).toBe('AuthenticationFailed');
    },
  );

  it('for other services is refused with AuthorizationServiceMismatch', async () => {
    const query = signedQuery({ ...accountSas, ss: 'bqf' });
    expect(await outcomeOf({ query })).toBe('AuthorizationServiceMismatch');
  });

  it('looks up no stored policy', () => {
    const query = signedQuery(accountSas).set('si', 'id');
    expect(authenticate({ query }, () => Promise.reject(new Error('asked')))).toMatchObject({ kind: 'accountSas' });
  });
});

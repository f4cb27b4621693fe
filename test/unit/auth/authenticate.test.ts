import { describe, expect, it } from 'vitest';
import { createAccounts } from '../../../src/auth/accounts.ts';
import { createAuthenticator } from '../../../src/auth/authenticate.ts';
import type { TokenJudge } from '../../../src/auth/bearer.ts';
import type { Credentials } from '../../../src/auth/credentials.ts';
import { requestAgeMsMax } from '../../../src/model/limits.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { hmac } from '../../support/sign.mjs';

const key = Buffer.from('a key').toString('base64');
const signedAt = 'Mon, 15 Jan 2024 10:30:00 GMT';
const signedMs = Date.UTC(2024, 0, 15, 10, 30, 0);

const sign = (text: string): string => hmac(text, key);

const credentials: Credentials = {
  nowMs: signedMs,
  method: 'GET',
  contentMd5: '',
  contentType: '',
  account: 'one',
  wirePath: '/one/Tables',
  comp: undefined,
  authorization: `SharedKeyLite one:${sign(`${signedAt}\n/one/one/Tables`)}`,
  msDate: signedAt,
  date: undefined,
  secondary: false,
  challenges: false,
};

/** The error code with which a request is refused at a moment, or undefined if it is accepted. */
function refusalAt(machineMs: number, changes: Partial<Credentials> = {}): string | undefined {
  const authenticator = createAuthenticator({
    accounts: createAccounts([{ name: 'one', keys: [key] }]),
    clock: { nowMs: () => machineMs },
    requestAgeMsMax,
  });
  try {
    authenticator.authenticate({ ...credentials, ...changes });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

describe('The authenticator', () => {
  const minuteMs = 60_000;

  it('accepts a request up to an age of exactly fifteen minutes', () => {
    expect(refusalAt(signedMs + 15 * minuteMs)).toBeUndefined();
    expect(refusalAt(signedMs + 15 * minuteMs + 1)).toBe('AuthenticationFailed');
    expect(refusalAt(signedMs - 365 * 24 * 60 * minuteMs)).toBeUndefined();
  });

  it("measures the age by the machine's clock, even if the emulator's clock is different", () => {
    for (const nowMs of [0, signedMs + 365 * 24 * 60 * minuteMs]) {
      expect(refusalAt(signedMs, { nowMs })).toBeUndefined();
      expect(refusalAt(signedMs + 16 * minuteMs, { nowMs })).toBe('AuthenticationFailed');
    }
  });

  it('parses every new date, although it caches the last one', () => {
    const authenticator = createAuthenticator({
      accounts: createAccounts([{ name: 'one', keys: [key] }]),
      clock: { nowMs: () => signedMs },
      requestAgeMsMax,
    });
    authenticator.authenticate(credentials);
    authenticator.authenticate(credentials);
    const stale = 'Mon, 15 Jan 2024 09:30:00 GMT';
    const authorization = `SharedKeyLite one:${sign(`${stale}\n/one/one/Tables`)}`;
    expect(() => authenticator.authenticate({ ...credentials, msDate: stale, authorization })).toThrow(ServiceError);
    authenticator.authenticate(credentials);
  });

  it('ignores the case of the scheme, and compares the signature exactly', () => {
    const { authorization = '' } = credentials;
    expect(
      refusalAt(signedMs, { authorization: authorization.replace('SharedKeyLite', 'sharedkeylite') }),
    ).toBeUndefined();
    expect(refusalAt(signedMs, { authorization: authorization.toUpperCase() })).toBe('AuthenticationFailed');
  });

  it.each([undefined, ''])('refuses a request without credentials, %j, in the form of its version', (authorization) => {
    expect(refusalAt(signedMs, { authorization })).toBe('AuthenticationFailed');
    expect(refusalAt(signedMs, { authorization, challenges: true })).toBe('NoAuthenticationInformation');
  });

  it('names the tenant of its issuer in a challenge', () => {
    const tenant = '11111111-2222-3333-4444-555555555555';
    const tokens: TokenJudge = {
      tenant,
      isTakenOverHttp: false,
      judge: () => {
        throw new Error('there is no token');
      },
    };
    const authenticator = createAuthenticator({
      accounts: createAccounts([{ name: 'one', keys: [key] }]),
      clock: { nowMs: () => signedMs },
      requestAgeMsMax,
      tokens,
    });
    expect(() => authenticator.authenticate({ ...credentials, authorization: undefined, challenges: true })).toThrow(
      expect.objectContaining({ code: 'NoAuthenticationInformation', tenant }),
    );
  });

  it("accepts a signature of the primary's path only for the secondary", () => {
    const wirePath = '/one-secondary/Tables';
    expect(refusalAt(signedMs, { wirePath })).toBe('AuthenticationFailed');
    expect(refusalAt(signedMs, { wirePath, secondary: true })).toBeUndefined();
  });

  it.each(['method', 'contentMd5', 'contentType'] as const)(
    'covers %s in Shared Key but not in Shared Key Lite',
    (part) => {
      const full = `SharedKey one:${sign(`GET\n\n\n${signedAt}\n/one/one/Tables`)}`;
      expect(refusalAt(signedMs, { authorization: full })).toBeUndefined();
      expect(refusalAt(signedMs, { authorization: full, [part]: 'other' })).toBe('AuthenticationFailed');
      expect(refusalAt(signedMs, { [part]: 'other' })).toBeUndefined();
    },
  );

  it.each(['wirePath', 'comp', 'msDate'] as const)('covers %s in both', (part) => {
    const changes = { [part]: part === 'msDate' ? 'Mon, 15 Jan 2024 10:30:01 GMT' : '/other' };
    const full = `SharedKey one:${sign(`GET\n\n\n${signedAt}\n/one/one/Tables`)}`;
    expect(refusalAt(signedMs, changes)).toBe('AuthenticationFailed');
    expect(refusalAt(signedMs, { authorization: full, ...changes })).toBe('AuthenticationFailed');
  });
});

describe('A bearer token', () => {
  const bearer = { authorization: 'Bearer a.b.c' };

  it.each([
    ['over https, at a version with a challenge', { isSecure: true, challenges: true }, 'InvalidAuthenticationInfo'],
    ['over https, at an older version', { isSecure: true, challenges: false }, 'AuthenticationFailed'],
    ['over http, at a version with a challenge', { isSecure: false, challenges: true }, 'AuthenticationFailed'],
    ['over http, at an older version', { isSecure: false, challenges: false }, 'AuthenticationFailed'],
  ])('%s is refused', (_, circumstances, code) => {
    expect(refusalAt(signedMs, { ...bearer, ...circumstances })).toBe(code);
  });

  it.each(['Bearer', 'bearer x', 'BEARER '])('is recognized by its scheme: %j', (authorization) => {
    expect(refusalAt(signedMs, { authorization })).toBe('AuthenticationFailed');
  });

  describe('if tokens are accepted', () => {
    const grant = { kind: 'bearer', principal: 'p', may: () => true, explain: () => [] } as const;
    const outcomeOf = (changes: Partial<Credentials>, isTakenOverHttp = false): string => {
      const authenticator = createAuthenticator({
        accounts: createAccounts([{ name: 'one', keys: [key] }]),
        clock: { nowMs: () => signedMs },
        requestAgeMsMax,
        tokens: { tenant: undefined, isTakenOverHttp, judge: (token) => ({ ...grant, principal: token }) },
      });
      try {
        const given = authenticator.authenticate({ ...credentials, ...bearer, takesTokens: true, ...changes });
        return 'principal' in given ? given.principal : 'key';
      } catch (error) {
        if (error instanceof ServiceError) return error.code;
        throw error;
      }
    };
    const elsewhere = { remoteAddress: '10.0.0.1' };

    it.each([
      ['over https from anywhere', { isSecure: true, ...elsewhere }, false, 'a.b.c'],
      ['over http from this machine', { remoteAddress: '::ffff:127.0.0.1' }, false, 'a.b.c'],
      ['over http from another machine', elsewhere, false, 'AuthenticationFailed'],
      ['over http from another machine, with the flag for it', elsewhere, true, 'a.b.c'],
      ['over http from nowhere', { remoteAddress: '' }, false, 'AuthenticationFailed'],
      ['in an older version', { isSecure: true, takesTokens: false }, false, 'AuthenticationFailed'],
      ['next to a signature', { isSecure: true, query: new Map([['Sig', 'x']]) }, false, 'InvalidAuthenticationInfo'],
      ['for an account that there is not', { isSecure: true, account: 'two' }, false, 'ResourceNotFound'],
      [
        'next to another header',
        { isSecure: true, repeatsAuthorization: () => true },
        false,
        'InvalidAuthenticationInfo',
      ],
    ])('is judged or ignored: %s', (_, changes, isTakenOverHttp, outcome) => {
      expect(outcomeOf(changes, isTakenOverHttp)).toBe(outcome);
    });
  });

  it('is not recognized by a scheme that only starts with Bearer', () => {
    expect(refusalAt(signedMs, { authorization: 'Bearers x' })).toBe('InvalidAuthenticationInfo');
  });
});

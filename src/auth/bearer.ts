// Defines what the authenticator knows about bearer tokens. Claims, signatures and roles are in src/identity, which is
// loaded only if tokens are accepted.

import { errorCatalogue } from '../model/error-catalogue.ts';
import { isLoopbackAddress } from '../model/request-source.ts';
import { ServiceError } from '../model/service-error.ts';
import { authenticationFailed, type Explain } from './authentication-refused.ts';
import type { Credentials } from './credentials.ts';
import type { BearerGrant } from './grant.ts';
import { readClauses } from './shared-access.ts';

/** Judges tokens. */
export interface TokenJudge {
  /** The tenant that a challenge names, if one is known. */
  readonly tenant: string | undefined;
  /** Whether a token may come over HTTP from another machine. */
  readonly isTakenOverHttp: boolean;
  /**
   * Returns what the token allows, or a promise if a signature must be verified. If the token is refused, throws or
   * rejects with a ServiceError.
   */
  judge(token: string, credentials: Credentials): BearerGrant | Promise<BearerGrant>;
}

const bearerScheme = /^Bearer(?: |$)/i;

export const isBearer = (authorization: string): boolean => bearerScheme.test(authorization);

/** Returns what the token of a request allows. If the token is refused, throws or rejects with a ServiceError. */
export function authenticateBearer(
  authorization: string,
  credentials: Credentials,
  tokens: TokenJudge | undefined,
): BearerGrant | Promise<BearerGrant> {
  const { isSecure = false, remoteAddress = '', takesTokens = false, query } = credentials;
  if (!tokens) throw isSecure ? refusedToken(credentials, whyNone) : authenticationFailed(whyNone);
  // Evidence: documented (Authorize access to tables using Microsoft Entra ID: https only); the code is assumed.
  if (!isSecure && !tokens.isTakenOverHttp && !isLoopbackAddress(remoteAddress)) {
    throw authenticationFailed(() => [
      'The token came over http from another machine.',
      'Tokens are accepted over https, from this machine, or with --oauth-over-http.',
    ]);
  }
  // Evidence: documented (the same page).
  if (!takesTokens) {
    throw authenticationFailed(() => [
      'Tokens are accepted from x-ms-version 2017-11-09 on; without this header, no token is accepted.',
    ]);
  }
  // Evidence: assumed.
  if (readClauses(query)) {
    throw malformedCredentials('The request has a bearer token and a shared access signature: send one of them.');
  }
  return tokens.judge(authorization.slice('Bearer '.length), credentials);
}

const whyNone: Explain = () => [
  'Bearer tokens (Microsoft Entra ID) are not accepted without --oauth basic or --oauth verify.',
  'Start the emulator with one of these flags, or connect with an account key or a shared access signature.',
];

/** The refusal of a request with two Authorization headers. Evidence: assumed. */
export const repeatedAuthorization = (): ServiceError =>
  malformedCredentials('The request has more than one Authorization header.');

function malformedCredentials(why: string): ServiceError {
  return new ServiceError('InvalidAuthenticationInfo', { stage: 'frontEnd', why });
}

/**
 * Returns the refusal of a token, for any reason. Evidence: documented (the challenge, from 2020-12-06 on); the code of
 * the 401 is assumed.
 */
export function refusedToken({ challenges }: Credentials, why: Explain, tenant?: string): ServiceError {
  if (!challenges) return authenticationFailed(why);
  const [status, message] = errorCatalogue.NoAuthenticationInformation;
  return new ServiceError('InvalidAuthenticationInfo', { stage: 'frontEnd', status, message, why, tenant });
}

import type { KeyObject } from 'node:crypto';
import type { Clock } from '../model/clock.ts';
import { errorCatalogue } from '../model/error-catalogue.ts';
import { ServiceError } from '../model/service-error.ts';
import { authenticateAccountSas } from './account-sas.ts';
import type { Accounts } from './accounts.ts';
import { AuthenticationRefused, authenticationFailed } from './authentication-refused.ts';
import { type SharedKeyRecipe, sharedKeyVariants, signedText } from './explain-shared-key.ts';
import { explainSignature, quote } from './explain-signature.ts';
import { type Grant, keyGrant } from './grant.ts';
import { clause, readClauses, refuseRepeatedClause, type SasRequest, spellSeconds } from './shared-access.ts';
import { isSignedBy, type SignedParts } from './shared-key.ts';
import { authenticateTableSas, type FindPolicy } from './table-sas.ts';

export interface Credentials extends SignedParts {
  readonly authorization: string | undefined;
  readonly msDate: string | undefined;
  readonly date: string | undefined;
  readonly secondary: boolean;
  /** Decides what a request without credentials is told. */
  readonly challenges: boolean;
  /** Decoded, `+` as a space. Without it no shared access signature is seen. */
  readonly query?: ReadonlyMap<string, string>;
  /** Names that the query holds more than once, in lower case. */
  readonly repeatedNames?: ReadonlySet<string>;
  /** Of the address; none for tables as such, a batch or the service. */
  readonly table?: string | undefined;
  /** Whether the request came by https. */
  readonly isSecure?: boolean;
  /** Of the socket. */
  readonly remoteAddress?: string;
}

export interface Authenticator {
  /**
   * Returns what the caller may do; throws the service's refusal, or rejects with it. A promise only where a stored access
   * policy has to be looked up. A header Authorization wins over a signature in the query.
   */
  authenticate(credentials: Credentials): Grant | Promise<Grant>;
}

const scheme = /^(SharedKeyLite|SharedKey) ([^:\s]+):(\S+)$/i;

export interface AuthenticatorOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** A request older than this is refused. */
  readonly requestAgeMsMax: number;
  /** By default there are no policies. */
  readonly findPolicy?: FindPolicy | undefined;
}

export function createAuthenticator({
  accounts,
  clock,
  requestAgeMsMax,
  findPolicy = async () => undefined,
}: AuthenticatorOptions): Authenticator {
  const dates = createDateReader();
  return {
    authenticate(credentials) {
      const { authorization } = credentials;
      const keys = accounts.keysOf(credentials.account);
      // The service has no answer of its own here: such a host would not exist. Evidence: assumed.
      if (!keys) throw new ServiceError('ResourceNotFound', { stage: 'route' });
      if (authorization === undefined || authorization === '') {
        return authenticateSas(credentials, { keys, nowMs: clock.nowMs(), findPolicy });
      }
      const match = scheme.exec(authorization);
      if (!match) throw refusedScheme(credentials, authorization);
      const [, name = '', account = '', signature = ''] = match;
      const date = credentials.msDate ?? credentials.date ?? '';
      if (account !== credentials.account) {
        throw authenticationFailed(() => ['Authorization names another account than the address.']);
      }
      const ageMs = clock.nowMs() - dates.read(date);
      if (!(ageMs <= requestAgeMsMax))
        throw authenticationFailed(() => [explainDate(date, { ageMs, requestAgeMsMax })]);
      const isLite = name.length === 'SharedKeyLite'.length;
      checkSharedKey(credentials, { date, keys, isLite, signature });
      return keyGrant;
    },
  };
}

interface SasCircumstances {
  readonly keys: readonly KeyObject[];
  readonly nowMs: number;
  readonly findPolicy: FindPolicy;
}

/** Evidence: documented; a signature that is neither for a table nor for an account, assumed. */
function authenticateSas(
  { account, table, query, repeatedNames, challenges, isSecure = false, remoteAddress = '' }: Credentials,
  { keys, nowMs, findPolicy }: SasCircumstances,
): Grant | Promise<Grant> {
  const clauses = readClauses(query);
  if (!clauses) throw withoutCredentials(challenges);
  if (repeatedNames) refuseRepeatedClause(repeatedNames);
  const request: SasRequest = { account, table, clauses, keys, nowMs, isSecure, remoteAddress };
  if (clause(clauses, 'tn') !== '') return authenticateTableSas(request, findPolicy);
  if (clause(clauses, 'ss') !== '' && clause(clauses, 'srt') !== '') return authenticateAccountSas(request);
  throw authenticationFailed(() => ['There is sig, but neither tn (for a table) nor ss and srt (for the account).']);
}

/** Evidence: recorded (the challenge, from 2020-12-06 on); before that version assumed. */
function withoutCredentials(challenges: boolean): ServiceError {
  if (challenges) return new ServiceError('NoAuthenticationInformation', { stage: 'frontEnd' });
  return authenticationFailed(() => ['There is neither a header Authorization nor sig in the query.']);
}

/** A header that is not of Shared Key. */
function refusedScheme({ challenges, isSecure = false }: Credentials, authorization: string): ServiceError {
  if (!/^Bearer(?: |$)/i.test(authorization)) {
    return new ServiceError('InvalidAuthenticationInfo', { stage: 'frontEnd' });
  }
  const explain = (): string[] => [
    'Bearer tokens (Microsoft Entra ID) are not supported: connect with an account key or a shared access signature.',
  ];
  // Evidence: documented (Authorize access to tables using Microsoft Entra ID: https only, the challenge from 2020-12-06 on);
  // 403 over http, and the code of the 401, are assumed.
  if (!isSecure || !challenges) return authenticationFailed(explain);
  const [status, message] = errorCatalogue.NoAuthenticationInformation;
  return new AuthenticationRefused('InvalidAuthenticationInfo', explain, { stage: 'frontEnd', status, message });
}

interface Claim {
  readonly date: string;
  readonly keys: readonly KeyObject[];
  readonly isLite: boolean;
  readonly signature: string;
}

function checkSharedKey(parts: Credentials, { date, keys, isLite, signature }: Claim): void {
  const recipe: SharedKeyRecipe = { parts, date, isLite };
  const expected = signedText(recipe);
  if (isSignedBy(keys, expected, signature)) return;
  // SDKs sign a secondary's path literally; the form without the suffix is accepted too. Evidence: sdk, documented.
  const suffixed = `/${parts.account}-secondary`;
  if (parts.secondary && parts.wirePath.startsWith(suffixed)) {
    const wirePath = `/${parts.account}${parts.wirePath.slice(suffixed.length)}`;
    if (isSignedBy(keys, signedText({ ...recipe, parts: { ...parts, wirePath } }), signature)) return;
  }
  throw authenticationFailed(() => {
    const otherDate = parts.msDate === undefined ? undefined : parts.date;
    const variants = sharedKeyVariants(recipe, { otherDate, query: parts.query });
    return explainSignature({ expected, variants, keys, signature });
  });
}

function explainDate(date: string, { ageMs, requestAgeMsMax }: { ageMs: number; requestAgeMsMax: number }): string {
  if (date === '') return 'There is neither x-ms-date nor Date.';
  if (Number.isNaN(ageMs)) return `The date ${quote(date)} is not in the form of RFC 1123.`;
  return `The date ${date} is ${spellSeconds(ageMs / 1000)} old; ${spellSeconds(requestAgeMsMax / 1000)} are allowed.`;
}

const rfc1123 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Reads dates, remembering the last: within a second all requests of a client carry the same one. */
function createDateReader(): { read(text: string): number } {
  let lastText = '';
  let lastMs = Number.NaN;
  return {
    /** Milliseconds since 1970, or NaN for no RFC 1123 date. */
    read(text) {
      if (text === lastText) return lastMs;
      lastMs = rfc1123.test(text) ? Date.parse(text) : Number.NaN;
      lastText = text;
      return lastMs;
    },
  };
}

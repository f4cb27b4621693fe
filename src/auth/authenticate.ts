import type { KeyObject } from 'node:crypto';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Clock } from '../model/time.ts';
import { authenticateAccountSas } from './account-sas.ts';
import type { Accounts } from './accounts.ts';
import { authenticationFailed } from './authentication-refused.ts';
import { authenticateBearer, isBearer, repeatedAuthorization, type TokenJudge } from './bearer.ts';
import type { Credentials } from './credentials.ts';
import { type SharedKeyRecipe, sharedKeyVariants, signedText } from './explain-shared-key.ts';
import { explainSignature } from './explain-signature.ts';
import { type Grant, keyGrant } from './grant.ts';
import { clause, readClauses, refuseRepeatedClause, type SasRequest, spellSeconds } from './shared-access.ts';
import { isSignedBy } from './shared-key.ts';
import { authenticateTableSas, type FindPolicy } from './table-sas.ts';

export interface Authenticator {
  /**
   * Returns what the caller may do. Returns a promise only if it looks up a stored access policy or verifies a bearer
   * token. If the credentials are refused, throws a ServiceError, or returns a promise that rejects with a
   * ServiceError. An Authorization header takes precedence over a signature in the query.
   */
  authenticate(credentials: Credentials): Grant | Promise<Grant>;
}

const scheme = /^(SharedKeyLite|SharedKey) ([^:\s]+):(\S+)$/i;

export interface AuthenticatorOptions {
  readonly accounts: Accounts;
  /** The machine's clock. The dates of signed requests are compared with it, even if the emulator's clock was set. */
  readonly clock: Clock;
  /** Requests older than this are refused. */
  readonly requestAgeMsMax: number;
  /** Finds stored access policies; by default there are none. */
  readonly findPolicy?: FindPolicy | undefined;
  /** Judges bearer tokens; without it, all are refused. */
  readonly tokens?: TokenJudge | undefined;
}

export function createAuthenticator({
  accounts,
  clock,
  requestAgeMsMax,
  findPolicy = async () => undefined,
  tokens,
}: AuthenticatorOptions): Authenticator {
  const dates = createDateReader();
  return {
    authenticate(credentials) {
      const { authorization, repeatsAuthorization } = credentials;
      if (tokens && repeatsAuthorization?.()) throw repeatedAuthorization();
      const keys = accounts.keysOf(credentials.account);
      // In Azure an unknown account has no host, so there is no response to imitate. Evidence: assumed.
      if (!keys) throw unknownAccount(credentials, accounts);
      if (authorization === undefined || authorization === '') {
        return authenticateSas(credentials, {
          keys,
          nowMs: credentials.nowMs,
          findPolicy,
          tenant: tokens?.tenant,
        });
      }
      const match = scheme.exec(authorization);
      if (!match) {
        if (isBearer(authorization)) return authenticateBearer(authorization, credentials, tokens);
        throw refusedScheme(authorization);
      }
      const [, name = '', account = '', signature = ''] = match;
      const date = credentials.msDate ?? credentials.date ?? '';
      if (account !== credentials.account) {
        throw authenticationFailed(() => ['The Authorization header and the address name different accounts.']);
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

interface SasContext {
  readonly keys: readonly KeyObject[];
  readonly nowMs: number;
  readonly findPolicy: FindPolicy;
  /** The tenant that a challenge names. */
  readonly tenant: string | undefined;
}

/** Evidence: documented; assumed for a signature that is neither for a table nor for an account. */
function authenticateSas(
  { account, query, repeatedNames, challenges, isSecure = false, remoteAddress = '' }: Credentials,
  { keys, nowMs, findPolicy, tenant }: SasContext,
): Grant | Promise<Grant> {
  const clauses = readClauses(query);
  if (!clauses) throw withoutCredentials(challenges, tenant);
  if (repeatedNames) refuseRepeatedClause(repeatedNames);
  const request: SasRequest = { account, clauses, keys, nowMs, isSecure, remoteAddress };
  if (clause(clauses, 'tn') !== '') return authenticateTableSas(request, findPolicy);
  if (clause(clauses, 'ss') !== '' && clause(clauses, 'srt') !== '') return authenticateAccountSas(request);
  throw authenticationFailed(() => ['There is sig, but neither tn (for a table) nor ss and srt (for the account).']);
}

/** Limit: 3 to 24 lower-case letters and digits (docs: Storage account overview). */
const accountName = /^[a-z0-9]{3,24}$/;

function unknownAccount({ account, wirePath }: Credentials, accounts: Accounts): ServiceError {
  const why = (): string[] => {
    const known = [...accounts.names()];
    if (!accountName.test(account)) {
      const start = quote(wirePath.slice(0, 64));
      return [`The path must begin with an account: /${known[0] ?? '<account>'}/.`, `It begins with ${start}.`];
    }
    return [
      `There is no account ${quote(account)}; there is ${spellNames(known)}.`,
      '--accounts any takes every name.',
    ];
  };
  return new ServiceError('ResourceNotFound', { stage: 'route', why });
}

const spellNames = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(' and ');

/** Evidence: recorded (the challenge from 2020-12-06 on); assumed before that version. */
function withoutCredentials(challenges: boolean, tenant: string | undefined): ServiceError {
  const why = 'There is neither an Authorization header nor sig in the query.';
  if (challenges) return new ServiceError('NoAuthenticationInformation', { stage: 'frontEnd', why, tenant });
  return authenticationFailed(() => [why]);
}

/** Refuses a header that is neither Shared Key nor a bearer token. */
function refusedScheme(authorization: string): ServiceError {
  return new ServiceError('InvalidAuthenticationInfo', { stage: 'frontEnd', why: schemeFault(authorization) });
}

/** Says what is wrong with the scheme. Never repeats the credentials. */
function schemeFault(authorization: string): string {
  const scheme = /^[A-Za-z]+/.exec(authorization)?.[0] ?? '';
  if (/^SharedKey(?:Lite)?$/i.test(scheme)) {
    return `The Authorization header must be ${quote(`${scheme} <account>:<signature in base64>`)}.`;
  }
  const found = scheme === '' ? 'no scheme' : `the scheme ${quote(scheme)}`;
  return `Authorization has ${found}, not SharedKey or SharedKeyLite.`;
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
  // SDKs send the path of a secondary endpoint with `-secondary` after the account, and sign this path. A signature of
  // the path without this suffix is accepted too. Evidence: sdk, documented.
  const suffixed = `/${parts.account}-secondary`;
  if (parts.secondary && parts.wirePath.startsWith(suffixed)) {
    const rest = parts.wirePath.slice(suffixed.length);
    // Python's get_service_stats asks for `/acct-secondary/acct/` and signs `/acct/`.
    const signed = rest.startsWith(`/${parts.account}/`) ? rest : `/${parts.account}${rest}`;
    if (isSignedBy(keys, signedText({ ...recipe, parts: { ...parts, wirePath: signed } }), signature)) return;
  }
  throw authenticationFailed(() => {
    const otherDate = parts.msDate === undefined ? undefined : parts.date;
    const variants = () => sharedKeyVariants(recipe, { otherDate, query: parts.query });
    return explainSignature({ expected, variants, keys, signature });
  });
}

function explainDate(date: string, { ageMs, requestAgeMsMax }: { ageMs: number; requestAgeMsMax: number }): string {
  if (date === '') return 'There is neither x-ms-date nor Date.';
  if (Number.isNaN(ageMs)) return `The date ${quote(date)} is not an RFC 1123 date.`;
  return `The date is ${spellSeconds(ageMs / 1000)} old; ${spellSeconds(requestAgeMsMax / 1000)} are allowed: ${date}.`;
}

const rfc1123 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Parses dates and caches the last one: within a second all requests of a client carry the same date. */
function createDateReader(): { read(text: string): number } {
  let lastText = '';
  let lastMs = Number.NaN;
  return {
    /** Milliseconds since 1970, or NaN for anything but an RFC 1123 date. */
    read(text) {
      if (text === lastText) return lastMs;
      lastMs = rfc1123.test(text) ? Date.parse(text) : Number.NaN;
      lastText = text;
      return lastMs;
    },
  };
}

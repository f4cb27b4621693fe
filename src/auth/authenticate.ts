import type { KeyObject } from 'node:crypto';
import type { Clock } from '../model/clock.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Accounts } from './accounts.ts';
import { isSignedBy, type SignedParts, sharedKeyLiteText, sharedKeyText } from './shared-key.ts';

export interface Credentials extends SignedParts {
  readonly authorization: string | undefined;
  readonly msDate: string | undefined;
  readonly date: string | undefined;
  readonly secondary: boolean;
  /** Decides what a request without credentials is told. */
  readonly challenges: boolean;
}

export interface Authenticator {
  /** Returns when the caller holds a key of the account; throws the service's refusal otherwise. */
  authenticate(credentials: Credentials): void;
}

const scheme = /^(SharedKeyLite|SharedKey) ([^:\s]+):(\S+)$/i;

export interface AuthenticatorOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** A request older than this is refused. */
  readonly requestAgeMsMax: number;
}

export function createAuthenticator({ accounts, clock, requestAgeMsMax }: AuthenticatorOptions): Authenticator {
  const dates = createDateReader();
  return {
    authenticate(credentials) {
      const { authorization } = credentials;
      const keys = accounts.keysOf(credentials.account);
      // The service has no answer of its own here: such a host would not exist. Evidence: assumed.
      if (!keys) throw new ServiceError('ResourceNotFound', { stage: 'route' });
      if (authorization === undefined || authorization === '') throw withoutCredentials(credentials.challenges);
      const match = scheme.exec(authorization);
      if (!match) throw new ServiceError('InvalidAuthenticationInfo', { stage: 'door' });
      const [, name = '', account = '', signature = ''] = match;
      const date = credentials.msDate ?? credentials.date ?? '';
      if (account !== credentials.account || !(clock.nowMs() - dates.read(date) <= requestAgeMsMax)) {
        throw new ServiceError('AuthenticationFailed', { stage: 'door' });
      }
      const isLite = name.length === 'SharedKeyLite'.length;
      if (!isSigned(credentials, { date, keys, isLite, signature })) {
        throw new ServiceError('AuthenticationFailed', { stage: 'door' });
      }
    },
  };
}

/** Evidence: recorded (the challenge, from 2020-12-06 on); before that version assumed. */
function withoutCredentials(challenges: boolean): ServiceError {
  return new ServiceError(challenges ? 'NoAuthenticationInformation' : 'AuthenticationFailed', { stage: 'door' });
}

interface Claim {
  readonly date: string;
  readonly keys: readonly KeyObject[];
  readonly isLite: boolean;
  readonly signature: string;
}

function isSigned(parts: Credentials, { date, keys, isLite, signature }: Claim): boolean {
  const textOf = isLite ? sharedKeyLiteText : sharedKeyText;
  if (isSignedBy(keys, textOf(parts, date), signature)) return true;
  // SDKs sign a secondary's path literally; the form without the suffix is accepted too. Evidence: sdk, documented.
  if (!parts.secondary || !parts.wirePath.startsWith(`/${parts.account}-secondary`)) return false;
  const wirePath = `/${parts.account}${parts.wirePath.slice(`/${parts.account}-secondary`.length)}`;
  return isSignedBy(keys, textOf({ ...parts, wirePath }, date), signature);
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

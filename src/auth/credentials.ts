import type { SignedParts } from './shared-key.ts';

/** What a request says about its sender. */
export interface Credentials extends SignedParts {
  /** Model time at the arrival of the request: signatures begin and expire by it. */
  readonly nowMs: number;
  readonly authorization: string | undefined;
  readonly msDate: string | undefined;
  readonly date: string | undefined;
  readonly secondary: boolean;
  /** Whether a request without credentials gets 401 and a challenge instead of 403. */
  readonly challenges: boolean;
  /** Decoded, `+` as a space. Shared access signatures are read from it. */
  readonly query?: ReadonlyMap<string, string>;
  /** Names that the query holds more than once, in lower case. */
  readonly repeatedNames?: ReadonlySet<string>;
  /** Whether the request came over HTTPS. */
  readonly isSecure?: boolean;
  /** The address of the socket's other end. */
  readonly remoteAddress?: string;
  /** Whether the service accepts bearer tokens at the version that the request names. */
  readonly takesTokens?: boolean;
  /** Whether the request has more than one Authorization header. */
  readonly repeatsAuthorization?: (() => boolean) | undefined;
}

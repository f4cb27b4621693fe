import type { SignedParts } from './shared-key.ts';

/** What a request says about its sender. */
export interface Credentials extends SignedParts {
  /** Model time when the request arrived. The start and expiry of signatures are compared with it. */
  readonly nowMs: number;
  readonly authorization: string | undefined;
  readonly msDate: string | undefined;
  readonly date: string | undefined;
  readonly secondary: boolean;
  /** Whether a request without credentials gets 401 and a challenge instead of 403. */
  readonly challenges: boolean;
  /** The decoded parameters; `+` means a space. Shared access signatures are read from them. */
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

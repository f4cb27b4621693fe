// Defines where the keys that verify bearer tokens come from. The emulator's own issuer is a `TokenIssuer` in the
// `Parts` of emulator.ts; `--oauth-keys` gives keys without an issuer. A verified token is cached until it expires or
// until `generation` changes. Code that removes a key must therefore increase `generation`. A key must stay as long as
// any token signed with this key is valid.

import type { KeyObject } from 'node:crypto';

/** Public keys that verify tokens. */
export interface TokenKeys {
  /** Finds the public key with this `kid`; undefined if there is none. The promise never rejects. */
  find(kid: string): KeyObject | undefined | Promise<KeyObject | undefined>;
  /** Increases when a key is added or removed. */
  readonly generation: number;
}

/** An issuer whose keys are known. */
export interface TokenIssuer extends TokenKeys {
  /** The `tid` of its tokens, a GUID in lower case: the tenant that a challenge names. */
  readonly tenant: string;
  /** The `iss` of its tokens, in the form of Microsoft Entra: `https://sts.windows.net/{tenant}/`. */
  readonly iss: string;
  /**
   * Additional audiences for which the issuer makes tokens, although the emulator's tables refuse such tokens. An
   * example is https://cosmos.azure.com, which some clients request for an address at localhost.
   */
  readonly audiences: readonly string[];
}

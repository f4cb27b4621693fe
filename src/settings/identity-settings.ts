import type { RowsFor } from './setting.ts';

export interface IdentityOptions {
  /**
   * Serve the endpoints of managed identity and an issuer of tokens, and accept the issuer's tokens (docs/identity.md).
   * Default false.
   */
  readonly identity?: boolean;
  /**
   * A JSON file of principals and their secrets or certificates. Default: no file. The emulator then makes a default
   * principal on first use.
   */
  readonly identityPrincipals?: string;
}

/** @internal */
export const identityRows = {
  identity: {
    kind: 'switch',
    flag: '--identity',
    default: false,
    help: "serve the endpoints of managed identity and an issuer of tokens, and accept the issuer's tokens",
    details:
      'See [Identity](identity.md). `--identity` alone checks tokens as `--oauth verify` does. ' +
      '`--oauth` alone also starts the issuer.',
  },
  identityPrincipals: {
    kind: 'text',
    flag: '--identity-principals <file>',
    help: 'also give tokens to the principals of this JSON file',
    details: '[Principals](identity.md#principals) shows such a file.',
  },
} as const satisfies RowsFor<IdentityOptions>;

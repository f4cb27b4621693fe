import type { RowsFor } from './setting.ts';

export interface IdentityOptions {
  /** Serve an issuer of tokens and the endpoints of managed identity, and take its tokens (docs/identity.md). Default false. */
  readonly identity?: boolean;
  /** A JSON file of principals and their secrets or certificates. Default: none, a principal is made on first use. */
  readonly identityPrincipals?: string;
}

/** @internal */
export const identityRows = {
  identity: {
    kind: 'switch',
    flag: '--identity',
    default: false,
    help: 'serve an issuer of tokens and the endpoints of managed identity, and take its tokens',
    details:
      '[Identity](identity.md). Tokens are taken as with `--oauth verify`, unless `--oauth` is given too. `--oauth` starts the issuer as well.',
  },
  identityPrincipals: {
    kind: 'text',
    flag: '--identity-principals <file>',
    help: 'give tokens to the principals of this JSON file as well',
    details: '[Principals](identity.md#principals) shows the file.',
  },
} as const satisfies RowsFor<IdentityOptions>;

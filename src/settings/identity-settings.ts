import type { RowsFor } from './setting.ts';

export interface IdentityOptions {
  /** Serve an issuer of tokens and the endpoints of managed identity at this address (docs/identity.md). Default false. */
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
    help: 'serve an issuer of tokens and the endpoints of managed identity at this address',
    details: 'Nothing leaves the machine.',
  },
  identityPrincipals: {
    kind: 'text',
    flag: '--identity-principals <file>',
    help: 'give tokens to the principals of this JSON file as well',
  },
} as const satisfies RowsFor<IdentityOptions>;

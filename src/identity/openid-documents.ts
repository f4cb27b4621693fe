// The documents that an identity library requests before it requests a token.
// Evidence: documented (OpenID Connect on the Microsoft identity platform)

import { createPublicKey } from 'node:crypto';
import { adfsTenant } from './identifiers.ts';
import type { StoredKey } from './identity-state.ts';

/** The address of a tenant, which is a GUID or `adfs`. */
export interface TenantAddress {
  /** `https://localhost:10002` */
  readonly base: string;
  readonly tenant: string;
}

/** The addresses of the token endpoint. The document contains the first one. */
export function tokenEndpoints({ base, tenant }: TenantAddress): [string, ...string[]] {
  const [v1, v2] = [`${base}/${tenant}/oauth2/token`, `${base}/${tenant}/oauth2/v2.0/token`];
  return tenant === adfsTenant ? [v1, v2] : [v2, v1];
}

export function openIdConfiguration(address: TenantAddress): object {
  const { base, tenant } = address;
  const [tokenEndpoint] = tokenEndpoints(address);
  return {
    // The libraries for JavaScript and Go require the host and port of the authority here.
    issuer: tenant === adfsTenant ? `${base}/adfs` : `${base}/${tenant}/v2.0`,
    token_endpoint: tokenEndpoint,
    // There is no sign-in here, but the libraries require the field.
    authorization_endpoint: `${base}/${tenant}/oauth2/v2.0/authorize`,
    jwks_uri: `${base}/${tenant}/discovery/v2.0/keys`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    emulator: 'Tanzanite',
  };
}

/** A JWK Set with the keys of all tokens that are still valid. */
export function keySet(keys: readonly StoredKey[]): { readonly keys: readonly object[] } {
  return {
    keys: keys.map(({ kid, privateKey }) => ({
      ...createPublicKey(privateKey).export({ format: 'jwk' }),
      kid,
      x5t: kid,
      use: 'sig',
      alg: 'RS256',
    })),
  };
}

// The claims of an access token. Evidence: documented (Access token claims reference, v1.0 tokens)

import { randomBytes } from 'node:crypto';
import type { Principal } from './principals.ts';

/** Claims in every token, so that it cannot be mistaken for a token of the real service. */
export const emulatorClaim = { emulator: 'Tanzanite', emulator_note: 'Not a token of Microsoft Entra ID.' } as const;

/** Entra backdates tokens by five minutes, for clocks that are behind. Evidence: assumed */
const backdatedSeconds = 300;

export const clientTokenSeconds = 3_599;
/**
 * Tokens of a managed identity are valid for a day. Source: docs, "Managed identities for Azure resources frequently
 * asked questions".
 */
export const managedTokenSeconds = 86_399;
export const tokenSecondsMax = 86_400;

export type TokenGrant = 'secret' | 'certificate' | 'federated' | 'imds' | 'app service' | 'control plane';

export interface TokenRequest {
  readonly tenantId: string;
  readonly principal: Principal;
  /** `https://storage.azure.com` */
  readonly audience: string;
  readonly grant: TokenGrant;
  readonly lifeSeconds: number;
  /** Model time: the clock of the emulated service. */
  readonly nowMs: number;
}

export type AccessTokenClaims = Readonly<Record<string, string | number>> & {
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly uti: string;
};

export function accessTokenClaims(request: TokenRequest): AccessTokenClaims {
  const { tenantId, principal, audience, grant, lifeSeconds, nowMs } = request;
  const now = Math.floor(nowMs / 1000);
  const issuer = `https://sts.windows.net/${tenantId}/`;
  return {
    aud: audience,
    iss: issuer,
    iat: now - backdatedSeconds,
    nbf: now - backdatedSeconds,
    exp: now + lifeSeconds,
    appid: principal.clientId,
    // How the application authenticated: 1 with a secret, 2 with a certificate.
    appidacr: grant === 'secret' ? '1' : '2',
    idp: issuer,
    idtyp: 'app',
    oid: principal.objectId,
    sub: principal.objectId,
    tid: tenantId,
    uti: randomBytes(16).toString('base64url'),
    ver: '1.0',
    ...emulatorClaim,
  };
}

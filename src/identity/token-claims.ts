// Checks the claims of a token. Evidence: documented (Authorize access to tables using Microsoft Entra ID; Access token
// claims reference); peers (Azurite 3.37 for the issuers); the order of the checks and the skew are assumed.

import { quote } from '../model/printable-text.ts';
import { type TokenClaims, TokenFault } from './read-token.ts';

/** What a request requires of the claims. */
export interface ClaimsContext {
  readonly account: string;
  /** Model time: the clock of the emulated service. */
  readonly nowMs: number;
  /** Further audiences that are accepted from the issuer of this token. */
  readonly audiences: readonly string[];
  /**
   * Whether the tenant in `iss` must be a GUID, and `tid` must be present. If `tid` is present, it must always equal
   * the tenant in `iss`.
   */
  readonly isStrict: boolean;
}

/** Throws TokenFault for the first claim that does not fit. */
export function checkClaims(claims: TokenClaims, context: ClaimsContext): void {
  checkIssuer(claims, context);
  checkAudience(claims, context);
  checkTimes(claims, context);
}

/** Issuers of the clouds: public, Germany, China, and pre-production. In a token, the tenant follows. */
const issuers = [
  'https://sts.windows.net/',
  'https://sts.microsoftonline.de/',
  'https://sts.chinacloudapi.cn/',
  'https://sts.windows-ppe.net/',
] as const;
const firstForm = new RegExp(`^(?:${issuers.map((issuer) => issuer.replaceAll('.', '\\.')).join('|')})([^/]*)/?$`);
/** The issuer in tokens of version 2.0. */
const secondForm =
  /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)\/([^/]+)\/v2\.0$/;

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The tenant of the claims, a GUID in lower case; undefined if `tid` is not a GUID. */
export function tenantOf({ tid }: Pick<TokenClaims, 'tid'>): string | undefined {
  const tenant = tid?.toLowerCase();
  return tenant !== undefined && guid.test(tenant) ? tenant : undefined;
}

function checkIssuer({ iss, tid }: TokenClaims, { isStrict }: ClaimsContext): void {
  const found = iss === undefined ? null : (firstForm.exec(iss) ?? secondForm.exec(iss));
  if (!found) {
    throw new TokenFault(
      [`iss is ${shown(iss)}; expected ${issuers[0]}{tenant}/ or https://login.microsoftonline.com/{tenant}/v2.0.`],
      { isOfTenant: true },
    );
  }
  const [, tenant = ''] = found;
  if (isStrict && !guid.test(tenant.toLowerCase())) {
    throw new TokenFault([`iss is ${shown(iss)}: the tenant in it must be a GUID.`], { isOfTenant: true });
  }
  if ((isStrict || tid !== undefined) && tid?.toLowerCase() !== tenant.toLowerCase()) {
    throw new TokenFault([`tid is ${shown(tid)}, but iss names the tenant ${quote(tenant)}.`], { isOfTenant: true });
  }
}

/** The application id of Azure Storage. */
const storageApplication = 'e406a681-f3d4-42a8-90b6-c2b029497af1';
const storageAudience = 'https://storage.azure.com';
/** The endpoint of an account in each cloud. */
const endpointSuffixes = [
  'table.core.windows.net',
  'table.core.chinacloudapi.cn',
  'table.core.usgovcloudapi.net',
  'table.core.cloudapi.de',
];

function checkAudience({ aud }: TokenClaims, { account, audiences }: ClaimsContext): void {
  const isTaken = (audience: string): boolean => {
    const name = audience.endsWith('/') ? audience.slice(0, -1) : audience;
    if (name === storageAudience || name === storageApplication || audiences.includes(name)) return true;
    return endpointSuffixes.some((suffix) => name === `https://${account}.${suffix}`);
  };
  if (aud.some(isTaken)) return;
  const found = aud.length === 0 ? 'missing' : quote(aud.join(', '));
  throw new TokenFault([
    `aud is ${found}; expected ${storageAudience} or https://${account}.${endpointSuffixes[0]}.`,
    `Ask for the scope ${storageAudience}/.default.`,
  ]);
}

/**
 * The maximum difference between the clocks of the issuer and the service. Evidence: assumed (the default of
 * Microsoft's libraries).
 */
export const skewSeconds = 300;

function checkTimes({ iat, nbf, exp }: TokenClaims, { nowMs }: ClaimsContext): void {
  const now = nowMs / 1000;
  if (exp === undefined || iat === undefined) {
    throw new TokenFault([`${exp === undefined ? 'exp' : 'iat'} is missing.`]);
  }
  if (nbf !== undefined && nbf - skewSeconds > now) {
    throw new TokenFault([`nbf is ${spell(nbf)}: the token is not valid yet.`, timeHere(now)]);
  }
  if (now >= exp + skewSeconds) throw new TokenFault([`exp is ${spell(exp)}: the token has expired.`, timeHere(now)]);
}

const spell = (seconds: number): string => new Date(seconds * 1000).toISOString();

const timeHere = (now: number): string =>
  `The time of the service is ${spell(now)}. A difference of up to ${skewSeconds} seconds is accepted.`;

const shown = (text: string | undefined): string => (text === undefined ? 'missing' : quote(text));

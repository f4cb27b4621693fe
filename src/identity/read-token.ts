// Parses a bearer token in compact form (RFC 7519) into header, claims and signature. Verifies nothing, and keeps only
// the parts that are needed later.

import { quote } from '../model/printable-text.ts';
import { type Members, tokenCharsMax } from './jwt.ts';

/** What is wrong with a token, as sentences, the cause first. The sentences never contain the token. */
export class TokenFault extends Error {
  readonly why: readonly string[];
  /** Whether the tenant is wrong. If it is, a challenge must not name the tenant of this token. */
  readonly isOfTenant: boolean;

  constructor(why: readonly string[], { isOfTenant = false } = {}) {
    super(why.join(' '));
    this.why = why;
    this.isOfTenant = isOfTenant;
  }
}

/** The claims that the emulator reads. Texts are as in the token. Times are in seconds since 1970. */
export interface TokenClaims {
  readonly iss: string | undefined;
  readonly aud: readonly string[];
  readonly tid: string | undefined;
  readonly oid: string | undefined;
  /** `appid` in tokens of version 1, `azp` in tokens of version 2. */
  readonly appid: string | undefined;
  readonly iat: number | undefined;
  readonly nbf: number | undefined;
  readonly exp: number | undefined;
}

export interface BearerToken {
  readonly text: string;
  readonly header: TokenHeader;
  readonly claims: TokenClaims;
}

export interface TokenHeader {
  readonly alg: string | undefined;
  readonly kid: string | undefined;
  /** Names of all members. */
  readonly names: readonly string[];
  readonly typ: string | undefined;
}

/** Parses a token. Throws TokenFault. */
export function readToken(text: string): BearerToken {
  if (text.length > tokenCharsMax) {
    throw new TokenFault([`The token has ${text.length} characters: at most ${tokenCharsMax} are accepted.`]);
  }
  const parts = text.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3) {
    const count = parts.length === 1 ? 'one part' : `${parts.length} parts`;
    throw new TokenFault([`The token has ${count}: a JSON Web Token has three parts, header.claims.signature.`]);
  }
  // Only the canonical spelling of a signature is accepted, so that the same token cannot be written as several texts.
  if (!isBase64Url(signature)) throw new TokenFault(['The signature of the token is not base64url.']);
  return { text, header: headerOf(readPart(header, 'header')), claims: claimsOf(readPart(claims, 'claims')) };
}

function readPart(part: string, name: string): Members {
  if (!isBase64Url(part) || part === '') throw new TokenFault([`The ${name} of the token is not base64url.`]);
  const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new TokenFault([`The ${name} of the token is not a JSON object.`]);
}

/** Whether a text is base64url without padding. The unused bits of its last character must be zero. */
const isBase64Url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headerOf(members: Members): TokenHeader {
  const { alg, kid, typ } = members;
  return { alg: textOf(alg), kid: textOf(kid), typ: textOf(typ), names: Object.keys(members) };
}

/** Maximum number of audiences. Entra's tokens have one. */
const audiencesMax = 8;

/** Evidence: documented (Access token claims reference, Microsoft identity platform). */
function claimsOf(members: Members): TokenClaims {
  const { iss, aud, tid, oid, appid, azp, iat, nbf, exp } = members;
  return {
    iss: textOf(iss),
    aud: [aud]
      .flat()
      .slice(0, audiencesMax)
      .filter((one) => typeof one === 'string'),
    tid: textOf(tid),
    oid: textOf(oid),
    appid: textOf(appid) ?? textOf(azp),
    iat: secondsOf(iat, 'iat'),
    nbf: secondsOf(nbf, 'nbf'),
    exp: secondsOf(exp, 'exp'),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The largest time. RFC 7519 allows any number, but JavaScript has no date for a larger one. */
const secondsMax = 8_640_000_000_000;

function secondsOf(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Math.abs(value) <= secondsMax) return value;
  throw new TokenFault([`${name} is ${quote(JSON.stringify(value))}: it must be a number of seconds since 1970.`]);
}

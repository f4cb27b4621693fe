// Checks the assertions that clients send instead of a secret. An assertion is a token that is signed with the client's
// certificate, or a token that another issuer gave the client's workload. Clients take the times of an assertion from
// the machine's clock, so the emulator checks these times against the machine's clock too.
// Evidence: documented (Microsoft identity platform application authentication certificate credentials; Workload
// identity federation)

import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { GrantRefusal, shownInError } from './entra-error.ts';
import { isTokenSignedBy, type Members, type TokenParts, takeApart, tokenCharsMax } from './jwt.ts';
import type { Principal } from './principals.ts';

/** The issuer in the tokens that the emulator gives workloads. In production this can be a Kubernetes cluster. */
export const federationIssuer = 'urn:tanzanite:federation';
/** The audience of a federated token. Source: docs, Workload identity federation. */
export const federationAudience = 'api://AzureADTokenExchange';

/** The subject of a principal's federated token. */
export const federatedSubject = ({ clientId }: Pick<Principal, 'clientId'>): string => `tanzanite:${clientId}`;

/** How far the clocks of clients may differ. Evidence: assumed */
const skewMs = 300_000;

export interface AssertionContext {
  readonly principal: Principal;
  /** The addresses of the token endpoint. An assertion names one of them. */
  readonly audiences: readonly string[];
  /** Verifies the tokens that the emulator gives workloads. */
  readonly federationKey: KeyObject;
  /** The machine's time. */
  readonly nowMs: number;
  readonly seen: SeenAssertions;
}

/** Throws GrantRefusal unless the assertion proves that the principal sent it. */
export function checkAssertion(sent: string, context: AssertionContext): void {
  if (sent.length > tokenCharsMax) {
    throw new GrantRefusal(50027, `Invalid JWT token. It has more than ${tokenCharsMax} characters.`);
  }
  // A token file ends with a line feed, which three of four SDKs send.
  const parts = takeApart(sent.trimEnd());
  if (!parts) throw new GrantRefusal(50027, 'Invalid JWT token. It is not three parts in base64url.');
  if ('crit' in parts.header) throw new GrantRefusal(50027, 'Invalid JWT token. Its header has critical members.');
  if (parts.claims['iss'] === federationIssuer) checkFederated(parts, context);
  else checkSigned(parts, sent, context);
}

function checkFederated(parts: TokenParts, { principal, federationKey, nowMs }: AssertionContext): void {
  const { sub, aud } = parts.claims;
  if (!isTokenSignedBy(federationKey, parts)) throw badSignature();
  if (aud !== federationAudience || sub !== federatedSubject(principal)) {
    throw new GrantRefusal(
      70021,
      `No matching federated identity record found for presented assertion. Assertion Subject: ${shownInError(String(sub))}. Assertion Audience: ${shownInError(String(aud))}. Expected: '${federatedSubject(principal)}' for '${federationAudience}'.`,
    );
  }
  checkTimes(parts.claims, nowMs);
}

function checkSigned(parts: TokenParts, sent: string, context: AssertionContext): void {
  const { principal, audiences, nowMs, seen } = context;
  const { iss, sub, aud, jti } = parts.claims;
  const certificate = principal.certificates.find((one) => isNamed(one, parts.header));
  if (!certificate) {
    throw new GrantRefusal(
      700027,
      'Client assertion failed signature validation. The certificate that x5t or x5t#S256 names is not registered for the application.',
    );
  }
  if (!isTokenSignedBy(certificate.publicKey, parts)) throw badSignature();
  if (![iss, sub].every((id) => typeof id === 'string' && id.toLowerCase() === principal.clientId)) {
    throw new GrantRefusal(
      700021,
      "Client assertion application identifier doesn't match 'client_id' parameter: iss and sub must both be the client id.",
    );
  }
  if (typeof aud !== 'string' || !audiences.includes(aud)) {
    throw new GrantRefusal(
      700023,
      `Client assertion audience claim does not match Realm issuer. It is ${shownInError(String(aud))}; expected is the token endpoint, '${audiences[0]}'.`,
    );
  }
  const expiresMs = checkTimes(parts.claims, nowMs);
  if (typeof jti !== 'string') return;
  if (!seen.accept({ id: `${principal.clientId} ${jti}`, text: sent, expiresMs }, nowMs)) {
    throw new GrantRefusal(700027, 'Client assertion has the jti of an earlier, different assertion.');
  }
}

const badSignature = (): GrantRefusal =>
  new GrantRefusal(
    700027,
    'Client assertion failed signature validation. The assertion was altered or signed with another key.',
  );

/** Checks the times of an assertion, which may have fractions. Returns when it expires. Throws GrantRefusal. */
function checkTimes({ exp, nbf = 0 }: Members, nowMs: number): number {
  if (typeof exp !== 'number' || typeof nbf !== 'number') {
    throw new GrantRefusal(50027, 'Invalid JWT token. It needs exp, in seconds.');
  }
  if (nowMs - skewMs < exp * 1000 && nbf * 1000 <= nowMs + skewMs) return exp * 1000;
  const [now, from, until] = [nowMs, nbf * 1000, exp * 1000].map(isoTime);
  throw new GrantRefusal(
    700024,
    `Client assertion is not within its valid time range. Current time: ${now}, assertion valid from ${from}, expiry time of assertion ${until}.`,
  );
}

/** The time as ISO 8601. The number may be outside the range of dates. */
function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** Whether a header has the certificate's thumbprint: as base64 or base64url, padded or not, or as hexadecimal. */
function isNamed(certificate: X509Certificate, header: Members): boolean {
  const sha1 = createHash('sha1').update(certificate.raw).digest();
  const sha256 = createHash('sha256').update(certificate.raw).digest();
  const { x5t, kid } = header;
  if (typeof x5t === 'string') return sha1.equals(Buffer.from(x5t, 'base64')) || isHexOf(sha1, x5t);
  const x5tS256 = header['x5t#S256'];
  if (typeof x5tS256 === 'string') return sha256.equals(Buffer.from(x5tS256, 'base64'));
  return typeof kid === 'string' && isHexOf(sha1, kid);
}

const isHexOf = (bytes: Buffer, text: string): boolean => bytes.toString('hex') === text.toLowerCase();

interface SeenAssertion {
  /** The client and its jti. */
  readonly id: string;
  readonly text: string;
  readonly expiresMs: number;
}

const seenMax = 10_000;

/**
 * Remembers the accepted assertions that are still valid. A client may send the same assertion again, because MSAL for
 * Node reuses an assertion as long as it is valid. A different assertion with the same `jti` is a replay.
 */
export class SeenAssertions {
  readonly #seen = new Map<string, { readonly hash: string; readonly expiresMs: number }>();

  /** False if another assertion had this id. */
  accept({ id, text, expiresMs }: SeenAssertion, nowMs: number): boolean {
    const [key, hash] = [hashOf(id), hashOf(text)];
    const before = this.#seen.get(key);
    if (before && before.expiresMs + skewMs > nowMs) return before.hash === hash;
    if (this.#seen.size >= seenMax) this.#makeRoom(nowMs);
    this.#seen.set(key, { hash, expiresMs });
    return true;
  }

  #makeRoom(nowMs: number): void {
    for (const [key, { expiresMs }] of this.#seen) if (expiresMs + skewMs <= nowMs) this.#seen.delete(key);
    // A map keeps the order of insertion, so the oldest assertion comes first.
    for (const key of this.#seen.keys()) {
      if (this.#seen.size < seenMax) break;
      this.#seen.delete(key);
    }
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

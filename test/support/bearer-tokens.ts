// Makes valid bearer tokens as an issuer does, and forged tokens as an attacker does, without the code under test.
// Source: RFC 7515, RFC 7519.

import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { WireHeaders } from './table-client.ts';

export type Members = Readonly<Record<string, unknown>>;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

export function createSigningKey(kid: string): SigningKey {
  return { kid, privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey };
}

/** The key set that an issuer with these keys publishes. */
export function keySetOf(...keys: readonly SigningKey[]): string {
  const published = keys.map(({ kid, privateKey }) => ({
    ...createPublicKey(privateKey).export({ format: 'jwk' }),
    kid,
    use: 'sig',
  }));
  return JSON.stringify({ keys: published });
}

export const tenant = 'ab1f708d-50f6-404c-a006-d71b2ac7a606';
export const someone = '23657296-5cd5-45b0-a809-d972a7f4dfe1';
export const somethingElse = '99999999-5cd5-45b0-a809-d972a7f4dfe1';

const hour = 3_600;
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The claims of a valid token, with these changes. A claim that is undefined is left out. */
export function claims(changes: Members = {}): Members {
  const now = nowSeconds();
  return {
    aud: 'https://storage.azure.com',
    iss: `https://sts.windows.net/${tenant}/`,
    iat: now,
    nbf: now,
    exp: now + hour,
    appid: somethingElse,
    oid: someone,
    tid: tenant,
    ver: '1.0',
    ...changes,
  };
}

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A signed token in the form of Microsoft Entra. */
export function signedToken(key: SigningKey, changes: Members = {}, header: Members = {}): string {
  return signedText(key, `${encode({ typ: 'JWT', alg: 'RS256', kid: key.kid, ...header })}.${encode(claims(changes))}`);
}

/** Signs a text, which is normally the header and the claims of a token. */
export function signedText({ privateKey }: SigningKey, text: string): string {
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
}

export function unsignedToken(changes: Members = {}): string {
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims(changes))}.`;
}

/**
 * Returns a token that is signed with HMAC, with the public key as the secret. A verifier would accept this token if it
 * trusted the algorithm that the token names.
 */
export function hmacToken(key: SigningKey, changes: Members = {}): string {
  const text = `${encode({ typ: 'JWT', alg: 'HS256', kid: key.kid })}.${encode(claims(changes))}`;
  const secret = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export const bearing = (token: string, headers: WireHeaders = {}): WireHeaders => ({
  Authorization: `Bearer ${token}`,
  ...headers,
});

// Signs and parses JSON Web Tokens. Other modules check the claims.

import { constants, createHash, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';

/** Maximum length of a token, such as an assertion or a workload's token. A header cannot be longer. */
export const tokenCharsMax = 16_384;

export type Members = Readonly<Record<string, unknown>>;

/** A token in the compact form, parsed but not checked. */
export interface TokenParts {
  readonly header: Members;
  readonly claims: Members;
  /** The signed part of the text. */
  readonly signed: string;
  readonly signature: Buffer;
}

const base64url = /^[\w-]+$/;

/** Undefined unless the token has three parts in base64url and the first two are JSON objects. */
export function takeApart(token: string): TokenParts | undefined {
  if (token.length > tokenCharsMax) return undefined;
  const parts = token.split('.');
  const [head, body, signature] = parts;
  if (parts.length !== 3 || !head || !body || !signature || !parts.every((part) => base64url.test(part))) {
    return undefined;
  }
  const [header, claims] = [readObject(head), readObject(body)];
  if (!header || !claims) return undefined;
  return { header, claims, signed: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') };
}

function readObject(part: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

/** How to verify each accepted algorithm. Neither `none` nor an algorithm with a secret key is accepted. */
const algorithms = {
  RS256: { type: 'rsa', options: {} },
  PS256: {
    type: 'rsa',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  ES256: { type: 'ec', options: { dsaEncoding: 'ieee-p1363' } },
} as const;

/** Whether the key made the signature, with an algorithm that fits the key. */
export function isTokenSignedBy(key: KeyObject, { header, signed, signature }: TokenParts): boolean {
  const name = header['alg'];
  if (typeof name !== 'string' || !Object.hasOwn(algorithms, name)) return false;
  const { type, options } = algorithms[name as keyof typeof algorithms];
  if (key.asymmetricKeyType !== type) return false;
  return verify('sha256', Buffer.from(signed), { key, ...options }, signature);
}

const signOnThread = promisify(
  (bytes: Buffer, key: Parameters<typeof sign>[2], done: (error: Error | null, signature: Buffer) => void) =>
    sign('sha256', bytes, key, done),
);

/** Signs with RS256, or with ES256 if the key is a P-256 key. */
export async function signToken(claims: object, { kid, key }: { kid: string; key: KeyObject }): Promise<string> {
  const isRsa = key.asymmetricKeyType === 'rsa';
  const header = { typ: 'JWT', alg: isRsa ? 'RS256' : 'ES256', ...(isRsa ? { x5t: kid } : {}), kid };
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = await signOnThread(Buffer.from(signed), isRsa ? key : { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The id of a public key: a hash of it. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

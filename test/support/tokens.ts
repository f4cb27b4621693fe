// Tokens that a test signs itself, correctly or incorrectly.

import { constants, createHash, createHmac, type KeyObject, sign, X509Certificate } from 'node:crypto';

export const encodePart = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export interface TokenToSign {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: object;
  /** The signing key. For HS256, it is the secret. */
  readonly key?: KeyObject | string | Buffer;
}

/** Signs with the algorithm that the header names. */
export function signedToken({ header, claims, key = '' }: TokenToSign): string {
  const signed = `${encodePart({ typ: 'JWT', ...header })}.${encodePart(claims)}`;
  return `${signed}.${signatureOf(String(header['alg']), signed, key)}`;
}

function signatureOf(alg: string, signed: string, key: KeyObject | string | Buffer): string {
  switch (alg) {
    case 'none':
      return '';
    case 'HS256':
      return createHmac('sha256', key).update(signed).digest('base64url');
    case 'PS256': {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return sign('sha256', Buffer.from(signed), { key: key as KeyObject, padding, saltLength: 32 }).toString(
        'base64url',
      );
    }
    default:
      return sign('sha256', Buffer.from(signed), key as KeyObject).toString('base64url');
  }
}

/** The parts of a token, without any check. */
export function partsOf(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header = '', claims = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  return { header: read(header), claims: read(claims) };
}

/** The thumbprint of a certificate in PEM. */
export const thumbprint = (pem: string, algorithm: 'sha1' | 'sha256'): Buffer =>
  createHash(algorithm).update(new X509Certificate(pem).raw).digest();

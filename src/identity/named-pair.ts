// A certificate with its key and its names, stored as one JSON object, so that the three are read and replaced together.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateNames } from './certificate-names.ts';

/** A certificate and its private key, as PEM texts. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** The names of the certificate or, for an authority, the names for which it may sign. */
export interface NamedPair extends Pair {
  readonly names: CertificateNames;
  readonly beginMs: number;
  readonly endMs: number;
  readonly isAuthority: boolean;
  isSignedBy(authority: string): boolean;
}

/** Throws if the texts are not a certificate and its key. */
export function describePair({ certificate, key }: Pair, names: CertificateNames): NamedPair {
  const parsed = new X509Certificate(certificate);
  if (!parsed.checkPrivateKey(createPrivateKey(key))) throw new Error('the key belongs to another certificate');
  return {
    certificate,
    key,
    names,
    beginMs: Date.parse(parsed.validFrom),
    endMs: Date.parse(parsed.validTo),
    isAuthority: parsed.ca,
    isSignedBy(authority) {
      const issuer = new X509Certificate(authority);
      return parsed.checkIssued(issuer) && parsed.verify(issuer.publicKey);
    },
  };
}

export const encodeNamedPair = ({ names, certificate, key }: NamedPair): string =>
  `${JSON.stringify({ names, certificate, key }, undefined, 2)}\n`;

/** Reads a stored pair. Undefined for any other bytes. */
export function readNamedPair(bytes: Buffer): NamedPair | undefined {
  try {
    const { names, certificate, key } = JSON.parse(bytes.toString()) as NamedPair;
    const { hosts, addresses } = names;
    if (![...hosts, ...addresses].every((name) => typeof name === 'string')) return undefined;
    return describePair({ certificate, key }, { hosts: [...hosts], addresses: [...addresses] });
  } catch {
    return undefined;
  }
}

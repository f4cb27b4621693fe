// Reads a JSON Web Key Set (RFC 7517) as an issuer publishes it: the RSA keys for signatures, by id.

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

export type KeySet = ReadonlyMap<string, KeyObject>;

/** Signatures of shorter keys can be forged, and the libraries refuse such keys, too. */
const modulusBitsMin = 2_048;

/** Reads a key set. Throws an Error that says why it contains no RSA key for signatures. */
export function parseKeySet(text: string): KeySet {
  const { keys } = parseObject(text) ?? {};
  if (!Array.isArray(keys)) throw new Error('it is not a JSON Web Key Set: {"keys":[…]}');
  const found = new Map<string, KeyObject>();
  for (const one of keys as readonly unknown[]) {
    const { kid, key } = readKey(one) ?? {};
    if (kid !== undefined && key !== undefined && !found.has(kid)) found.set(kid, key);
  }
  if (found.size === 0) throw new Error(`it has no RSA signature key with a kid and at least ${modulusBitsMin} bits`);
  return found;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for keys of other kinds or for other uses, which a set may also contain. */
function readKey(value: unknown): { readonly kid: string; readonly key: KeyObject } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kty, kid, use = 'sig', alg = 'RS256', n, e } = value as Readonly<Record<string, unknown>>;
  if (kty !== 'RSA' || use !== 'sig' || alg !== 'RS256' || typeof kid !== 'string') return undefined;
  try {
    const key = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < modulusBitsMin ? undefined : { kid, key };
  } catch {
    return undefined;
  }
}

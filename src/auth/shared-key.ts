// Shared Key and Shared Key Lite in the form of the Table service: no canonicalized headers, no line feed at the end, and a
// date that is never empty. Source: docs, Authorize with Shared Key; the vectors in the tests.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The parts of a request that a signature covers. Header values are as sent; an absent header is an empty string. */
export interface SignedParts {
  /** The verb on the wire, even if X-HTTP-Method names another. */
  readonly method: string;
  readonly contentMd5: string;
  readonly contentType: string;
  /** The account in the address, without `-secondary`. */
  readonly account: string;
  /** The path as sent, with its percent-encoding. */
  readonly wirePath: string;
  readonly comp: string | undefined;
}

export function canonicalizedResource({ account, wirePath, comp }: SignedParts): string {
  const resource = `/${account}${wirePath || '/'}`;
  return comp ? `${resource}?comp=${comp}` : resource;
}

/** `date` is the value of x-ms-date or, without that header, of Date. */
export function sharedKeyText(parts: SignedParts, date: string): string {
  const { method, contentMd5, contentType } = parts;
  return `${method}\n${contentMd5}\n${contentType}\n${date}\n${canonicalizedResource(parts)}`;
}

export function sharedKeyLiteText(parts: SignedParts, date: string): string {
  return `${date}\n${canonicalizedResource(parts)}`;
}

/** Whether one of the keys made the signature. Compares in constant time. */
export function isSignedBy(keys: readonly KeyObject[], text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'latin1');
  return keys.some((key) => {
    // Compared as text: Node makes a base64 string of a digest faster than a Buffer.
    const expected = Buffer.from(createHmac('sha256', key).update(text, 'utf8').digest('base64'), 'latin1');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

// Verifies the signature of a token with jose. Loaded with the first token.

import type { KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import { quote } from '../model/printable-text.ts';
import { type BearerToken, TokenFault } from './read-token.ts';
import { tokenAlgorithm } from './token-header.ts';

/** Rejects with TokenFault if the token was signed with another key or altered. */
export async function verifySignature({ text, header: { kid = '' } }: BearerToken, key: KeyObject): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [tokenAlgorithm] });
  } catch {
    throw new TokenFault([
      `The signature does not fit the key ${quote(kid)}: the token was altered, or was signed with another key.`,
    ]);
  }
}

// Checks the header of a token. Its `kid` must name a key that the emulator already has. The emulator never reads a key
// that the token contains or points to.

import { quote } from '../model/printable-text.ts';
import { type BearerToken, TokenFault } from './read-token.ts';

/** Evidence: documented (Access tokens, Microsoft identity platform: RS256). */
export const tokenAlgorithm = 'RS256';

/** Header fields by which a token brings its own key. Entra's tokens have none of them. */
const keyMembers = ['jku', 'jwk', 'x5u', 'x5c'];

/**
 * Returns the id of the key with which the token must be signed. Throws TokenFault for a header that no issuer of
 * tokens for the service would write.
 */
export function checkHeader({ header: { alg, kid, typ, names } }: BearerToken): string {
  if (alg !== tokenAlgorithm)
    throw new TokenFault([`alg is ${alg === undefined ? 'missing' : quote(alg)}; expected ${tokenAlgorithm}.`]);
  if (names.includes('crit')) throw new TokenFault(['The header has crit, and its extensions are not supported.']);
  if (names.includes('cty') || (typ !== undefined && !/^(?:at\+)?jwt$/i.test(typ))) {
    throw new TokenFault(['The token holds another token, or it is not a JWT: typ must be JWT, cty must be absent.']);
  }
  const brought = keyMembers.find((name) => names.includes(name));
  if (brought !== undefined)
    throw new TokenFault([
      `The header has ${brought}: the emulator never uses a key that the token contains or points to.`,
    ]);
  if (kid === undefined) throw new TokenFault(['kid is missing: it names the key of the signature.']);
  return kid;
}

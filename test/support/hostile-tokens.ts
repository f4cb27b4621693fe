// Tokens that `--oauth verify` must refuse, with the reasons for the refusals.

import {
  claims,
  createSigningKey,
  encode,
  hmacToken,
  keySetOf,
  nowSeconds,
  type SigningKey,
  signedText,
  signedToken,
  somethingElse,
  tenant,
  unsignedToken,
} from './bearer-tokens.ts';

export type HostileToken = readonly [name: string, token: () => string, why: RegExp];

/** `key` is the trusted key. Its `kid` is `one`. */
export function hostileTokens(key: SigningKey): readonly HostileToken[] {
  const now = nowSeconds();
  const alteredClaims = (): string => {
    const [header, , signature] = signedToken(key).split('.');
    return `${header}.${encode(claims({ oid: somethingElse }))}.${signature}`;
  };
  const lastCharacterChanged = (): string => {
    const token = signedToken(key);
    // Changes unused bits of the signature's last character: the text is another, but its bytes are the same.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1];
  };
  const evil = createSigningKey('one');
  const elsewhere = 'https://attacker.example/keys';

  return [
    ['without an algorithm', () => unsignedToken(), /alg is "none"; expected RS256/],
    ['signed by HMAC with the public key', () => hmacToken(key), /alg is "HS256"; expected RS256/],
    ['for another service', () => signedToken(key, { aud: 'https://graph.microsoft.com' }), /aud is .*graph.*expected/],
    ['for another account', () => signedToken(key, { aud: 'https://other.table.core.windows.net' }), /aud is .*other/],
    ['for no service', () => signedToken(key, { aud: undefined }), /aud is missing/],
    [
      'for a service with a longer name',
      () => signedToken(key, { aud: 'https://storage.azure.com.x.example' }),
      /aud is/,
    ],
    [
      'for Cosmos, of another issuer than the emulator',
      () => signedToken(key, { aud: 'https://cosmos.azure.com' }),
      /aud is/,
    ],
    ['of another issuer', () => signedToken(key, { iss: `https://attacker.example/${tenant}/` }), /iss is .*attacker/],
    [
      'of an issuer with a longer name',
      () => signedToken(key, { iss: `https://sts.windows.net.x.example/${tenant}/` }),
      /iss/,
    ],
    ['without an issuer', () => signedToken(key, { iss: undefined }), /iss is missing/],
    ['of another tenant', () => signedToken(key, { tid: somethingElse }), /tid is .*iss names the tenant/],
    ['without a tenant', () => signedToken(key, { tid: undefined }), /tid is missing/],
    ['that has expired', () => signedToken(key, { exp: now - 400 }), /exp is .*the token has expired/],
    ['without an end', () => signedToken(key, { exp: undefined }), /exp is missing/],
    ['whose end is a text', () => signedToken(key, { exp: '9999999999' }), /exp is .*a number/],
    ['that is not valid yet', () => signedToken(key, { nbf: now + 400 }), /nbf is .*not valid yet/],
    ['without its signature', () => signedToken(key).replace(/[^.]+$/, ''), /signature does not fit/],
    ['with two parts', () => signedToken(key).replace(/\.[^.]+$/, ''), /2 parts/],
    ['with other claims than were signed', alteredClaims, /signature does not fit/],
    ['whose signature is another text of the same bytes', lastCharacterChanged, /not base64url/],
    ['signed with another key of that name', () => signedToken(evil), /signature does not fit/],
    ['of an unknown key', () => signedToken(createSigningKey('two')), /kid "two" is not one of the configured keys/],
    ['that names no key', () => signedToken(key, {}, { kid: undefined }), /kid is missing/],
    ['that points to a key elsewhere', () => signedToken(evil, {}, { jku: elsewhere }), /header has jku/],
    ['that points to a certificate elsewhere', () => signedToken(evil, {}, { x5u: elsewhere }), /header has x5u/],
    ['that brings its key', () => signedToken(evil, {}, { jwk: JSON.parse(keySetOf(evil)).keys[0] }), /header has jwk/],
    ['with an extension that must be understood', () => signedToken(key, {}, { crit: ['b64'], b64: true }), /has crit/],
    ['of another type', () => signedToken(key, {}, { typ: 'logout+jwt' }), /is not a JWT/],
    [
      'that holds another token',
      () => signedText(key, `${encode({ alg: 'RS256', kid: 'one', cty: 'JWT' })}.${encode(claims())}`),
      /holds another token/,
    ],
    [
      'whose claims are a token',
      () => signedText(key, `${encode({ alg: 'RS256', kid: 'one' })}.${encode(signedToken(key))}`),
      /not a JSON object/,
    ],
    ['that is encrypted', () => `${signedToken(key)}.a.b`, /5 parts/],
    [
      'that is too large',
      () => signedToken(key, { padding: 'x'.repeat(16_384) }),
      /characters: at most 16384 are accepted/,
    ],
    [
      'that is deeply nested',
      () => signedText(key, `${encode({ alg: 'RS256', kid: 'one' })}.${encode('['.repeat(8_000))}`),
      /not a JSON object/,
    ],
    ['that is not a token', () => 'letmein', /one part/],
    ['that is empty', () => '', /one part/],
  ];
}

// Removes keys, signatures and tokens from what is written to a recording: from addresses, headers and bodies, anywhere in a text. A
// secret always gets the same placeholder within a recording, so that equal texts stay equal.

import { createHmac, randomBytes } from 'node:crypto';

export interface SecretRemover {
  /** An address or a body. */
  text(text: string): string;
  /** The name is in lower case. */
  header(name: string, value: string): string;
}

/** A shorter key may be an ordinary word in any text. */
const keyCharsMin = 16;

/** `keys`: those of the accounts, in base64. */
export function createSecretRemover(keys: readonly string[]): SecretRemover {
  const longKeys = keys.filter(({ length }) => length >= keyCharsMin);
  const placeholderKey = randomBytes(32);
  const digest = (secret: string): Buffer => createHmac('sha512', placeholderKey).update(secret, 'utf8').digest();
  const placeholder = (secret: string): string => `removed-${digest(secret).toString('hex').slice(0, 12)}`;
  // An account key is replaced by base64 of its length: it may be the value of a binary property.
  const keyPlaceholder = (key: string): string => {
    const bytes = Buffer.alloc(Buffer.byteLength(key, 'base64'), digest(key));
    return bytes.toString('base64');
  };
  const text = (given: string): string => {
    let result = given;
    for (const { pattern, hint } of patterns) {
      if (hint.test(result)) {
        result = result.replace(pattern, (...match) => {
          const { before = '', secret = '' } = match.at(-1) as { before?: string; secret?: string };
          return before + placeholder(secret);
        });
      }
    }
    result = result.replace(accountKey, keyPlaceholder);
    for (const key of longKeys) result = result.replaceAll(key, keyPlaceholder);
    return result;
  };
  const header = (name: string, value: string): string => {
    if (secretHeaders.test(name)) return placeholder(value);
    if (!credentialHeaders.test(name)) return text(value);
    const [, scheme = '', account = '', secret = value] =
      /^\s*((?:SharedKey(?:Lite)?) )([^:\s]{1,64}:)?(.*)$/is.exec(value) ??
      /^\s*(Bearer |Basic )()(.*)$/is.exec(value) ??
      [];
    return `${scheme}${account}${placeholder(secret)}`;
  };
  return { text, header };
}

const credentialHeaders = /^(?:proxy-|x-ms-copy-source-|x-)?authorization$/;
const secretHeaders = /^(?:cookie|set-cookie|x-ms-encryption-key|(?:x-)?api-key|x-emulator-token)$|token|secret/;

/** Characters of base64, plain or as an address, JSON or XML escapes them. */
const base64Char = String.raw`(?:[\w+/=.~-]|%(?:25){0,3}(?:2B|2F|3D)|\\u00(?:2B|2F|3D)|\\/|&#(?:x2B|43|x2F|47|x3D|61);)`;
const equals = String.raw`(?:=|%(?:25){0,3}3D|\\u003D|&#(?:x3D|61);)`;

interface SecretPattern {
  /** Has the groups `before`, which stays, and `secret`. Takes time linear in the length of the text. */
  readonly pattern: RegExp;
  /** Whether `pattern` can match at all: much faster for texts where it cannot. */
  readonly hint: RegExp;
}

const patterns: readonly SecretPattern[] = [
  // The name may be percent-encoded, completely or in part.
  pattern(
    String.raw`(?<before>(?:(?<![a-z])|(?<=(?:%|\\u00)[\da-f]{2}))(?:s|%(?:25){0,3}73)(?:i|%(?:25){0,3}69)(?:g|%(?:25){0,3}67)${equals})(?<secret>${base64Char}+)`,
    /g|%67/i,
  ),
  pattern(
    `(?<before>(?:AccountKey|SharedAccessKey|client_secret|client_assertion|access_token|id_token|refresh_token|assertion)${equals})(?<secret>${base64Char}+)`,
    /key|secret|token|assertion/i,
  ),
  pattern(
    String.raw`(?<before>"(?:access_token|id_token|refresh_token|client_secret)"\s{0,8}:\s{0,8}")(?<secret>[^"\\]+)`,
    /token|secret/i,
  ),
  pattern(
    String.raw`(?<before>SharedKey(?:Lite)?(?:\s|%20|\+){1,4}[\w-]{1,64}(?::|%3A))(?<secret>${base64Char}+)`,
    /SharedKey/i,
  ),
  pattern(
    String.raw`(?<before>\bAuthorization:[^\S\r\n]*(?!SharedKey)(?:[A-Za-z]{1,32}[^\S\r\n]{1,8})?)(?<secret>[^\s"]+)`,
    /Authorization:/i,
  ),
  pattern(String.raw`(?<before>\bBearer(?:\s|%20|\+){1,4})(?<secret>[\w.~+/=-]{8,})`, /Bearer/i),
  // A JSON web token.
  pattern(String.raw`(?<before>)(?<secret>(?<![\w-])eyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*)`, /eyJ/),
];

function pattern(source: string, hint: RegExp): SecretPattern {
  return { pattern: new RegExp(source, 'gi'), hint };
}

/** 64 bytes in base64, the form of an account key. */
const accountKey = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{86}==(?!=)/g;

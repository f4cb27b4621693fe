// Removes keys, signatures and tokens from everything that is written to a recording: addresses, headers and bodies.
// Within a recording, the same secret always gets the same placeholder, so that equal texts stay equal.

import { createHmac, hash, randomBytes } from 'node:crypto';

export interface SecretRemover {
  /** Removes secrets from an address or a body. */
  text(text: string): string;
  /** Returns a function that removes secrets from values of a header. The name is in lower case. */
  header(name: string): (value: string) => string;
  /** Adds keys of accounts, in base64, to those known before. */
  addKeys(keys: readonly string[]): void;
}

/** A shorter key may be an ordinary word in any text. */
const keyCharsMin = 16;

/** `keys`: the keys of the accounts, in base64. */
export function createSecretRemover(keys: readonly string[]): SecretRemover {
  const knownKeys = new Map<string, SecretPattern>();
  const placeholderKey = randomBytes(32).toString('hex');
  const placeholder = (secret: string): string => `removed-${hash('sha256', placeholderKey + secret).slice(0, 12)}`;
  // An account key is replaced by base64 of the same length, because it may be the value of a binary property.
  const keyPlaceholder = (written: string): string => {
    const key = plainBase64(written);
    const digest = createHmac('sha512', placeholderKey).update(key, 'utf8').digest();
    const shown = Buffer.alloc(Buffer.byteLength(key, 'base64'), digest).toString('base64');
    return written.includes('%') ? encodeURIComponent(shown) : shown;
  };
  const text = (given: string): string => {
    let result = given;
    for (const { pattern, isPossible } of knownKeys.values()) {
      if (isPossible(result)) result = result.replace(pattern, keyPlaceholder);
    }
    if (!isSuspect(result)) return result;
    for (const { pattern, isPossible } of patterns) {
      if (!isPossible(result)) continue;
      result = result.replace(pattern, (...match) => {
        const { before = '', secret = '' } = match.at(-1) as { before?: string; secret?: string };
        return before + placeholder(secret);
      });
    }
    return result.replace(accountKey, keyPlaceholder);
  };
  const credential = (value: string): string => {
    const [, scheme = '', account = '', secret = value] =
      /^\s*((?:SharedKey(?:Lite)?) )([^:\s]{1,64}:)?(.*)$/is.exec(value) ??
      /^\s*(Bearer |Basic )()(.*)$/is.exec(value) ??
      [];
    return `${scheme}${account}${placeholder(secret)}`;
  };
  const header = (name: string): ((value: string) => string) => {
    if (secretHeaders.test(name)) return placeholder;
    return credentialHeaders.test(name) ? credential : text;
  };
  const addKeys = (added: readonly string[]): void => {
    for (const key of added) if (key.length >= keyCharsMin) knownKeys.set(key, knownKeyPattern(key));
  };
  addKeys(keys);
  return { text, header, addKeys };
}

const credentialHeaders = /^(?:proxy-|x-ms-copy-source-|x-)?authorization$/;
const secretHeaders = /^(?:cookie|set-cookie)$|(?:^|-)key$|token|secret|password/;

/** A character of base64: plain, or escaped as in an address, in JSON or in XML. */
const base64Char = String.raw`(?:[\w+/=.~-]|%(?:25){0,3}(?:2B|2F|3D)|\\u00(?:2B|2F|3D)|\\/|&#(?:x2B|43|x2F|47|x3D|61);)`;
const equals = String.raw`(?:=|%(?:25){0,3}3D|\\u003D|&#(?:x3D|61);)`;

/** A password after the name of a user in an address. */
const password = String.raw`(?<before>:\\?/\\?/[^\s/?#@:"'<>\\]{1,64}:)(?<secret>[^\s/?#@"'<>\\]{1,256})(?=@)`;

interface SecretPattern {
  /** Has two groups: `before`, which is kept, and `secret`. Its time is linear in the length of the text. */
  readonly pattern: RegExp;
  /** Whether `pattern` can match at all. This check is much faster than `pattern`. */
  readonly isPossible: (text: string) => boolean;
}

const patterns: readonly SecretPattern[] = [
  // The name may be percent-encoded, completely or in part.
  pattern(
    String.raw`(?<before>(?:(?<![a-z])|(?<=(?:%|\\u00)[\da-f]{2}))(?:s|%(?:25){0,3}[57]3)(?:i|%(?:25){0,3}[46]9)(?:g|%(?:25){0,3}[46]7)${equals})(?<secret>${base64Char}+)`,
    /g|%(?:25){0,3}[46]7/i,
  ),
  pattern(
    `(?<before>(?:AccountKey|SharedAccessKey|client_secret|client_assertion|access_token|id_token|refresh_token|assertion)${equals})(?<secret>${base64Char}+)`,
    /key|secret|token|assertion/i,
  ),
  pattern(
    String.raw`(?<before>"(?:access_token|id_token|refresh_token|client_secret|sig|AccountKey)\\{0,3}"\s{0,8}:\s{0,8}\\{0,3}")(?<secret>[^"\\]+)`,
    /token|secret|sig|key/i,
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
  pattern(password, /@/),
  // A JSON web token.
  pattern(String.raw`(?<before>)(?<secret>(?<![\w-])eyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*)`, /eyJ/),
];

function pattern(source: string, hint: RegExp): SecretPattern {
  return { pattern: new RegExp(source, 'gi'), isPossible: (text) => hint.test(text) };
}

/** Whether a pattern may match. Most texts are read only for this check. */
const isSuspect = (text: string): boolean =>
  suspect.test(text) || (text.includes('@') && hasPassword.test(text)) || hasTwoEquals.test(text);

const suspect = new RegExp(
  [
    '(?:s|[57]3)(?:i|%(?:25){0,3}[46]9)(?:g|%(?:25){0,3}[46]7)["=%\\\\&]',
    '(?:(?:Account|Access)Key|client_secret|assertion|_token)["=%\\\\&]',
    'SharedKey|Authorization:|Bearer|eyJ',
  ].join('|'),
  'i',
);
const hasPassword = new RegExp(password);
/** An account key ends with two equals signs. */
const hasTwoEquals = new RegExp(`${equals}{2}`, 'i');

/** The characters of base64 that are escaped in addresses, JSON or XML, or replaced in base64url. */
const escapedForms: Readonly<Record<string, string>> = {
  '+': String.raw`(?:[+-]|%(?:25){0,3}2B|\\u002B|&#(?:x2B|43);)`,
  '/': String.raw`(?:[/_]|%(?:25){0,3}2F|\\u002F|\\/|&#(?:x2F|47);)`,
  '=': `${equals}?`,
};

function knownKeyPattern(key: string): SecretPattern {
  const source = key.replace(/[+/=]/g, (sign) => escapedForms[sign] ?? sign);
  const [longest = ''] = key.split(/[+/=]/).sort((one, other) => other.length - one.length);
  return { pattern: new RegExp(source, 'gi'), isPossible: (text) => text.includes(longest) };
}

/** 64 bytes in base64, the form of an account key. An escape that ends in a letter or digit may precede it. */
const accountKey = new RegExp(
  String.raw`(?:(?<![A-Za-z0-9+/=])|(?<=(?:%|\\u00)[\da-f]{2}|\\[bfnrt]))(?:[A-Za-z0-9]|${escapedForms['+']}|${escapedForms['/']}){86}${equals}{2}(?!=)`,
  'gi',
);

const unescaped: readonly (readonly [RegExp, string])[] = [
  [/-|%(?:25){0,3}2B|\\u002B|&#(?:x2B|43);/gi, '+'],
  [/_|%(?:25){0,3}2F|\\u002F|\\\/|&#(?:x2F|47);/gi, '/'],
  [/%(?:25){0,3}3D|\\u003D|&#(?:x3D|61);/gi, '='],
];

const plainBase64 = (written: string): string =>
  unescaped.reduce((text, [escapes, sign]) => text.replace(escapes, sign), written);

import type { KeyObject } from 'node:crypto';
import type { Mask } from '../../mcp/bounded-answer.ts';

export interface Secrets {
  /** The keys of all accounts. */
  readonly keys: readonly KeyObject[];
  readonly controlToken: string | undefined;
}

const masked = 'REDACTED';
/** A shorter secret may be an ordinary word, which many texts contain. */
const secretCharsMin = 8;

/**
 * Returns a pattern that matches one of the characters, either plain or percent-encoded. In an address, text may be
 * percent-encoded several times.
 */
function encodedOr(chars: string): string {
  const codes = [...chars].map((char) => char.charCodeAt(0).toString(16));
  return `(?:[${chars.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]|%(?:25)*(?:${codes.join('|')}))`;
}

const ends = encodedOr(`&;"' `);
const [begins, equals, letter] = [encodedOr(`?&;"' `), encodedOr('='), `(?:[A-Z0-9]|${encodedOr('+/')})`];

/**
 * Three patterns: for a shared access signature, for the key of a connection string, and for a JWT. Each pattern also
 * matches a secret whose end is cut off.
 */
const signature = new RegExp(`((?:^|\\s|${begins})sig${equals})(?:(?!${ends})\\S)+`, 'gi');
const connectionKey = new RegExp(`(AccountKey${equals})${letter}+${equals}*`, 'gi');
const jwt = /\beyJ[\w-]{1,1024}\.eyJ[\w-]*(?:\.[\w-]*)?/g;
/** 512 bits in base64: the form of a generated account key. */
const keyText = new RegExp(`${letter}{86}${equals}{2}`, 'gi');
const keyBytes = 64;

/** Removes credentials from a text: an application may have stored them, or sent them where they do not belong. */
export function maskWith({ keys, controlToken }: Secrets): Mask {
  const texts = keys.map((key) => key.export());
  const known = new Set(texts.filter(({ length }) => length === keyBytes).map((key) => key.toString('base64')));
  const chosen = texts.filter(({ length }) => length !== keyBytes).map((key) => key.toString('base64'));
  const others = [...chosen, ...(controlToken === undefined ? [] : [controlToken])]
    .filter(({ length }) => length >= secretCharsMin)
    // The longest first, because a shorter secret may be a part of a longer one.
    .sort((a, b) => b.length - a.length)
    .map((secret) => new RegExp(anyForm(secret), 'g'));
  return (text) => {
    const shown = text
      .replace(signature, `$1${masked}`)
      .replace(connectionKey, `$1${masked}`)
      .replace(jwt, masked)
      .replace(keyText, (found) => (known.has(decoded(found)) ? masked : found));
    return others.reduce((rest, secret) => rest.replace(secret, masked), shown);
  };
}

/** A pattern of a text, each character of which may be percent-encoded. */
const anyForm = (text: string): string =>
  [...text].map((char) => (/\w/.test(char) ? char : `(?:${escaped(char)}|${percentCode(char)})`)).join('');

const escaped = (char: string): string => `\\x${hex(char)}`;

/** Hexadecimal digits in either case. */
const percentCode = (char: string): string =>
  `%(?:25)*${[...hex(char)].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('')}`;

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0');

/** In a text that is encoded several times, the percent signs are encoded too. */
const decoded = (text: string): string => decodeURIComponent(text.replaceAll(/%(?:25)+/g, '%'));

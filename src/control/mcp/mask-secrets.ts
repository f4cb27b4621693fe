import type { KeyObject } from 'node:crypto';
import type { Mask } from '../../mcp/bounded-answer.ts';

export interface Secrets {
  /** Of all accounts. */
  readonly keys: readonly KeyObject[];
  readonly controlToken: string | undefined;
}

const masked = 'REDACTED';
/** A shorter one is a word that any text may hold. */
const secretCharsMin = 8;

/** Characters of a text, as they are or percent-encoded, once or several times: a filter is in the address of its request too. */
function encodedOr(chars: string): string {
  const codes = [...chars].map((char) => char.charCodeAt(0).toString(16));
  return `(?:[${chars.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]|%(?:25)*(?:${codes.join('|')}))`;
}

const ends = encodedOr(`&;"' `);
const [begins, equals, letter] = [encodedOr(`?&;"' `), encodedOr('='), `(?:[A-Z0-9]|${encodedOr('+/')})`];

/** A shared access signature, the key of a connection string, a token in the form of a JWT; also the beginning of one. */
const signature = new RegExp(`((?:^|\\s|${begins})sig${equals})(?:(?!${ends})\\S)+`, 'gi');
const connectionKey = new RegExp(`(AccountKey${equals})${letter}+${equals}*`, 'gi');
const jwt = /\beyJ[\w-]{1,1024}\.eyJ[\w-]*(?:\.[\w-]*)?/g;
/** 512 bits in base64: the form of an account key that nobody chose. */
const keyText = new RegExp(`${letter}{86}${equals}{2}`, 'gi');
const keyBytes = 64;

/** Takes credentials out of a text: an application may have stored them, or sent them where they do not belong. */
export function maskWith({ keys, controlToken }: Secrets): Mask {
  const texts = keys.map((key) => key.export());
  const known = new Set(texts.filter(({ length }) => length === keyBytes).map((key) => key.toString('base64')));
  const chosen = texts.filter(({ length }) => length !== keyBytes).map((key) => key.toString('base64'));
  const others = [...chosen, ...(controlToken === undefined ? [] : [controlToken])]
    .filter(({ length }) => length >= secretCharsMin)
    // The longest first: another one may be a part of it.
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

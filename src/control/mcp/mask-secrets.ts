import type { KeyObject } from 'node:crypto';
import type { Mask } from '../../mcp/bounded-answer.ts';

export interface Secrets {
  /** Of all accounts. */
  readonly keys: readonly KeyObject[];
  readonly controlToken: string | undefined;
}

const masked = 'REDACTED';
/** A shorter token is a word that any text may hold. */
const tokenCharsMin = 8;

/** A shared access signature, the key of a connection string, a token in the form of a JWT; also the beginning of one. */
const signature = /((?:^|[?&;\s"'])sig=)[^&;\s"']+/gi;
const connectionKey = /(AccountKey=)[A-Za-z0-9+/]+=*/gi;
const jwt = /\beyJ[\w-]{1,1024}\.eyJ[\w-]*(?:\.[\w-]*)?/g;
/** 512 bits in base64, as account keys have. */
const keyText = /[A-Za-z0-9+/]{86}==/g;

/** Takes credentials out of a text: an application may have stored them, or sent them where they do not belong. */
export function maskWith({ keys, controlToken }: Secrets): Mask {
  const known = new Set(keys.map((key) => key.export().toString('base64')));
  const token = controlToken !== undefined && controlToken.length >= tokenCharsMin ? controlToken : undefined;
  return (text) => {
    let shown = text
      .replace(signature, `$1${masked}`)
      .replace(connectionKey, `$1${masked}`)
      .replace(jwt, masked)
      .replace(keyText, (found) => (known.has(found) ? masked : found));
    if (token !== undefined) shown = shown.replaceAll(token, masked);
    return shown;
  };
}

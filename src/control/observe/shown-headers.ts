import { cutMiddle } from '../../model/printable-text.ts';
import type { HeaderFields } from '../../model/request-record.ts';
import { tokenHeader } from '../../model/request-source.ts';
import { withoutSignature } from '../../model/summarize-request.ts';

export type HeaderPair = readonly [name: string, value: string];

/** Maximum number of characters shown of a value; `x-emulator-why` has up to 4,096. */
const valueCharsMax = 4_096;
/** Maximum number of headers shown. Node accepts 2,000. */
const headersMax = 64;
const secret = 'REDACTED';

/**
 * Returns headers in a form that may be shown: without keys, signatures, tokens and cookies. Long values are cut in the
 * middle.
 */
export function shownHeaders(headers: HeaderFields | readonly HeaderPair[]): readonly HeaderPair[] {
  const shown: HeaderPair[] = [];
  if (Array.isArray(headers)) {
    for (const [name, value] of headers as readonly HeaderPair[]) add(shown, name, value);
    return shown;
  }
  const fields = headers as HeaderFields;
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string') add(shown, name, value);
    else for (const one of value ?? []) add(shown, name, one);
  }
  return shown;
}

function add(shown: HeaderPair[], name: string, value: string): void {
  if (shown.length < headersMax) shown.push([name, shownValue(name.toLowerCase(), value)]);
}

function shownValue(name: string, value: string): string {
  switch (name) {
    case 'authorization':
    case 'proxy-authorization':
      return withoutCredentials(value);
    case tokenHeader:
    case 'cookie':
    case 'set-cookie':
      return secret;
    default: {
      // An address, for example in Referer, may carry a shared access signature.
      const text = value.includes('=') ? withoutSignature(value) : value;
      return cutMiddle(text, valueCharsMax);
    }
  }
}

/** `SharedKeyLite account:REDACTED`; for other schemes, only the name of the scheme. */
function withoutCredentials(value: string): string {
  const [, scheme = '', account = ''] = /^(SharedKey(?:Lite)?) ([^:\s]{1,64}):/i.exec(value) ?? [];
  if (scheme !== '') return `${scheme} ${account}:${secret}`;
  const [, other = ''] = /^([A-Za-z][A-Za-z0-9-]{0,31}) /.exec(value) ?? [];
  return other === '' ? secret : `${other} ${secret}`;
}

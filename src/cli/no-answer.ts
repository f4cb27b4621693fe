// Says why an address gives no response, and what to do about it.

import { networkReason } from '../data/http-exchange.ts';

interface Asked {
  readonly url: string;
  /** `no emulator` */
  readonly absent: string;
  /** `--url ` if that flag gives the address. */
  readonly flag?: string;
  /** What to do if nothing listens. */
  readonly hint: string;
}

export function describeNoAnswer(error: Error, { url, absent, flag = '', hint }: Asked): string {
  const code = codeOf(error);
  const reason = networkReason(error);
  if (/^(?:.*SELF_SIGNED.*|UNABLE_TO_(?:VERIFY|GET).*|CERT_.*|ERR_TLS_CERT.*)$/.test(code)) {
    return `the certificate of ${url} is not trusted: ${reason}. Give --insecure, or name the authority's file in NODE_EXTRA_CA_CERTS.`;
  }
  if (url.startsWith('https:') && /^(?:EPROTO|ERR_SSL_.*)$/.test(code)) {
    return `the server at ${url} does not answer in HTTPS. Give ${flag}${url.replace('https:', 'http:')} if it serves HTTP.`;
  }
  if (url.startsWith('http:') && code === 'ECONNRESET') {
    return `the server at ${url} closed the connection without an answer. Give ${flag}${url.replace('http:', 'https:')} if it serves HTTPS.`;
  }
  return `${absent} answers at ${url}: ${reason}. ${hint}`;
}

/** The code of the innermost cause. That cause also gives the reason. */
function codeOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause ? String(cause.code) : '';
}

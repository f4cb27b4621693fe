// Signs with WebCrypto, which browsers offer only to pages at loopback addresses and to pages over HTTPS.

/** The HMAC-SHA256 of a text, in base64. The key is in base64 too. */
async function signText(key, text) {
  const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
  const secret = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', secret, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** The headers that sign a request by Shared Key Lite. */
export async function signRequest({ account, key }, { url, nowMs }) {
  const { pathname, searchParams } = new URL(url);
  const date = new Date(nowMs).toUTCString();
  const comp = searchParams.get('comp');
  const resource = `/${account}${pathname}${comp ? `?comp=${comp}` : ''}`;
  const signature = await signText(key, `${date}\n${resource}`);
  return { 'x-ms-date': date, Authorization: `SharedKeyLite ${account}:${signature}` };
}

/** A shared access signature for all tables of an account, as a query string without the question mark. */
export async function signAccountSas({ account, key }, { expiresMs }) {
  const clauses = {
    sv: '2019-02-02',
    ss: 't',
    srt: 'sco',
    sp: 'rwdlacu',
    se: `${new Date(expiresMs).toISOString().slice(0, 19)}Z`,
  };
  const { sv, ss, srt, sp, se } = clauses;
  const sig = await signText(key, `${[account, sp, ss, srt, '', se, '', '', sv].join('\n')}\n`);
  return Object.entries({ ...clauses, sig })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

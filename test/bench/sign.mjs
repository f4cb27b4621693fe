// Makes credentials for path-style addresses: Shared Key Lite, an account SAS and a bearer token. For Shared Key Lite,
// the string to sign consists of the date, the account and the path. The path contains the account again.
import { authorization, developmentKey, hmac } from '../support/sign.mjs';

export const account = 'devstoreaccount1';
const lifetimeMs = 24 * 60 * 60 * 1_000;
const tenant = 'ab1f708d-50f6-404c-a006-d71b2ac7a606';

// Returns a signed request up to its body, as text. The signature is valid for 15 minutes, so each slice needs new
// requests.
export function requestHead({ method, path, query, port, headers = {}, sas, token, as = account, key }) {
  const signed = token ? { Authorization: `Bearer ${token}` } : sas ? {} : sharedKeyLite({ path, as, key });
  const all = {
    Host: `127.0.0.1:${port}`,
    Accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': '2019-02-02',
    ...signed,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const search = [query, sas].filter(Boolean).join('&');
  return `${method} ${path}${search && '?'}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

// An account SAS with all permissions on the tables of the account, valid for a day.
export function accountSas() {
  const expiry = new Date(Date.now() + lifetimeMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const clauses = { sp: 'rwdlacu', ss: 't', srt: 'sco', se: expiry, sv: '2019-02-02' };
  const sig = hmac(accountSasText(clauses));
  return new URLSearchParams({ ...clauses, sig }).toString();
}

export function accountSasText({ sp, ss, srt, st = '', se, sip = '', spr = '', sv }) {
  return `${[account, sp, ss, srt, st, se, sip, spr, sv].join('\n')}\n`;
}

// A token without a signature, valid for a day, as `--oauth basic` accepts it.
export function bearerToken() {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    aud: 'https://storage.azure.com',
    iss: `https://sts.windows.net/${tenant}/`,
    tid: tenant,
    oid: 'bench',
    iat: now,
    nbf: now,
    exp: now + lifetimeMs / 1_000,
  };
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ typ: 'JWT', alg: 'RS256', kid: 'bench' })}.${encode(claims)}.${encode('unread')}`;
}

function sharedKeyLite({ path, as, key = developmentKey }) {
  const headers = { 'x-ms-date': new Date().toUTCString() };
  const signer = { account: as, key, scheme: 'SharedKeyLite' };
  return { ...headers, Authorization: authorization({ method: '', target: path, headers }, signer) };
}

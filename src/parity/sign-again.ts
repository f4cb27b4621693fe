// Signs a recorded request with the key of the endpoint where it is repeated, by the same scheme as before.

import { createHmac } from 'node:crypto';
import { accountSasText } from '../auth/account-sas.ts';
import { sharedKeyLiteText, sharedKeyText } from '../auth/shared-key.ts';
import { tableSasText } from '../auth/table-sas.ts';
import type { TableCredential } from '../data/table-endpoint.ts';
import { decodedName, type QueryPairs } from './rewrite-address.ts';

export type AccountKey = Extract<TableCredential, { readonly kind: 'key' }>;

export interface KeySigned {
  readonly isLite: boolean;
  readonly method: string;
  readonly path: string;
  readonly pairs: QueryPairs;
  readonly contentMd5: string;
  readonly contentType: string;
  readonly date: string;
}

/** The value of the header Authorization. */
export function authorizationFor(
  { isLite, method, path, pairs, contentMd5, contentType, date }: KeySigned,
  { account, key }: AccountKey,
): string {
  const [, comp] = pairs.find(([name]) => decodedName(name) === 'comp') ?? [];
  const parts = { method, contentMd5, contentType, account, wirePath: path, comp };
  const text = isLite ? sharedKeyLiteText(parts, date) : sharedKeyText(parts, date);
  return `SharedKey${isLite ? 'Lite' : ''} ${account}:${hmac(text, key)}`;
}

const hmac = (text: string, key: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');

/** Whether a query holds a shared access signature. */
export const isSharedAccess = (pairs: QueryPairs): boolean => pairs.some(([name]) => decodedName(name) === 'sig');

const clauseNames = /^(?:sv|sp|st|se|si|sip|spr|ses|ss|srt|tn|spk|srk|epk|erk|sig)$/;

/** A query without the clauses of a shared access signature. */
export const withoutSharedAccess = (pairs: QueryPairs): QueryPairs =>
  pairs.filter(([name]) => !clauseNames.test(decodedName(name)));

interface Renewal {
  /** How much later than recorded the request is repeated. */
  readonly laterByMs: number;
  readonly renamed: (table: string) => string;
}

/** The same shared access signature, signed with another key. Its dates are as much later as the request is. */
export function renewSharedAccess(
  pairs: QueryPairs,
  { laterByMs, renamed }: Renewal,
  { account, key }: AccountKey,
): QueryPairs {
  const renewed = pairs.map(([name, value = '']) => {
    const clause = decodedName(name);
    const plain = decodeURIComponent(value.replaceAll('+', ' '));
    if (clause === 'tn') return [name, renamed(plain)] as const;
    if (clause === 'st' || clause === 'se') return [name, laterDate(plain, laterByMs)] as const;
    return [name, plain] as const;
  });
  const clauses = new Map(renewed.map(([name, value]) => [decodedName(name), value]));
  const isForTable = (clauses.get('tn') ?? '') !== '';
  const text = isForTable ? tableSasText(account, clauses) : accountSasText(account, clauses);
  return renewed.map(([name, value], at) => {
    const clause = decodedName(name);
    if (clause === 'sig') return [name, encodeURIComponent(hmac(text, key))];
    // Unchanged clauses stay as they were written.
    return clause === 'tn' || clause === 'st' || clause === 'se'
      ? [name, encodeURIComponent(value)]
      : (pairs[at] ?? [name, value]);
  });
}

/** A later date. A text that is not a date stays as it is, so that the server refuses it again. */
function laterDate(text: string, laterByMs: number): string {
  const ms = Date.parse(text);
  // The service refuses fractions of a second.
  return Number.isNaN(ms) || text === '' ? text : `${new Date(ms + laterByMs).toISOString().slice(0, 19)}Z`;
}

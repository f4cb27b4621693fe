// Makes shared access signatures. The texts to sign come from the functions that verify signatures.

import { createHmac, type KeyObject } from 'node:crypto';
import { accountSasText } from './account-sas.ts';
import type { Clauses } from './shared-access.ts';
import { tableSasText } from './table-sas.ts';

export interface Signer {
  readonly account: string;
  /** A string is the key in base64. */
  readonly key: string | KeyObject;
}

export interface SharedAccess {
  /** Letters, in any order. */
  readonly permissions: string;
  readonly expiresMs: number;
}

/** Every server accepts this version. The signatures made here need no clause of a later version. */
const signedVersion = '2019-02-02';

/** All permissions for tables, in the order that Azure requires in table signatures. */
export const permissionLetters = { account: 'rwdlacu', table: 'raud' } as const;

/** A signature for the entities of a table, as a query string without the question mark. */
export function signTableSas(table: string, access: SharedAccess, signer: Signer): string {
  const clauses = new Map([
    ['sv', signedVersion],
    ['tn', table],
    ['sp', ordered(access.permissions, permissionLetters.table)],
    ['se', dateOf(access)],
  ]);
  return signedQuery(clauses, tableSasText(signer.account, clauses), signer);
}

/** A signature for the service and all tables of an account, as a query string without the question mark. */
export function signAccountSas(access: SharedAccess, signer: Signer): string {
  const clauses = new Map([
    ['sv', signedVersion],
    ['ss', 't'],
    ['srt', 'sco'],
    ['sp', ordered(access.permissions, permissionLetters.account)],
    ['se', dateOf(access)],
  ]);
  return signedQuery(clauses, accountSasText(signer.account, clauses), signer);
}

function signedQuery(clauses: Clauses, text: string, { key }: Signer): string {
  const signature = createHmac('sha256', typeof key === 'string' ? Buffer.from(key, 'base64') : key)
    .update(text, 'utf8')
    .digest('base64');
  return [...clauses, ['sig', signature] as const]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

const ordered = (letters: string, order: string): string =>
  [...order].filter((letter) => letters.includes(letter)).join('');

/** In whole seconds: the service refuses fractions. */
const dateOf = ({ expiresMs }: SharedAccess): string => `${new Date(expiresMs).toISOString().slice(0, 19)}Z`;

// Shared access signatures, made as the verifiers beside this read them: the same texts, the same clauses.

import { createHmac } from 'node:crypto';
import { accountSasText } from './account-sas.ts';
import type { Clauses } from './shared-access.ts';
import { tableSasText } from './table-sas.ts';

export interface Signer {
  readonly account: string;
  /** Base64. */
  readonly key: string;
}

export interface SharedAccess {
  /** Letters, in any order. */
  readonly permissions: string;
  readonly expiresMs: number;
}

/** Read by every emulator and account there is; of the clauses since then none is needed here. */
const signedVersion = '2019-02-02';

/** Everything that a signature can allow with tables, in the order that the service has and, for a table, insists on. */
export const permissionLetters = { account: 'rwdlacu', table: 'raud' } as const;

/** A signature for the entities of a table, as a query without its question mark. */
export function signTableSas(table: string, access: SharedAccess, signer: Signer): string {
  const clauses = new Map([
    ['sv', signedVersion],
    ['tn', table],
    ['sp', ordered(access.permissions, permissionLetters.table)],
    ['se', dateOf(access)],
  ]);
  return signedQuery(clauses, tableSasText(signer.account, clauses), signer);
}

/** A signature for all tables of an account and its service, as a query without its question mark. */
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
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
  return [...clauses, ['sig', signature] as const]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

const ordered = (letters: string, order: string): string =>
  [...order].filter((letter) => letters.includes(letter)).join('');

/** Whole seconds: with more the service refuses it. */
const dateOf = ({ expiresMs }: SharedAccess): string => `${new Date(expiresMs).toISOString().slice(0, 19)}Z`;

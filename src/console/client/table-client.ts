// Tables, their access policies, and transactions.

import type { PoliciesReport } from '../../control/data/policies.ts';
import { transactionRefusal } from '../../data/copy/transaction-body.ts';
import { entityPath, readTablePage, type TableNamesPage } from '../../data/table-client.ts';
import type { SignedIdentifier } from '../../model/access-policy.ts';
import type { EntityKey } from '../../model/entity.ts';
import { api } from './api.ts';
import { askService } from './data-plane.ts';

/** One page of the tables of an account, by name. */
export const listTables = (account: string, next?: string): Promise<TableNamesPage> =>
  readTablePage((request) => askService(account, request), next);

/** The access policies of a table, from the control plane: the service returns them only to the account key. */
export async function getTablePolicies(account: string, table: string): Promise<readonly SignedIdentifier[]> {
  const path = `policies/${encodeURIComponent(table)}`;
  return (await api<PoliciesReport>(path, { query: { account } })).signedIdentifiers;
}

export async function setTablePolicies(
  account: string,
  table: string,
  signedIdentifiers: readonly SignedIdentifier[],
): Promise<void> {
  const path = `policies/${encodeURIComponent(table)}`;
  await api(path, { method: 'PUT', query: { account }, body: { signedIdentifiers } });
}

/** An operation of a transaction. */
export interface TransactionPart {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absent for an insert. */
  readonly key?: EntityKey;
  /** The entity as JSON, as `entityJson` renders it. */
  readonly body?: string;
  /** Absent for an insert and for an upsert. */
  readonly etag?: string;
}

/**
 * Runs operations on entities of one partition: all operations, or none. If the service refuses an operation, throws a
 * ServiceRefusal. The message of the ServiceRefusal begins with the index of the refused operation, as in the response
 * of the service.
 */
export async function runTransaction(account: string, table: string, parts: readonly TransactionPart[]): Promise<void> {
  const [batch, changeset] = ['batch_console', 'changeset_console'];
  const base = `${window.location.origin}/${account}/`;
  const operations = parts.map((part) => `--${changeset}\r\n${renderPart(part, { base, table })}`).join('');
  const body = [
    `--${batch}`,
    `Content-Type: multipart/mixed; boundary=${changeset}`,
    '',
    `${operations}--${changeset}--`,
    `--${batch}--`,
    '',
  ].join('\r\n');
  const response = await askService(account, {
    method: 'POST',
    path: '$batch',
    body,
    headers: { 'Content-Type': `multipart/mixed; boundary=${batch}`, Accept: 'multipart/mixed' },
  });
  const refusal = transactionRefusal(response, parts.length);
  if (refusal) throw refusal;
}

function renderPart(part: TransactionPart, { base, table }: { readonly base: string; readonly table: string }): string {
  const { method, key, body = '', etag } = part;
  const url = `${base}${key ? entityPath(table, key) : encodeURIComponent(table)}`;
  const head = [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `${method} ${url} HTTP/1.1`,
    'Accept: application/json;odata=minimalmetadata',
    'DataServiceVersion: 3.0',
    ...(method === 'POST' ? ['Prefer: return-no-content'] : []),
    ...(etag === undefined ? [] : [`If-Match: ${etag}`]),
    ...(body === '' ? [] : ['Content-Type: application/json']),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}\r\n`;
}

// Tables, their access policies, and transactions.

import type { PoliciesReport } from '../../control/data/policies.ts';
import type { SignedIdentifier } from '../../model/access-policy.ts';
import { api } from './api.ts';
import { askService, type EntityKey, entityPath, refusalOf } from './data-plane.ts';
import { parseJson } from './edm.ts';

export interface TablePage {
  readonly tables: readonly string[];
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

/** One page of the tables of an account, by name. */
export async function listTables(account: string, next?: string): Promise<TablePage> {
  const { text, headers } = await askService(account, {
    method: 'GET',
    path: 'Tables',
    query: { NextTableName: next },
  });
  const { value } = parseJson(text) as { readonly value: readonly { readonly TableName: string }[] };
  return {
    tables: value.map(({ TableName }) => TableName),
    next: headers.get('x-ms-continuation-nexttablename') ?? undefined,
  };
}

export async function createTable(account: string, name: string): Promise<void> {
  const headers = { Prefer: 'return-no-content' };
  await askService(account, { method: 'POST', path: 'Tables', body: JSON.stringify({ TableName: name }), headers });
}

export async function deleteTable(account: string, name: string): Promise<void> {
  await askService(account, { method: 'DELETE', path: `Tables('${encodeURIComponent(name)}')` });
}

/** The access policies of a table, by the control plane: the service gives them for an account key only. */
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
  /** What `entityJson` gives. */
  readonly body?: string;
  /** Absent for an insert and for an upsert. */
  readonly etag?: string;
}

/** Limit: docs, Performing entity group transactions. */
export const transactionPartsMax = 100;

/**
 * Runs operations on entities of one partition, all or none. Throws the ServiceError of the operation that was refused; its
 * message begins with the index of the operation, as the service has it.
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
  throwRefusal(response.text, response.headers);
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

/** The response is 202 whatever happened; one that refuses holds one inner response. */
function throwRefusal(text: string, headers: Headers): void {
  const inner = /HTTP\/1\.1 ([45]\d\d) .*?\r\n\r\n(.*?)\r\n--/s.exec(text);
  if (inner) throw refusalOf({ status: Number(inner[1]), headers, text: (inner[2] ?? '').trim() });
}

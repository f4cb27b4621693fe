// The requests of operations, as they are sent.

import { hmac } from '../support/sign.mjs';
import type { Row } from './model.ts';
import type { Place, RowWrite } from './operations.ts';
import { rowKinds } from './operations.ts';

export interface WireCall {
  /** The account, if the request is for the table service. Absent for the control plane. */
  readonly account?: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the path already contains a signature. */
  readonly isSigned?: boolean;
}

const xml = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
export const propertiesPath = '/?restype=service&comp=properties';

/** The values that a write puts into a row. */
export function valuesOf({ number, hasExtra }: RowWrite): Row {
  return { Value: `v${number}`, Kind: number % rowKinds, ...(hasExtra && { Extra: `x${number}` }) };
}

export function entityPath(table: string, row: string): string {
  const [partition = '', name = ''] = row.split('/');
  return `/${table}(PartitionKey='${partition}',RowKey='${name}')`;
}

const verbs = { insert: 'POST', replace: 'PUT', merge: 'MERGE', delete: 'DELETE' } as const;

/** A request that writes a row. `etag` is the version that the row must have. */
export function writeCall({ account, table }: Place, write: RowWrite, etag: string | undefined): WireCall {
  const { verb, row } = write;
  const [PartitionKey, RowKey] = row.split('/');
  const condition = etag ?? (verb === 'delete' ? '*' : undefined);
  const body = verb === 'insert' ? { PartitionKey, RowKey, ...valuesOf(write) } : valuesOf(write);
  return {
    account,
    method: verbs[verb],
    path: verb === 'insert' ? `/${table}` : entityPath(table, row),
    headers: { ...(condition !== undefined && { 'If-Match': condition }), Prefer: 'return-no-content' },
    ...(verb !== 'delete' && { body: JSON.stringify(body) }),
  };
}

/** A transaction of writes. */
export function batchCall(account: string, calls: readonly WireCall[]): WireCall {
  const parts = calls.map(({ method, path, headers = {}, body }) => {
    const fields = {
      Accept: 'application/json;odata=minimalmetadata',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
    return `--changes\r\n${head}${method} http://127.0.0.1:10002/${account}${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}\r\n`;
  });
  const changeset = `Content-Type: multipart/mixed; boundary=changes\r\n\r\n${parts.join('')}--changes--\r\n`;
  return {
    account,
    method: 'POST',
    path: '/$batch',
    headers: { 'Content-Type': 'multipart/mixed; boundary=batch' },
    body: `--batch\r\n${changeset}--batch--\r\n`,
  };
}

/** A read with a signature that has no permissions itself but refers to a policy of the table. */
export function signedGet({ account, table }: Place, row: string, policy: string): WireCall {
  const version = '2019-02-02';
  const text = ['', '', '', `/table/${account}/${table.toLowerCase()}`, policy, '', '', version, '', '', '', ''];
  const query = { sv: version, tn: table, si: policy, sig: hmac(text.join('\n')) };
  return {
    account,
    method: 'GET',
    path: `${entityPath(table, row)}?${new URLSearchParams(query)}`,
    isSigned: true,
  };
}

const expiry = '2090-01-01T00:00:00Z';

export const policyOf = (id: string): object => ({ id, expiry, permission: 'raud' });

export function policyCall({ account, table }: Place, id: string): WireCall {
  const policy = `<Expiry>${expiry}</Expiry><Permission>raud</Permission>`;
  const one = `<SignedIdentifier><Id>${id}</Id><AccessPolicy>${policy}</AccessPolicy></SignedIdentifier>`;
  const body = `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>${one}</SignedIdentifiers>`;
  return { account, method: 'PUT', path: `/${table}?comp=acl`, headers: xml, body };
}

export function ageCall(account: string, age: number): WireCall {
  const rule = `<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>${age}</MaxAgeInSeconds><ExposedHeaders/><AllowedHeaders/></CorsRule>`;
  const body = `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Cors>${rule}</Cors></StorageServiceProperties>`;
  return { account, method: 'PUT', path: propertiesPath, headers: xml, body };
}

export function controlCall(method: string, path: string, body?: object | string): WireCall {
  return {
    method,
    path: `/_emulator/${path}`,
    ...(typeof body === 'string' && { headers: { 'Content-Type': 'application/x-ndjson' } }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

// Turns a recorded request into the request that is sent to another endpoint.

import { createHash } from 'node:crypto';
import type { TableEndpoint } from '../data/table-endpoint.ts';
import { isTableName } from '../model/table-name.ts';
import type { Address } from '../protocol/address.ts';
import { bodyBytes, type Exchange, headerIn } from './exchange.ts';
import {
  addressIn,
  pairsIn,
  pathBelow,
  type QueryPairs,
  queryText,
  type Rewriting,
  renamedInnerTarget,
  renamedPairs,
  renamedPath,
} from './rewrite-address.ts';
import { authorizationFor, isSharedAccess, renewSharedAccess, withoutSharedAccess } from './sign-again.ts';

export interface RepeatedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The recorded address. */
  readonly address: Address;
  /** The table that the request creates or deletes, by its name at the endpoint. */
  readonly createsTable: string | undefined;
  readonly deletesTable: string | undefined;
}

/** Why a request is not repeated. */
export class NotRepeatable extends Error {}

export interface Repeating extends Omit<Rewriting, 'root'> {
  readonly endpoint: TableEndpoint;
  /** Whether the endpoint is on this machine. Requests that change an entire account are not sent to other machines. */
  readonly isOfThisMachine: boolean;
  readonly nowMs: number;
}

/** The request for the endpoint. Throws NotRepeatable. */
export function repeatRequest(exchange: Exchange, repeating: Repeating): RepeatedRequest {
  const { request } = exchange;
  refuseUnrepeatable(exchange);
  const address = readAddress(request.url);
  const pairs = pairsIn(request.url);
  refuseAccountWide(request.method, address, { pairs, repeating });
  const { names } = repeating;
  const rewriting = { ...repeating, root: rootOf(repeating.endpoint, address.secondary) };
  const below = renamedPath(pathBelow(address), address, names);
  const body = bodyThere(exchange, address, rewriting);
  const deletesTable =
    verbOf(exchange) === 'DELETE' && address.resource.kind === 'table' ? address.resource.table.name : undefined;
  refuseUnknownTable(exchange, address);
  const head = { path: `${rewriting.root}${below}`, pairs: renamedPairs(pairs, address, rewriting), body };
  const { headers, pairs: signedPairs } = headersThere(exchange, head, repeating);
  return {
    method: request.method,
    target: `${head.path || '/'}${queryText(signedPairs)}`,
    headers,
    body: body.bytes,
    address,
    createsTable: body.createsTable,
    deletesTable: deletesTable && names.there(address.account, deletesTable),
  };
}

function refuseUnrepeatable({ response, request, _fault }: Exchange): void {
  if (_fault !== undefined) throw new NotRepeatable('a fault was staged in place of the response');
  if (response.status < 100 || response.status === 499 || response.status === 444)
    throw new NotRepeatable('it has no recorded response');
  const authorization = headerIn(request.headers, 'authorization') ?? '';
  if (/^bearer /i.test(authorization) && (response.status === 401 || response.status === 403))
    throw new NotRepeatable('its token was refused, and tokens are not in a recording');
  const isSigned = authorization !== '' || isSharedAccess(pairsIn(request.url));
  if (isSigned && response.status === 403 && codeOf(response) === 'AuthenticationFailed')
    throw new NotRepeatable('its signature was refused, and signatures are not in a recording');
  if (Object.hasOwn(request.postData ?? {}, 'comment') && !request.postData?.text)
    throw new NotRepeatable('its body is not in the archive');
}

const codeOf = ({ content, headers }: Exchange['response']): string | undefined =>
  headerIn(headers, 'x-ms-error-code') ??
  /<(?:\w+:)?code>(\w+)<|"code"\s*:\s*"(\w+)"/i
    .exec(content.text ?? '')
    ?.slice(1)
    .find(Boolean);

function readAddress(url: string): Address {
  try {
    return addressIn(url);
  } catch {
    throw new NotRepeatable('its address names no account');
  }
}

interface AccountWide {
  readonly pairs: QueryPairs;
  readonly repeating: Repeating;
}

function refuseAccountWide(method: string, { resource, query }: Address, { repeating }: AccountWide): void {
  if (repeating.isOfThisMachine) return;
  const isProperties = resource.kind === 'service' && query.options.get('comp') === 'properties';
  if (isProperties || method === 'OPTIONS')
    throw new NotRepeatable('it is about the settings of the account, which are not changed beyond this machine');
}

/** Refuses to delete a table that this module cannot rename: it might be a table that the endpoint had before. */
function refuseUnknownTable(exchange: Exchange, { resource }: Address): void {
  if (verbOf(exchange) !== 'DELETE' || resource.kind !== 'unreadable') return;
  throw new NotRepeatable('it deletes something that its address does not name clearly');
}

const verbOf = ({ request }: Exchange): string =>
  (headerIn(request.headers, 'x-http-method') ?? request.method).toUpperCase();

function rootOf({ url }: TableEndpoint, secondary: boolean): string {
  const path = new URL(url).pathname.replace(/\/+$/, '');
  return secondary && path !== '' ? `${path}-secondary` : path;
}

interface BodyThere {
  readonly bytes: Buffer | undefined;
  readonly createsTable: string | undefined;
}

function bodyThere({ request }: Exchange, address: Address, rewriting: Rewriting): BodyThere {
  const { postData, method } = request;
  if (postData?.text === undefined || postData.text === '') {
    return {
      bytes: /^(?:GET|HEAD|DELETE|OPTIONS)$/i.test(method) ? undefined : Buffer.alloc(0),
      createsTable: undefined,
    };
  }
  const bytes = bodyBytes(postData);
  const { kind } = address.resource;
  if (kind === 'batch') return { bytes: batchThere(bytes, address, rewriting), createsTable: undefined };
  if (kind === 'tables' && method.toUpperCase() === 'POST') return creationThere(bytes, address, rewriting);
  return { bytes, createsTable: undefined };
}

/** The body of `POST /Tables` for the endpoint, in JSON or Atom. */
function creationThere(bytes: Buffer, { account }: Address, { names }: Rewriting): BodyThere {
  const text = bytes.toString('utf8');
  const member = /("TableName"\s{0,16}:\s{0,16}")([^"\\]*)(")|(<(?:\w{1,16}:)?TableName(?:\s[^>]{0,256})?>)([^<]*)(<)/;
  const [, , json, , , atom] = member.exec(text) ?? [];
  const name = json ?? atom;
  // A table whose name is written with escapes cannot be renamed.
  if (name === undefined && /TableName|\\u/i.test(text))
    throw new NotRepeatable('the name of its table cannot be found in its body');
  if (name === undefined || !isTableName(name)) return { bytes, createsTable: undefined };
  const createsTable = names.there(account, name);
  const renamed = text.replace(member, (_, ...groups: (string | undefined)[]) =>
    groups[0] === undefined ? `${groups[3]}${createsTable}${groups[5]}` : `${groups[0]}${createsTable}${groups[2]}`,
  );
  return { bytes: Buffer.from(renamed), createsTable };
}

/** The body of a batch for the endpoint. Only lines with addresses and ETags change. */
function batchThere(bytes: Buffer, address: Address, rewriting: Rewriting): Buffer {
  const text = bytes
    .toString('latin1')
    .replace(
      /^([A-Za-z]{1,16} +)(\S[^\r\n]*?)( +HTTP\/\d\.\d[ \t]*)$/gm,
      (_, method: string, target: string, version: string) =>
        `${method}${renamedInnerTarget(target, address, rewriting)}${version}`,
    )
    .replace(
      /^(If-Match:[ \t]*)([^\r\n]*)/gim,
      (_, name: string, etag: string) => name + (rewriting.learned.there(etag.trim()) ?? etag),
    );
  return Buffer.from(text, 'latin1');
}

/** Headers that are not repeated: those of a connection or of HTTP/2, and those that differ with each request. */
const ownHeaders =
  /^(?::.*|host|connection|keep-alive|proxy-.*|transfer-encoding|content-length|content-md5|expect|authorization|accept-encoding|cookie|date|x-ms-date|te|upgrade|x-emulator-.*|sec-.*)$/;

interface Head {
  readonly path: string;
  readonly pairs: QueryPairs;
  readonly body: BodyThere;
}

function headersThere(
  exchange: Exchange,
  { path, pairs, body }: Head,
  { endpoint, learned, names, nowMs }: Repeating,
): { headers: Record<string, string>; pairs: QueryPairs } {
  const { request, response } = exchange;
  const headers: Record<string, string> = {};
  for (const { name, value } of request.headers)
    if (!ownHeaders.test(name.toLowerCase())) headers[name.toLowerCase()] = value;
  const { 'if-match': etag } = headers;
  // The endpoint does not know an ETag from before the recording.
  if (etag !== undefined) headers['if-match'] = learned.there(etag) ?? (response.status < 300 ? '*' : etag);
  const bytes = body.bytes;
  const hasDigest = headerIn(request.headers, 'content-md5') !== undefined;
  if (hasDigest && bytes) headers['content-md5'] = createHash('md5').update(bytes).digest('base64');
  if (bytes) headers['content-length'] = String(bytes.length);
  const date = new Date(nowMs).toUTCString();
  const dateHeader =
    headerIn(request.headers, 'x-ms-date') === undefined && headerIn(request.headers, 'date') !== undefined
      ? 'date'
      : 'x-ms-date';
  headers[dateHeader] = date;
  const { credential } = endpoint;
  const rest = withoutSharedAccess(pairs);
  if (credential.kind === 'signature') return { headers, pairs: [...rest, ...pairsIn(`?${credential.query}`)] };
  if (isSharedAccess(pairs)) {
    const { account } = addressIn(request.url);
    const renewal = {
      laterByMs: nowMs - Date.parse(exchange.startedDateTime),
      renamed: (table: string) => names.there(account, table),
    };
    return { headers, pairs: renewedOrRefused(pairs, renewal, credential) };
  }
  const scheme = headerIn(request.headers, 'authorization');
  // The request had no Authorization and was refused, or a program removed it from the archive.
  if (scheme === undefined && (response.status === 401 || response.status === 403)) return { headers, pairs };
  const parts = {
    method: request.method,
    path,
    pairs,
    date,
    contentMd5: headers['content-md5'] ?? '',
    contentType: headers['content-type'] ?? '',
  };
  headers['authorization'] = authorizationFor({ ...parts, isLite: !/^sharedkey /i.test(scheme ?? '') }, credential);
  return { headers, pairs };
}

function renewedOrRefused(...args: Parameters<typeof renewSharedAccess>): QueryPairs {
  try {
    return renewSharedAccess(...args);
  } catch {
    throw new NotRepeatable('its shared access signature is not percent-encoded');
  }
}

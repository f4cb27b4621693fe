// The client of the table service: the console reads and changes data as every other client does, with a signature that the
// control plane hands out for some minutes.

import { ApiError, api } from './api.ts';
import { consoleIdPrefix } from './console-id.ts';
import { type Entity, entityJson, entityOf, parseJson } from './edm.ts';

/** The service refused a request. */
export class ServiceError extends Error {
  readonly status: number;
  /** The service's, such as `UpdateConditionNotSatisfied`. */
  readonly code: string;
  /** Sentences of the emulator: why. */
  readonly why: readonly string[];

  constructor({ status, code, message, why }: Pick<ServiceError, 'status' | 'code' | 'message' | 'why'>) {
    super(message);
    this.status = status;
    this.code = code;
    this.why = why;
  }
}

export interface ServiceRequest {
  readonly method: string;
  /** Below the account, percent-encoded: `pets(PartitionKey='a',RowKey='b')`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** From sending the request until the body was there. */
  readonly durationMs: number;
}

interface Signature {
  readonly query: string;
  readonly usableUntilMs: number;
}

interface SignatureResponse {
  readonly signature: string;
  readonly expiresInSeconds: number;
}

const signatures = new Map<string, Promise<Signature>>();
/** A signature is renewed this long before it expires. */
const marginMs = 60_000;

async function signatureOf(account: string): Promise<string> {
  const known = await signatures.get(account)?.catch(() => undefined);
  if (known && performance.now() < known.usableUntilMs) return known.query;
  const asked = performance.now();
  const asking = api<SignatureResponse>('signature', { method: 'POST', body: { account } }).then(
    ({ signature, expiresInSeconds }) => ({
      query: signature,
      usableUntilMs: asked + expiresInSeconds * 1000 - marginMs,
    }),
  );
  signatures.set(account, asking);
  return (await asking).query;
}

/** Sends a request and gives its response, refusals too. Throws ApiError if there is none. */
export async function sendToService(account: string, request: ServiceRequest): Promise<ServiceResponse> {
  const wasKnown = signatures.has(account);
  const response = await sendOnce(account, request);
  if (response.status !== 403) return response;
  signatures.delete(account);
  // A signature may end early: the machine slept, or the emulator was started anew with another key.
  return wasKnown ? sendOnce(account, request) : response;
}

async function sendOnce(account: string, request: ServiceRequest): Promise<ServiceResponse> {
  const { method, path, query = {}, headers = {}, body, signal: abort } = request;
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const parts = [...given, await signatureOf(account)].join('&');
  const startedMs = performance.now();
  const response = await fetch(`${window.location.origin}/${account}/${path}?${parts}`, {
    method,
    headers: {
      'x-ms-version': '2019-02-02',
      'x-ms-client-request-id': `${consoleIdPrefix}${Math.random().toString(36).slice(2, 10)}`,
      DataServiceVersion: '3.0',
      Accept: 'application/json;odata=minimalmetadata',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(abort ? { signal: abort } : {}),
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (abort?.aborted) throw error;
    throw new ApiError('Unreachable', 0, 'The emulator does not answer. Is it still running?');
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, durationMs: performance.now() - startedMs };
}

/** Sends a request. Throws ServiceError unless it succeeds, and ApiError if there is no response. */
export async function askService(account: string, request: ServiceRequest): Promise<ServiceResponse> {
  const response = await sendToService(account, request);
  if (response.status >= 200 && response.status <= 299) return response;
  throw refusalOf(response);
}

/** The error in a response that refuses. */
export function refusalOf({
  status,
  headers,
  text,
}: Pick<ServiceResponse, 'status' | 'headers' | 'text'>): ServiceError {
  const [code, message] = text.startsWith('{') ? jsonError(text) : xmlError(text);
  return new ServiceError({
    status,
    code: code || headers.get('x-ms-error-code') || 'Unknown',
    message: message || `The service answered ${status}.`,
    why: whyOf(headers),
  });
}

/** What the emulator adds to a refusal. */
function whyOf(headers: Headers): readonly string[] {
  try {
    return JSON.parse(headers.get('x-emulator-why') ?? '[]') as string[];
  } catch {
    return [];
  }
}

function jsonError(text: string): readonly [string, string] {
  try {
    const body = JSON.parse(text) as Record<string, { code?: string; message?: { value?: string } } | undefined>;
    const { code = '', message } = body['odata.error'] ?? {};
    return [code, sentenceOf(message?.value ?? '')];
  } catch {
    return ['', ''];
  }
}

function xmlError(text: string): readonly [string, string] {
  const body = new DOMParser().parseFromString(text, 'application/xml');
  const textOf = (name: string): string => body.getElementsByTagNameNS('*', name)[0]?.textContent ?? '';
  return [textOf('code') || textOf('Code'), sentenceOf(textOf('message') || textOf('Message'))];
}

/** The message without the lines about the id and the time of the request. */
const sentenceOf = (message: string): string => message.split('\n')[0]?.trim() ?? '';

export interface Continuation {
  readonly partitionKey: string;
  readonly rowKey: string | undefined;
}

export interface EntityQuery {
  readonly filter?: string;
  /** Names of properties; all where absent. */
  readonly select?: readonly string[];
  /** Entities at most on this page; 1,000 where absent. */
  readonly top?: number;
  /** Where the page before ended. */
  readonly next?: Continuation;
  /** Whether the response has Server-Timing: how the query was carried out. */
  readonly isExplained?: boolean;
  readonly signal?: AbortSignal;
}

export interface EntityPage {
  readonly entities: readonly Entity[];
  /** Undefined after the last page. A page may be empty and have one. */
  readonly next: Continuation | undefined;
  readonly response: ServiceResponse;
}

/** One page of a query. */
export async function queryEntities(account: string, table: string, query: EntityQuery = {}): Promise<EntityPage> {
  const { filter, select, top, next, isExplained, signal: abort } = query;
  const response = await askService(account, {
    method: 'GET',
    path: `${encodeURIComponent(table)}()`,
    query: {
      $filter: filter === '' ? undefined : filter,
      $select: select?.length ? select.join(',') : undefined,
      $top: top === undefined ? undefined : String(top),
      NextPartitionKey: next?.partitionKey,
      NextRowKey: next?.rowKey,
    },
    ...(isExplained && { headers: { 'x-emulator-explain': 'true' } }),
    ...(abort ? { signal: abort } : {}),
  });
  const { value } = parseJson(response.text) as { readonly value: readonly Record<string, unknown>[] };
  const partitionKey = response.headers.get('x-ms-continuation-nextpartitionkey');
  const rowKey = response.headers.get('x-ms-continuation-nextrowkey') ?? undefined;
  return {
    entities: value.map(entityOf),
    next: partitionKey === null ? undefined : { partitionKey, rowKey },
    response,
  };
}

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** Path of an entity below the account, percent-encoded. */
export const entityPath = (table: string, { partitionKey, rowKey }: EntityKey): string =>
  `${encodeURIComponent(table)}(PartitionKey=${quoteKey(partitionKey)},RowKey=${quoteKey(rowKey)})`;

const quoteKey = (key: string): string => `'${encodeURIComponent(key.replaceAll("'", "''"))}'`;

export async function getEntity(account: string, table: string, key: EntityKey): Promise<Entity> {
  const { text, headers } = await askService(account, { method: 'GET', path: entityPath(table, key) });
  const entity = entityOf(parseJson(text) as Record<string, unknown>);
  return { ...entity, etag: headers.get('etag') ?? entity.etag };
}

type Written = Omit<Entity, 'timestamp' | 'etag'>;

/** Refused with EntityAlreadyExists if there is one of these keys. */
export async function insertEntity(account: string, table: string, entity: Written): Promise<void> {
  const headers = { Prefer: 'return-no-content' };
  await askService(account, { method: 'POST', path: encodeURIComponent(table), body: entityJson(entity), headers });
}

export interface Update {
  readonly entity: Written;
  readonly mode: 'replace' | 'merge';
  /** Refused with UpdateConditionNotSatisfied if the entity has another by now. */
  readonly etag: string;
}

/** Returns the new ETag. */
export async function updateEntity(account: string, table: string, { entity, mode, etag }: Update): Promise<string> {
  const { headers } = await askService(account, {
    method: mode === 'replace' ? 'PUT' : 'PATCH',
    path: entityPath(table, entity),
    body: entityJson(entity),
    headers: { 'If-Match': etag },
  });
  return headers.get('etag') ?? '';
}

/** With the ETag `*` in any state. */
export async function deleteEntity(account: string, table: string, { key, etag }: { key: EntityKey; etag: string }) {
  await askService(account, { method: 'DELETE', path: entityPath(table, key), headers: { 'If-Match': etag } });
}

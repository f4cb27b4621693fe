// The client of the table service. The console reads and changes data as every other client does. For the console, the
// control plane issues a signature that is valid for a few minutes.

import { splitFeed } from '../../data/entity-text.ts';
import {
  type Continuation,
  continuationIn,
  entityPath,
  queryPath,
  successOf,
  type TableClient,
  tableClientOver,
} from '../../data/table-client.ts';
import { type EndpointRequest, type EndpointResponse, formatHeaders } from '../../data/table-exchange.ts';
import { consoleIdPrefix } from '../../model/console-id.ts';
import type { EntityKey } from '../../model/entity.ts';
import { ApiError, api } from './api.ts';
import { entityOf, type ShownEntity, type WrittenEntity, writtenEntityJson } from './edm.ts';

export interface ServiceRequest extends EndpointRequest {
  readonly signal?: AbortSignal;
}

export interface ServiceResponse extends EndpointResponse {
  /** From sending the request until the complete response had arrived. */
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

/** Sends a request and returns its response, even a refusal. Throws ApiError if there is no response. */
export async function sendToService(account: string, request: ServiceRequest): Promise<ServiceResponse> {
  const wasKnown = signatures.has(account);
  const response = await sendOnce(account, request);
  if (response.status !== 403) return response;
  signatures.delete(account);
  // A signature may end early: the machine slept, or the emulator was restarted with another key.
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
      ...formatHeaders,
      'x-ms-client-request-id': `${consoleIdPrefix}${Math.random().toString(36).slice(2, 10)}`,
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
  const durationMs = performance.now() - startedMs;
  return { status: response.status, headers: Object.fromEntries(response.headers), body: text, durationMs };
}

/**
 * Sends a request. Throws ServiceRefusal or NoTableService if the request fails, and ApiError if there is no response.
 */
export async function askService(account: string, request: ServiceRequest): Promise<ServiceResponse> {
  const response = await sendToService(account, request);
  successOf(response);
  return response;
}

/** The table client that the commands also use, here over the browser's requests. */
export const tableClient = (account: string): TableClient => tableClientOver((request) => askService(account, request));

export interface PageQuery {
  readonly filter?: string;
  /** Names of properties. If absent, all properties. */
  readonly select?: readonly string[];
  /** Maximum number of entities on this page; 1,000 if absent. */
  readonly top?: number;
  /** Where the previous page ended. */
  readonly next?: Continuation;
  /** Whether to ask for Server-Timing, which says how the query was carried out. */
  readonly isExplained?: boolean;
  readonly signal?: AbortSignal;
}

export interface ShownEntityPage {
  readonly entities: readonly ShownEntity[];
  /** Where the next page begins; undefined after the last page. Even an empty page may have a next page. */
  readonly next: Continuation | undefined;
  readonly response: ServiceResponse;
}

/** One page of a query. */
export async function fetchPage(account: string, table: string, query: PageQuery = {}): Promise<ShownEntityPage> {
  const { filter, select, top, next, isExplained, signal: abort } = query;
  const response = await askService(account, {
    method: 'GET',
    path: queryPath(table),
    query: {
      $filter: filter === '' ? undefined : filter,
      $select: select?.length ? select.join(',') : undefined,
      $top: top === undefined ? undefined : String(top),
      ...next,
    },
    ...(isExplained && { headers: { 'x-emulator-explain': 'true' } }),
    ...(abort ? { signal: abort } : {}),
  });
  return { entities: splitFeed(response.body).map(entityOf), next: continuationIn(response.headers), response };
}

export async function fetchEntity(account: string, table: string, key: EntityKey): Promise<ShownEntity> {
  const { body, headers } = await askService(account, { method: 'GET', path: entityPath(table, key) });
  const entity = entityOf(body);
  return { ...entity, etag: etagIn(headers) || entity.etag };
}

const etagIn = ({ etag }: ServiceResponse['headers']): string => (typeof etag === 'string' ? etag : '');

/** Inserts an entity. The service refuses with EntityAlreadyExists if an entity already has these keys. */
export async function sendInsert(account: string, table: string, entity: WrittenEntity): Promise<void> {
  const headers = { Prefer: 'return-no-content' };
  await askService(account, {
    method: 'POST',
    path: encodeURIComponent(table),
    body: writtenEntityJson(entity),
    headers,
  });
}

export interface Update {
  readonly entity: WrittenEntity;
  readonly mode: 'replace' | 'merge';
  /** If the entity has a different ETag by now, the service refuses with UpdateConditionNotSatisfied. */
  readonly etag: string;
}

/** Updates an entity and returns its new ETag. */
export async function sendUpdate(account: string, table: string, { entity, mode, etag }: Update): Promise<string> {
  const { headers } = await askService(account, {
    method: mode === 'replace' ? 'PUT' : 'PATCH',
    path: entityPath(table, entity),
    body: writtenEntityJson(entity),
    headers: { 'If-Match': etag },
  });
  return etagIn(headers);
}

/** Deletes an entity. With the ETag `*`, changes by other programs do not matter. */
export async function sendDelete(account: string, table: string, { key, etag }: { key: EntityKey; etag: string }) {
  await askService(account, { method: 'DELETE', path: entityPath(table, key), headers: { 'If-Match': etag } });
}

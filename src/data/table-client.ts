// The requests that any Table endpoint understands, an emulator as well as the service.

import type { EntityKey } from '../model/entity.ts';
import { quoteJson } from '../model/json-text.ts';
import { pageEntitiesMax } from '../model/limits.ts';
import type { Properties } from '../model/properties.ts';
import { type EntityRow, EntityTextError, entityJson, keyNames, readEntityJson, splitFeed } from './entity-text.ts';
import { type EndpointRequest, type EndpointResponse, retryAfterMs } from './table-exchange.ts';

export interface EntityQueryOptions {
  /** The text of `$filter`. */
  readonly filter?: string;
  /** Names of properties. If absent, all properties. */
  readonly select?: readonly string[];
  /** Maximum number of entities on all pages together. */
  readonly top?: number;
}

/** Every method throws ServiceRefusal, Unreachable, and NoTableService. */
export interface TableClient {
  /** Page by page, in the service's order. */
  listTables(): AsyncIterable<readonly string[]>;
  createTable(name: string): Promise<void>;
  deleteTable(name: string): Promise<void>;
  /** Page by page; a page may be empty. */
  queryEntities(table: string, query: EntityQueryOptions): AsyncIterable<readonly EntityRow[]>;
  getEntity(table: string, key: EntityKey): Promise<EntityRow>;
  /** Inserts the entity, replaces it, or merges the properties into it. */
  upsertEntity(table: string, key: EntityKey, write: EntityUpsert): Promise<void>;
  /** Deletes the entity regardless of its ETag. */
  deleteEntity(table: string, key: EntityKey): Promise<void>;
}

export interface EntityUpsert {
  readonly mode: 'replace' | 'merge';
  /** The properties without the keys. */
  readonly properties: Properties;
}

/** The service refused a request. The message is the service's. */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly code: string;
  /** The reasons that an emulator gives, as sentences. */
  readonly reasons: readonly string[];
  /** How long the service asks to wait, if it does. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: string,
    { message, reasons, retryAfterMs }: Pick<ServiceRefusal, 'message' | 'reasons' | 'retryAfterMs'>,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.reasons = reasons;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer did not come from a Table service. The message describes it. */
export class NoTableService extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A client that sends its requests through `ask`. */
export function tableClientOver(ask: Ask): TableClient {
  return {
    listTables: () => listTables(ask),
    async createTable(name) {
      const body = `{"TableName":${quoteJson(name)}}`;
      await ask({ method: 'POST', path: 'Tables', body, headers: { Prefer: 'return-no-content' } });
    },
    async deleteTable(name) {
      await ask({ method: 'DELETE', path: `Tables(${quoteKey(name)})` });
    },
    queryEntities: (table, query) => queryEntities(ask, table, query),
    async getEntity(table, key) {
      const { status, body } = await ask({ method: 'GET', path: entityPath(table, key) });
      return readBody(status, () => readEntityJson(body));
    },
    async upsertEntity(table, key, { mode, properties }) {
      const row: EntityRow = new Map([
        ['PartitionKey', { type: 'Edm.String', value: key.partitionKey }],
        ['RowKey', { type: 'Edm.String', value: key.rowKey }],
        ...properties,
      ]);
      const method = mode === 'replace' ? 'PUT' : 'PATCH';
      await ask({ method, path: entityPath(table, key), body: entityJson(row) });
    },
    async deleteEntity(table, key) {
      await ask({ method: 'DELETE', path: entityPath(table, key), headers: { 'If-Match': '*' } });
    },
  };
}

/** Sends a request. If it fails, throws the same errors as the methods of a client. */
export type Ask = (request: EndpointRequest) => Promise<EndpointResponse>;

/** The response of a request that succeeded. Throws ServiceRefusal and NoTableService. */
export function successOf(response: EndpointResponse): EndpointResponse {
  if (response.status < 200 || response.status > 299) throw refusalOf(response);
  return response;
}

export interface TableNamesPage {
  readonly tables: readonly string[];
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

/** One page of the tables, from the first one or from a continuation. */
export async function readTablePage(ask: Ask, next?: string): Promise<TableNamesPage> {
  const { status, headers, body } = await ask({ method: 'GET', path: 'Tables', query: { NextTableName: next } });
  const nameIn = (text: string): string => String(readEntityJson(text).get('TableName')?.value ?? '');
  const tables = readBody(status, () => splitFeed(body).map(nameIn));
  return { tables, next: headerOf(headers, 'nexttablename') };
}

async function* listTables(ask: Ask): AsyncGenerator<readonly string[]> {
  let next: string | undefined;
  do {
    const page = await readTablePage(ask, next);
    yield page.tables;
    next = page.next;
  } while (next !== undefined);
}

async function* queryEntities(
  ask: Ask,
  table: string,
  query: EntityQueryOptions,
): AsyncGenerator<readonly EntityRow[]> {
  const { filter, select, top = Number.POSITIVE_INFINITY } = query;
  let left = top;
  let next: Continuation | undefined;
  do {
    const options = {
      $filter: filter,
      $select: select?.join(','),
      $top: left < pageEntitiesMax ? String(left) : undefined,
    };
    const page = await readPage(ask, table, { options, next });
    yield page.rows;
    left -= page.rows.length;
    next = page.next;
  } while (next !== undefined && left > 0);
}

/** Where a query continues. */
export interface Continuation {
  readonly NextPartitionKey: string;
  readonly NextRowKey?: string | undefined;
}

export interface RowPage {
  readonly rows: readonly EntityRow[];
  /** Undefined after the last page. */
  readonly next: Continuation | undefined;
}

export interface PageRequest extends Pick<EndpointRequest, 'responseBytesMax'> {
  readonly options?: EndpointRequest['query'];
  /** Where the page begins. If absent, at the beginning of the table. */
  readonly next?: Continuation | undefined;
  /**
   * Called with each row that is not an entity, and with the reason. If this function is absent, a row that is not an
   * entity makes the read of the page fail.
   */
  readonly onUnreadable?: (text: string, reason: string) => void;
}

/** One page of a table, from its beginning or from a continuation. */
export async function readPage(
  ask: Ask,
  table: string,
  { options = {}, next, onUnreadable, ...bounds }: PageRequest,
): Promise<RowPage> {
  const request = { method: 'GET', path: queryPath(table), query: { ...options, ...next }, ...bounds } as const;
  const { status, headers, body } = await ask(request);
  const texts = readBody(status, () => splitFeed(body));
  const rows = onUnreadable
    ? texts.flatMap((text) => attemptEntity(text, onUnreadable) ?? [])
    : readBody(status, () => texts.map(readEntityJson));
  return { rows, next: continuationIn(headers) };
}

/** Where the page after a response begins; undefined after the last page. */
export function continuationIn(headers: EndpointResponse['headers']): Continuation | undefined {
  const NextPartitionKey = headerOf(headers, 'nextpartitionkey');
  if (NextPartitionKey === undefined) return undefined;
  return { NextPartitionKey, NextRowKey: headerOf(headers, 'nextrowkey') };
}

/** Reads a row as an entity. It must have its keys, because addresses need them. */
function attemptEntity(text: string, refuse: (text: string, reason: string) => void): EntityRow | undefined {
  try {
    const row = readEntityJson(text);
    const lacking = keyNames.find((name) => row.get(name)?.type !== 'Edm.String');
    if (lacking === undefined) return row;
    refuse(text, `${lacking} is missing or not a text`);
  } catch (error) {
    if (!(error instanceof EntityTextError)) throw error;
    refuse(text, error.message);
  }
  return undefined;
}

function headerOf(headers: EndpointResponse['headers'], name: string): string | undefined {
  const value = headers[`x-ms-continuation-${name}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The path of a table's entities below the endpoint, percent-encoded. */
export const queryPath = (table: string): string => `${encode(table)}()`;

/** The path of an entity below the endpoint, percent-encoded. */
export function entityPath(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `${encode(table)}(PartitionKey=${quoteKey(partitionKey)},RowKey=${quoteKey(rowKey)})`;
}

const quoteKey = (key: string): string => `'${encode(key.replaceAll("'", "''"))}'`;
const encode = encodeURIComponent;

function readBody<Value>(status: number, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof EntityTextError) throw new NoTableService(status, `status ${status}, ${error.message}`);
    throw error;
  }
}

/** The error for a failed response. */
export function refusalOf({ status, headers, body }: EndpointResponse): Error {
  const { code, message } = readErrorJson(body) ?? readErrorXml(body) ?? {};
  if (code === undefined) return new NoTableService(status, `status ${status} without an error code`);
  // The service ends its messages with the id and the time of the request.
  const text = (message ?? '').replace(/\s*RequestId:.*$/s, '');
  return new ServiceRefusal(status, code, {
    message: text,
    // An emulator without a further reason repeats the message.
    reasons: readReasons(headers['x-emulator-why']).filter((reason) => !text.includes(reason)),
    retryAfterMs: retryAfterMs(headers),
  });
}

interface ErrorText {
  readonly code?: string;
  readonly message?: string;
}

function readErrorJson(body: string): ErrorText | undefined {
  const error = (readJson(body) as { 'odata.error'?: { code?: string; message?: { value?: string } } } | undefined)?.[
    'odata.error'
  ];
  if (typeof error?.code !== 'string') return undefined;
  return { code: error.code, message: String(error.message?.value ?? '') };
}

/** Some refusals are XML, even if a client accepts only JSON. */
function readErrorXml(body: string): ErrorText | undefined {
  const [, code] = /<(?:m:)?code>([A-Za-z]+)</i.exec(body) ?? [];
  const [, message = ''] = /<(?:m:)?message[^>]*>([^<]*)</i.exec(body) ?? [];
  return code === undefined ? undefined : { code, message };
}

function readReasons(header: EndpointResponse['headers'][string]): readonly string[] {
  const reasons = typeof header === 'string' ? readJson(header) : undefined;
  return Array.isArray(reasons) ? reasons.map(String) : [];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

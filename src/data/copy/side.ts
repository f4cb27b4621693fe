// One of the two accounts of a copy, and the requests that a copy sends to this account. A request is repeated while
// the account's service is busy.

import { pageEntitiesMax } from '../../model/limits.ts';
import type { ModelTime } from '../../model/time.ts';
import { ResponseTooLong } from '../http-exchange.ts';
import { sendOnce, Unreachable } from '../send-request.ts';
import {
  type Ask,
  type Continuation,
  NoTableService,
  type RowPage,
  readPage,
  refusalOf,
  ServiceRefusal,
  successOf,
  tableClientOver,
} from '../table-client.ts';
import type { TableEndpoint } from '../table-endpoint.ts';
import type { EndpointRequest, EndpointResponse } from '../table-exchange.ts';
import { type BackOff, repeatWhileBusy } from './back-off.ts';
import { renderTransaction, transactionRefusal, transactionType, type Upsert } from './transaction-body.ts';
import { describeUnreadable, type UnreadableEntity } from './unreadable-entity.ts';

export type SideName = 'from' | 'to';

/** A request to one side failed. The cause is the error of the client. */
export class SideError extends Error {
  readonly side: SideName;
  readonly table: string | undefined;
  /** Status of the failed response; undefined if there was none. */
  readonly status: number | undefined;

  constructor(side: SideName, table: string | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.side = side;
    this.table = table;
    this.status = cause instanceof ServiceRefusal || cause instanceof NoTableService ? cause.status : undefined;
  }
}

export interface CopyPage extends RowPage {
  readonly unreadable: readonly UnreadableEntity[];
}

/** Every method throws SideError, or the signal's reason. */
export interface Side {
  readonly endpoint: TableEndpoint;
  tableNames(): Promise<readonly string[]>;
  /** Does nothing if the table exists. */
  createTable(name: string): Promise<void>;
  /** `next` is undefined for the first page. */
  readPage(table: string, next: Continuation | undefined): Promise<CopyPage>;
  isEmpty(table: string): Promise<boolean>;
  /** Inserts or replaces one entity, in a separate request. */
  put(table: string, upsert: Upsert): Promise<void>;
  /** Inserts or replaces entities of one partition, all or none. */
  transact(table: string, upserts: readonly Upsert[]): Promise<void>;
  /** The access policies of a table as the service's XML. */
  readPolicies(table: string): Promise<string>;
  writePolicies(table: string, xml: string): Promise<void>;
}

export interface SideOptions {
  readonly name: SideName;
  readonly time: Pick<ModelTime, 'nowMs' | 'after'>;
  readonly signal: AbortSignal;
  readonly onRepeat: () => void;
}

export function openSide(endpoint: TableEndpoint, { name, time, signal, onRepeat }: SideOptions): Side {
  let hasAnswered = false;
  const backOff: BackOff = { time, signal, onRepeat, hasAnswered: () => hasAnswered };
  const attempt = async (request: EndpointRequest): Promise<EndpointResponse> => {
    const response = await sendOnce(request, endpoint, time);
    hasAnswered = true;
    return successOf(response);
  };
  const ask: Ask = (request) => repeatWhileBusy(() => attempt(request), backOff);
  const client = tableClientOver(ask);
  const pageOf = pageReader(ask);
  const naming = async <Value>(table: string | undefined, run: () => Promise<Value>): Promise<Value> => {
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      throw new SideError(name, table, error);
    }
  };
  return {
    endpoint,
    tableNames: () =>
      naming(undefined, async () => {
        const names: string[] = [];
        for await (const page of client.listTables()) names.push(...page);
        return names;
      }),
    createTable: (table) => naming(table, () => createUnlessThere(client.createTable, table)),
    readPage: (table, next) => naming(table, () => pageOf(table, next)),
    isEmpty: (table) =>
      naming(table, async () => {
        let page = await pageOf(table, undefined);
        while (entitiesInPage(page) === 0 && page.next) page = await pageOf(table, page.next);
        return entitiesInPage(page) === 0;
      }),
    put: (table, { path, body }) =>
      naming(table, async () => {
        await ask({ method: 'PUT', path, body });
      }),
    transact: (table, upserts) =>
      naming(table, () => repeatWhileBusy(() => sendTransaction(attempt, endpoint.url, upserts), backOff)),
    readPolicies: (table) =>
      naming(table, async () => {
        const { body } = await ask({ ...policies(table), method: 'GET' });
        return body.replace(/^\ufeff/, '');
      }),
    writePolicies: (table, body) =>
      naming(table, async () => {
        await ask({ ...policies(table), method: 'PUT', body });
      }),
  };
}

/** Entities of a page, whether they can be read or not. */
export const entitiesInPage = ({ rows, unreadable }: CopyPage): number => rows.length + unreadable.length;

/** A page of Azure's service has at most 4 MiB of entities. As JSON, they can be longer. */
const pageBytesMax = 8 * 1_048_576;
/** After a page that was too long, this share of the number of entities is requested. */
const topFactor = 0.25;

/**
 * Returns the function that reads pages. Azurite limits the number of entities on a page, but not the size of the page.
 * If a page is too large, smaller pages are requested for the rest of the table.
 */
function pageReader(ask: Ask): Side['readPage'] {
  const tops = new Map<string, number>();
  return async (table, next) => {
    for (;;) {
      const top = tops.get(table) ?? pageEntitiesMax;
      const options = top === pageEntitiesMax ? {} : { $top: String(top) };
      try {
        const unreadable: UnreadableEntity[] = [];
        const onUnreadable = (text: string, reason: string): void =>
          void unreadable.push(describeUnreadable(text, reason));
        const page = await readPage(ask, table, { options, next, responseBytesMax: pageBytesMax, onUnreadable });
        return { ...page, unreadable };
      } catch (error) {
        if (!(error instanceof Unreachable && error.cause instanceof ResponseTooLong) || top === 1) throw error;
        tops.set(table, Math.max(1, Math.floor(top * topFactor)));
      }
    }
  };
}

async function createUnlessThere(create: (name: string) => Promise<void>, table: string): Promise<void> {
  try {
    await create(table);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.code !== 'TableAlreadyExists') throw error;
  }
}

async function sendTransaction(ask: Ask, url: string, upserts: readonly Upsert[]): Promise<void> {
  const headers = { 'Content-Type': transactionType };
  const response = await ask({ method: 'POST', path: '$batch', headers, body: renderTransaction(url, upserts) });
  const refusal = response.status === 202 ? transactionRefusal(response, upserts.length) : refusalOf(response);
  if (refusal) throw refusal;
}

const policies = (table: string) => ({
  path: encodeURIComponent(table),
  query: { comp: 'acl' },
  headers: { Accept: 'application/xml', 'Content-Type': 'application/xml' },
});

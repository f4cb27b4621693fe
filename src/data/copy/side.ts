// One of the two accounts of a copy: what a copy asks of it, each request repeated while the service is busy.

import type { ModelTime } from '../../model/time.ts';
import { sendOnce, type TableRequest, type TableResponse } from '../send-request.ts';
import {
  type Ask,
  type Continuation,
  type EntityPage,
  readPage,
  refusalOf,
  ServiceRefusal,
  successOf,
  tableClientOver,
} from '../table-client.ts';
import type { TableEndpoint } from '../table-endpoint.ts';
import { type BackOff, repeatWhileBusy } from './back-off.ts';
import { renderTransaction, transactionRefusal, transactionType, type Upsert } from './transaction-body.ts';

export type SideName = 'from' | 'to';

/** A request to one side failed. The cause is the error of the client. */
export class SideError extends Error {
  readonly side: SideName;
  readonly table: string | undefined;
  /** The address of the entity that is refused, where that is known. */
  readonly entity: string | undefined;

  constructor(
    side: SideName,
    cause: unknown,
    { table, entity }: { table?: string | undefined; entity?: string | undefined },
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.side = side;
    this.table = table;
    this.entity = entity;
  }
}

/** Every method throws SideError, and the reason of the signal. */
export interface Side {
  readonly endpoint: TableEndpoint;
  tableNames(): Promise<readonly string[]>;
  /** Does nothing where it exists. */
  createTable(name: string): Promise<void>;
  readPage(table: string, next: Continuation | undefined): Promise<EntityPage>;
  /** Inserts or replaces entities of one partition, all or none. */
  upsert(table: string, upserts: readonly Upsert[]): Promise<void>;
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
  const attempt = async (request: TableRequest): Promise<TableResponse> => {
    const response = await sendOnce(request, endpoint, time);
    hasAnswered = true;
    return successOf(response);
  };
  const ask: Ask = (request) => repeatWhileBusy(() => attempt(request), backOff);
  const client = tableClientOver(ask);
  const naming = async <Value>(
    table: string | undefined,
    run: () => Promise<Value>,
    upserts: readonly Upsert[] = [],
  ): Promise<Value> => {
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      throw new SideError(name, error, { table, entity: refusedEntity(error, upserts) });
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
    readPage: (table, next) => naming(table, () => readPage(ask, table, { next })),
    upsert: (table, upserts) =>
      naming(
        table,
        async () => {
          const [only] = upserts;
          if (upserts.length === 1 && only) await ask({ method: 'PUT', ...only });
          else await repeatWhileBusy(() => sendTransaction(attempt, endpoint.url, upserts), backOff);
        },
        upserts,
      ),
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

/** The service begins the message of a refused transaction with the position of the entity. */
function refusedEntity(error: unknown, upserts: readonly Upsert[]): string | undefined {
  if (!(error instanceof ServiceRefusal)) return undefined;
  const [, position = upserts.length === 1 ? '0' : undefined] = /^(\d+):/.exec(error.message) ?? [];
  const path = position === undefined ? undefined : upserts[Number(position)]?.path;
  return path === undefined ? undefined : decodeURIComponent(path);
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

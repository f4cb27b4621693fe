// Sends the requests of a recording to another endpoint, and compares the responses with the recorded responses. The
// requests are sent one after another, in the order of their recorded responses. At the other endpoint, the names of
// tables begin with a prefix. These tables are removed at the end, even after a failure.

import { developmentAccount } from '../auth/accounts.ts';
import { openTableClient } from '../data/open-table-client.ts';
import { sendOnce } from '../data/send-request.ts';
import { ServiceRefusal } from '../data/table-client.ts';
import type { TableEndpoint } from '../data/table-endpoint.ts';
import { isTableName, tableLookup } from '../model/table-name.ts';
import type { ModelTime } from '../model/time.ts';
import { type ComparedResponse, compareResponses, responsesInBatch } from './compare-responses.ts';
import { type Difference, difference } from './difference.ts';
import { DivergedData, type Touched } from './diverged-data.ts';
import { bodyBytes, type Exchange, headerIn } from './exchange.ts';
import { FoundDifferences, type Passing } from './found-differences.ts';
import { LearnedValues } from './learned-values.ts';
import { type Recorded, readRecording } from './read-recording.ts';
import { NotRepeatable, type RepeatedRequest, type Repeating, repeatRequest } from './repeat-request.ts';
import { pathBelow } from './rewrite-address.ts';
import { sendRepeated } from './send-repeated.ts';
import { createTableNames } from './table-names.ts';

export interface RepetitionOptions {
  readonly path: string;
  readonly endpoint: TableEndpoint;
  readonly isOfThisMachine: boolean;
  readonly prefix: string;
  readonly time: Pick<ModelTime, 'nowMs' | 'after'>;
  readonly signal: AbortSignal;
  /** Called with the name of each table at the endpoint, before it is used. */
  readonly onTable: (there: string) => void;
  readonly onProgress: (requests: number) => void;
}

export interface Repetition {
  readonly found: FoundDifferences;
  /** The program whose responses were recorded; undefined if the recording does not say. */
  readonly program: string | undefined;
  /** What the other server calls itself. */
  readonly server: string | undefined;
  /** Number of incomplete lines that were ignored. */
  readonly torn: number;
  /** Number of tables that existed before the recording began, or that were loaded while it ran. */
  readonly earlierTables: number;
  readonly requests: number;
}

/** The tables that could not be removed. */
export class TablesLeft extends Error {
  readonly tables: readonly string[];

  constructor(tables: readonly string[], cause: unknown) {
    super('tables are left', { cause });
    this.tables = tables;
  }
}

/**
 * Repeats a recording. Rejects with Unreachable, with RecordingFault, with the reason of the signal, or with
 * TablesLeft. The cause of TablesLeft is the original error.
 */
export async function repeatRecording(options: RepetitionOptions): Promise<Repetition> {
  const run = new Run(options);
  let failure: unknown;
  try {
    await run.repeatAll();
  } catch (error) {
    failure = error;
  }
  const left = await run.cleanUp();
  if (left.length > 0) throw new TablesLeft(left, failure);
  if (failure !== undefined) throw failure;
  return run.result;
}

class Run {
  readonly #options: RepetitionOptions;
  readonly #found = new FoundDifferences();
  readonly #learned = new LearnedValues();
  readonly #diverged = new DivergedData();
  /** Tables created at the endpoint, by lookup name. */
  readonly #created = new Map<string, string>();
  /** Tables that were prepared for their first request, by account and lookup name. */
  readonly #begun = new Set<string>();
  readonly #repeating: Omit<Repeating, 'nowMs'>;
  #properties: string | undefined;
  #program: string | undefined;
  #server: string | undefined;
  #torn = 0;
  #earlierTables = 0;
  #requests = 0;

  constructor(options: RepetitionOptions) {
    const { endpoint, prefix, onTable, isOfThisMachine } = options;
    this.#options = options;
    const names = createTableNames(prefix, onTable);
    this.#repeating = {
      endpoint,
      names,
      isOfThisMachine,
      learned: this.#learned,
      origin: new URL(endpoint.url).origin,
    };
  }

  get result(): Repetition {
    return {
      found: this.#found,
      program: this.#program,
      server: this.#server,
      torn: this.#torn,
      earlierTables: this.#earlierTables,
      requests: this.#requests,
    };
  }

  async repeatAll(): Promise<void> {
    const { path, signal, onProgress } = this.#options;
    for await (const item of readRecording(path)) {
      signal.throwIfAborted();
      await this.#take(item);
      if (item.kind === 'exchange') onProgress(item.number);
    }
  }

  async #take(item: Recorded): Promise<void> {
    switch (item.kind) {
      case 'head':
        this.#program ??= item.program;
        return;
      case 'torn':
        this.#torn += 1;
        return;
      case 'change': {
        const { account, table } = item;
        this.#repeating.names.renew(account, table);
        this.#diverged.forget(account, table && tableLookup(table));
        if (table === undefined) this.#begun.clear();
        else this.#begun.delete(`${account}/${tableLookup(table)}`);
        return;
      }
      case 'exchange':
        this.#requests += 1;
        return this.#repeat(item.exchange, item.number);
    }
  }

  async #repeat(exchange: Exchange, number: number): Promise<void> {
    const { endpoint, time, signal } = this.#options;
    try {
      const request = repeatRequest(exchange, { ...this.#repeating, nowMs: time.nowMs() });
      await this.#keepProperties(request);
      await this.#beginTable(exchange, request);
      // Noted before the request is sent, because its response may get lost.
      if (request.createsTable !== undefined)
        this.#created.set(tableLookup(request.createsTable), request.createsTable);
      const expectsBusy = exchange.response.status === 503;
      const there = await sendRepeated(request, { endpoint, time, signal, expectsBusy });
      this.#server ??= there.headers['server'];
      if (request.deletesTable !== undefined && there.status === 204)
        this.#created.delete(tableLookup(request.deletesTable));
      this.#compare({ exchange, number, request, there });
    } catch (error) {
      if (!(error instanceof NotRepeatable)) throw error;
      this.#found.addNotRepeated(number, error.message);
    }
  }

  #compare({ exchange, number, request, there }: Compared): void {
    const recorded = recordedResponse(exchange);
    const differences = this.#differencesOf([recorded, there], request);
    const passing = passingOf(passes(recorded), passes(there));
    const touched = touchedBy(exchange, request);
    const since = differences.length > 0 ? this.#diverged.since(touched) : undefined;
    this.#diverged.note(touched, { recorded: passes(recorded), there: passes(there), number });
    if (differences.length === 0) this.#found.addEqual();
    else if (since !== undefined) this.#found.addFollowing(number);
    else this.#found.add(differences, passing, { number, request: describe(exchange, request) });
  }

  #differencesOf(pair: readonly [ComparedResponse, ComparedResponse], { address }: RepeatedRequest): Difference[] {
    const { names, endpoint } = this.#repeating;
    const { account, base } = address;
    const accountThere = accountOf(endpoint);
    const neutral = (text: string, [root, name]: readonly [string, string]): string => {
      const below = text.replaceAll(`${root}-secondary`, '{address}').replaceAll(root, '{address}');
      // The types of entities begin with the account.
      return below.startsWith(`${name}.`) ? `{account}${below.slice(name.length)}` : below;
    };
    try {
      return compareResponses(pair, {
        place: '',
        neutral: {
          recorded: (text) => neutral(text, [base.replace(/-secondary$/, ''), account]),
          there: (text) => neutral(names.recorded(account, text), [endpoint.url, accountThere]),
        },
        learn: (recorded, there) => this.#learned.learn(recorded, there),
        isListed: {
          recorded: (table) => names.isKnown(account, table),
          there: (table) => names.isOf(account, table),
        },
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [difference('a response is nested too deeply to be compared')];
    }
  }

  /** Creates a table that existed before the recording began, or that was loaded. Its original content is unknown. */
  async #beginTable(exchange: Exchange, request: RepeatedRequest): Promise<void> {
    const { account, table, isOfTable } = touchedBy(exchange, request);
    if (table === undefined || this.#begun.has(`${account}/${table}`)) return;
    const wasThere = passes(recordedResponse(exchange)) && request.createsTable === undefined;
    if (!wasThere && !isOfTable) return;
    this.#begun.add(`${account}/${table}`);
    if (!wasThere || !isTableName(table)) return;
    const { names } = this.#repeating;
    const { endpoint, time } = this.#options;
    const { resource } = request.address;
    const there = names.there(account, 'table' in resource ? resource.table.name : table);
    this.#created.set(tableLookup(there), there);
    try {
      await openTableClient(endpoint, time).createTable(there);
      this.#earlierTables += 1;
    } catch (error) {
      // A refusal is ignored here: the request itself will show whether the endpoint accepts the table.
      if (!(error instanceof ServiceRefusal)) throw error;
    }
  }

  /** Saves the service properties of an account before a request changes them. They are restored at the end. */
  async #keepProperties({ method, address }: RepeatedRequest): Promise<void> {
    const { resource, query } = address;
    if (method !== 'PUT' || resource.kind !== 'service' || query.options.get('comp') !== 'properties') return;
    const { endpoint, time } = this.#options;
    this.#properties ??= (await sendOnce({ ...propertiesRequest, method: 'GET' }, endpoint, time)).body;
  }

  /** Removes the tables. Returns those that could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    const { endpoint, time } = this.#options;
    const client = openTableClient(endpoint, time);
    const left: string[] = [];
    for (const table of this.#created.values()) {
      try {
        // After one failure, removing the other tables is not tried.
        if (left.length === 0) await client.deleteTable(table);
        else left.push(table);
      } catch (error) {
        if (!(error instanceof ServiceRefusal && error.status === 404)) left.push(table);
      }
    }
    if (this.#properties !== undefined && left.length === 0) {
      const headers = { 'Content-Type': 'application/xml' };
      await sendOnce({ ...propertiesRequest, method: 'PUT', headers, body: this.#properties }, endpoint, time).catch(
        () => undefined,
      );
    }
    return left;
  }
}

interface Compared {
  readonly exchange: Exchange;
  readonly number: number;
  readonly request: RepeatedRequest;
  readonly there: ComparedResponse;
}

const propertiesRequest = { path: '', query: { restype: 'service', comp: 'properties' } };

function recordedResponse({ response: { status, headers, content } }: Exchange): ComparedResponse {
  const fields = headers.map(({ name, value }) => [name.toLowerCase(), value] as const);
  return { status, headers: Object.fromEntries(fields), body: bodyBytes(content) };
}

/** Whether the server carried out the request. Of a batch, all operations must have succeeded. */
const passes = (response: ComparedResponse): boolean =>
  response.status < 400 && (responsesInBatch(response) ?? []).every(({ status }) => status < 400);

function passingOf(recorded: boolean, there: boolean): Passing {
  if (recorded) return there ? 'both' : 'only recorded';
  return there ? 'only there' : 'neither';
}

function touchedBy({ request }: Exchange, { address, createsTable, deletesTable }: RepeatedRequest): Touched {
  const { account, resource } = address;
  const text = bodyBytes(request.postData ?? {}).toString('utf8');
  const named = 'table' in resource ? resource.table.name : undefined;
  const created = createsTable === undefined ? undefined : valueIn(text, 'TableName');
  const table = created ?? (resource.kind === 'batch' ? firstTableOf(text) : named);
  const isInsert = resource.kind === 'entities' && request.method === 'POST';
  const inserted = isInsert
    ? { partitionKey: valueIn(text, 'PartitionKey'), rowKey: valueIn(text, 'RowKey') }
    : undefined;
  const key = resource.kind === 'entity' ? resource.key : inserted;
  return {
    account,
    table: table === undefined ? undefined : tableLookup(table),
    entity: key && JSON.stringify([key.partitionKey, key.rowKey]),
    isWrite: request.method !== 'GET' && request.method !== 'HEAD',
    isOfTable: createsTable !== undefined || deletesTable !== undefined,
  };
}

/** The value of a JSON member or of an Atom element, if it is written without escapes. */
const valueIn = (text: string, name: string): string =>
  new RegExp(`(?:"${name}"\\s{0,16}:\\s{0,16}"|<(?:\\w{1,16}:)?${name}(?:\\s[^>]{0,256})?>)([^"<]*)`).exec(text)?.[1] ??
  '';

/** The table of a batch: all its requests are for the same table. */
const firstTableOf = (text: string): string | undefined =>
  /^(?:POST|PUT|PATCH|MERGE|DELETE|GET) +(?:\S{0,2048}\/)?([A-Za-z][A-Za-z0-9]{2,62})(?:\(|%28|[ ?])/im.exec(text)?.[1];

/** Describes a request for people, with the path below the account: `POST People`. */
function describe(exchange: Exchange, { address }: RepeatedRequest): string {
  const tunnelled = headerIn(exchange.request.headers, 'x-http-method');
  const [, query = ''] = exchange.request.url.split('?', 2);
  const options = query
    .replace(/(^|&)(?:s[vpte]|si|sip|spr|ses|ss|srt|tn|[se][pr]k|sig)=[^&]*/gi, '')
    .replace(/^&/, '');
  const path = `${pathBelow(address).replace(/^\//, '') || '/'}${options === '' ? '' : `?${options}`}`;
  return `${tunnelled ?? exchange.request.method} ${path.slice(0, 300)}`;
}

const accountOf = ({ credential, url }: TableEndpoint): string =>
  credential.kind === 'key'
    ? credential.account
    : (/^https?:\/\/([a-z0-9]+)\.table\./.exec(url)?.[1] ??
      (new URL(url).pathname.slice(1) || developmentAccount.name));

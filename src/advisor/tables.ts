// Keeps one object for each client and for each table, up to a maximum number, and counts the writes to each table.

import { copyString } from '../model/copy-string.ts';
import type { Mutation } from '../model/mutation.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { ConnectionUse, type LastUse } from './connection-use.ts';
import { createDistinctCount } from './distinct-count.ts';
import { KeyOrder } from './key-order.ts';
import type { Client, Table } from './observation.ts';
import { ReadSampling } from './read-sampling.ts';
import { mutationText } from './show-request.ts';
import type { ClientUse } from './window.ts';

const clientsMax = 2_000;
const connectionsMax = 10_000;
const tablesMax = 2_000;
/** If a table has only one partition, its distinct entities are counted from this number of writes on. */
const countedFrom = 200;

/** The use of a connection, and the client that used it last. */
interface Session extends LastUse {
  readonly client: Client;
}

/**
 * The clients of the emulator. A connection usually belongs to one client, so the lookup of a client begins with the
 * number that identifies the connection.
 */
export class Clients {
  readonly #byName = new Map<string, Client>();
  readonly #sessions = new Map<number, Session>();
  #period = 1;

  /** Counts a request, and returns its client. */
  count(record: RequestRecord): Client {
    const session = this.#sessionOf(record);
    session.client.use.count(session, record, this.#period);
    return session.client;
  }

  /**
   * Returns how each client used its connections in the current period. With `isOver`, starts a new period with all
   * counts at zero.
   */
  uses({ isOver }: { readonly isOver: boolean }): readonly ClientUse[] {
    const uses = [...this.#byName.values()].flatMap((client): ClientUse[] => {
      const { requests, connections, atATime } = client.use.in(this.#period);
      return requests === 0 ? [] : [{ client, requests, connections, atATime }];
    });
    if (isOver) this.#period++;
    return uses;
  }

  #sessionOf({ connection, account, userAgent = '', credential, remoteAddress }: RequestRecord): Session {
    const session = this.#sessions.get(connection);
    const last = session?.client;
    if (session && last?.userAgent === userAgent && last.account === account && last.credential === credential)
      return session;
    const name = `${account}\n${credential}\n${remoteAddress}\n${userAgent}`;
    let client = this.#byName.get(name);
    if (!client) {
      if (this.#byName.size >= clientsMax) this.#byName.clear();
      const sampling = { reads: new ReadSampling(), queries: new ReadSampling(), use: new ConnectionUse() };
      client = {
        account: copyString(account),
        userAgent: copyString(userAgent),
        remoteAddress,
        credential,
        ...sampling,
      };
      this.#byName.set(copyString(name), client);
    }
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= connectionsMax) this.#sessions.delete(oldest);
    const begun = { client, period: 0, second: -1 };
    this.#sessions.set(connection, begun);
    return begun;
  }
}

/** The tables that were named in requests. */
export class Tables {
  readonly #byAccount = new Map<string, Map<string, Table>>();
  #count = 0;
  /**
   * The table of the last lookup, and its name as written in that lookup. The next lookup is usually for the same
   * table.
   */
  #last: { readonly written: string; readonly table: Table } | undefined;

  /**
   * Returns the table with this name, whether the letters are upper or lower case. Adds the table if no request named
   * it before. Returns undefined if there are too many tables.
   */
  of(account: string, name: string): Table | undefined {
    if (this.#last?.written === name && this.#last.table.account === account) return this.#last.table;
    const known = this.#byAccount.get(account)?.get(name);
    if (!known && this.#count >= tablesMax) return undefined;
    const table = known ?? this.#add(copyString(account), copyString(name));
    this.#last = { written: table.name === name ? table.name : copyString(name), table };
    return table;
  }

  /** The table with this name, whether the letters are upper or lower case. Undefined if no request named it. */
  find(account: string, name: string): Table | undefined {
    const tables = this.#byAccount.get(account);
    return tables?.get(name) ?? (tables && tableLike(name, tables));
  }

  all(): Table[] {
    return [...new Set([...this.#byAccount.values()].flatMap((tables) => [...tables.values()]))];
  }

  /**
   * Forgets the table with this name. If `name` is undefined, forgets all tables of the account, including the table
   * with the empty name. That table counts the requests that concern only the account.
   */
  forget(account: string, name: string | undefined): void {
    this.#last = undefined;
    const tables = this.#byAccount.get(account);
    for (const [written, table] of tables ?? []) {
      if (name !== undefined && table.name.toLowerCase() !== name.toLowerCase()) continue;
      tables?.delete(written);
      this.#count--;
    }
  }

  clear(): void {
    this.#byAccount.clear();
    this.#count = 0;
    this.#last = undefined;
  }

  #add(account: string, name: string): Table {
    let tables = this.#byAccount.get(account);
    if (!tables) {
      tables = new Map();
      this.#byAccount.set(account, tables);
    }
    const table = tableLike(name, tables) ?? newTable(account, name);
    tables.set(name, table);
    this.#count++;
    return table;
  }
}

/** The known table whose name differs from this one at most in case. */
function tableLike(name: string, tables: ReadonlyMap<string, Table>): Table | undefined {
  const lookup = name.toLowerCase();
  return [...tables.values()].find((table) => table.name.toLowerCase() === lookup);
}

function newTable(account: string, name: string): Table {
  return {
    account,
    name,
    billable: 0,
    units: 0,
    firstPartition: undefined,
    hasSeveralPartitions: false,
    firstWrite: '',
    order: undefined,
    entities: undefined,
    written: 0,
    lastAtMs: 0,
    replacements: 0,
  };
}

/**
 * Counts a successful write, and records the order of its key. As long as all entities of the table are in one
 * partition, also counts the entity.
 */
export function countWrite(table: Table, mutation: Mutation): void {
  const { kind } = mutation;
  // An update or a deletion cannot begin a partition, because its entity exists already.
  table.order ??= new KeyOrder();
  table.order.add(mutation, kind === 'insert' || kind === 'insertOrReplace' || kind === 'insertOrMerge');
  if (kind === 'delete' || table.hasSeveralPartitions) return;
  const { partitionKey, rowKey } = mutation;
  if (table.firstPartition === undefined) {
    table.firstPartition = copyString(partitionKey);
    table.firstWrite = mutationText(table.name, mutation);
  }
  if (table.firstPartition !== partitionKey) {
    table.hasSeveralPartitions = true;
    table.entities = undefined;
    return;
  }
  table.written++;
  if (table.written < countedFrom) return;
  table.entities ??= createDistinctCount();
  table.entities.add(rowKey);
}

/** Resets what is known about the entities of a deleted table. A later table with the same name begins empty. */
export function emptyTable(table: Table): void {
  table.firstPartition = undefined;
  table.hasSeveralPartitions = false;
  table.firstWrite = '';
  table.order = undefined;
  table.entities = undefined;
  table.written = 0;
}

/**
 * Whether the service bills a request. The service bills each request that it authenticated and answered, including
 * each request that it refused. It does not bill a request that failed because of the service. Evidence: documented
 * (Understanding Azure Storage billing).
 */
export function isBillable({ credential, status }: RequestRecord): boolean {
  return credential !== 'none' && status !== 500 && status !== 503 && status !== 444;
}

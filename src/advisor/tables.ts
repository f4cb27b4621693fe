// Clients and tables by name, each as one object, in bounded number; and what is counted of a table.

import type { Mutation } from '../model/mutation.ts';
import { ownText } from '../model/own-text.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { createDistinctCount } from './distinct-count.ts';
import type { Client, Table } from './observation.ts';
import { ReadSampling } from './read-sampling.ts';
import { mutationText } from './show-request.ts';
import type { Write } from './window.ts';

const clientsMax = 2_000;
const connectionsMax = 10_000;
const tablesMax = 2_000;
/** The entities of a lone partition are counted one by one from here on. */
const countedFrom = 200;

/** The clients of the emulator. A connection usually stays with one, so it is looked up by its number first. */
export class Clients {
  readonly #byName = new Map<string, Client>();
  readonly #byConnection = new Map<number, Client>();

  of({ connection, account, userAgent = '', credential, remoteAddress }: RequestRecord): Client {
    const last = this.#byConnection.get(connection);
    if (last?.userAgent === userAgent && last.account === account && last.credential === credential) return last;
    const name = `${account}\n${credential}\n${remoteAddress}\n${userAgent}`;
    let client = this.#byName.get(name);
    if (!client) {
      if (this.#byName.size >= clientsMax) this.#byName.clear();
      const sampling = { reads: new ReadSampling(), queries: new ReadSampling() };
      client = { account: ownText(account), userAgent: ownText(userAgent), remoteAddress, credential, ...sampling };
      this.#byName.set(ownText(name), client);
    }
    if (this.#byConnection.size >= connectionsMax) this.#byConnection.clear();
    this.#byConnection.set(connection, client);
    return client;
  }
}

/** The tables that requests named. */
export class Tables {
  readonly #byAccount = new Map<string, Map<string, Table>>();
  #count = 0;
  /** The table that was asked for last, and its name as it was written then: usually the next one, too. */
  #last: { readonly written: string; readonly table: Table } | undefined;

  /** By the name as it is written; names that differ in case only are one table. Undefined beyond the bound. */
  of(account: string, name: string): Table | undefined {
    if (this.#last?.written === name && this.#last.table.account === account) return this.#last.table;
    const known = this.#byAccount.get(account)?.get(name);
    if (!known && this.#count >= tablesMax) return undefined;
    const table = known ?? this.#add(ownText(account), ownText(name));
    this.#last = { written: table.name === name ? table.name : ownText(name), table };
    return table;
  }

  all(): Table[] {
    return [...new Set([...this.#byAccount.values()].flatMap((tables) => [...tables.values()]))];
  }

  /** What belongs to an account itself and to none of its tables has an empty name. */
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
    const lookup = name.toLowerCase();
    const same = [...tables.values()].find((table) => table.name.toLowerCase() === lookup);
    const table = same ?? newTable(account, name);
    tables.set(name, table);
    this.#count++;
    return table;
  }
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
    keys: undefined,
    entities: undefined,
    written: 0,
    lastAtMs: 0,
    replacements: 0,
  };
}

/** Counts an entity that a write left in a table, as long as all of them are in one partition. */
export function countEntity(table: Table, mutation: Mutation): void {
  if (table.hasSeveralPartitions) return;
  const { partitionKey, rowKey } = mutation;
  if (table.firstPartition === undefined) {
    table.firstPartition = ownText(partitionKey);
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

/** Notes which partitions of a table are not new any more. */
export function noteKeys(written: readonly Write[]): void {
  for (const { table, partitionKey: key } of written) {
    const { first = key, last = key } = table.keys ?? {};
    if (table.keys && key >= first && key <= last) continue;
    table.keys = { first: key < first ? key : first, last: key > last ? key : last };
  }
}

/** The table was deleted: one of this name that is created later begins empty. */
export function emptyTable(table: Table): void {
  table.firstPartition = undefined;
  table.hasSeveralPartitions = false;
  table.firstWrite = '';
  table.keys = undefined;
  table.entities = undefined;
  table.written = 0;
}

/**
 * Whether the service bills a request: those that it authenticated and answered, refused ones among them, but not its own
 * failures. Evidence: documented (Understanding Azure Storage billing).
 */
export function isBillable({ credential, status }: RequestRecord): boolean {
  return credential !== 'none' && status !== 500 && status !== 503 && status !== 444;
}

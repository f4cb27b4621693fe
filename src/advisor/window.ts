// The window: a bounded number of observations in the order of their arrival, and views of these observations for the
// rules. A view is computed when a rule first needs it, and is cached for the other rules.

import { firstIndex } from '../model/first-index.ts';
import type { Client, Condition, Member, Observation, QueryTraits, Table, WriteTraits } from './observation.ts';
import type { Seconds } from './second-loads.ts';

/** The scalability targets of an account and of its partitions. */
export interface RateTargets {
  /** Entities a second. */
  readonly account: number;
  readonly partition: number;
}

/** How a client used its connections in the period of the window. */
export interface ClientUse {
  readonly client: Client;
  readonly requests: number;
  /** The connections on which these requests came. */
  readonly connections: number;
  /** The most connections that were used within one second and were open at the same time. */
  readonly atATime: number;
}

/** A write of one entity, as a separate request or in a transaction. */
export interface Write {
  readonly kind: 'write';
  readonly by: Observation;
  /** The name of the operation, such as `InsertEntity`. */
  readonly operation: string;
  readonly table: Table;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly status: number;
  readonly condition: Condition;
  readonly traits: WriteTraits | undefined;
  readonly isBatched: boolean;
}

/** A read or a write of one entity by its keys. */
export type Touch = { readonly kind: 'read'; readonly by: Observation } | Write;

export interface ObservedQuery {
  readonly by: Observation;
  readonly table: Table;
  readonly traits: QueryTraits;
}

/** A query, with the pages that the client read of it. */
export interface Enumeration {
  readonly first: ObservedQuery;
  readonly last: ObservedQuery;
  readonly pages: number;
  readonly visited: number;
  readonly returned: number;
}

const writeOperations = new Set([
  'InsertEntity',
  'UpdateEntity',
  'MergeEntity',
  'InsertOrReplaceEntity',
  'InsertOrMergeEntity',
  'DeleteEntity',
]);

/** Whether requests of an operation write entities. */
export const isWriteOperation = (operation: string): boolean =>
  operation === 'EntityGroupTransaction' || writeOperations.has(operation);

export const isDone = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300;

/**
 * A text that identifies an entity within one account. A window keeps thousands of these texts. A string made by `join`
 * takes a third of the memory of a string made by `+`.
 */
export const entityName = (table: Table, partitionKey: string, rowKey: string): string =>
  [table.name, partitionKey, rowKey].join('\0');

const isStaged = ({ staged }: Observation): boolean => staged !== undefined;

/** Compares the arrival times of two observations. If the times are equal, compares the order of the answers. */
export const inOrder = (a: Observation, b: Observation): number => a.startMs - b.startMs || a.sequence - b.sequence;

export class Window {
  /** The requests in the order of arrival, without those that a fault answered. */
  readonly all: readonly Observation[];
  /**
   * All requests, including those that a fault answered. The rules on retries use this list, because these rules judge
   * how a client reacts to a failure.
   */
  readonly attempts: readonly Observation[];
  /** How each client used its connections. All of its requests count, also those that the window does not keep. */
  readonly uses: readonly ClientUse[];
  /** The load of each second. All requests count, also those that the window does not keep. */
  readonly seconds: Seconds;
  /** Every table that a request named since the start or the last reset. */
  readonly tables: readonly Table[];
  readonly targets: RateTargets;
  /** The current machine time. */
  readonly nowMs: number;
  readonly #views = new Map<string, unknown>();

  constructor(all: readonly Observation[], around: Pick<Window, 'uses' | 'seconds' | 'tables' | 'targets' | 'nowMs'>) {
    this.attempts = all;
    this.all = all.some(isStaged) ? all.filter((by) => !isStaged(by)) : all;
    this.uses = around.uses;
    this.seconds = around.seconds;
    this.tables = around.tables;
    this.targets = around.targets;
    this.nowMs = around.nowMs;
  }

  /** Reads of one entity by its keys that were answered with 200 or 404. */
  get gets(): readonly Observation[] {
    return this.#view('gets', () =>
      this.all.filter(({ operation, status }) => operation === 'GetEntity' && (status === 200 || status === 404)),
    );
  }

  get queries(): readonly ObservedQuery[] {
    return this.#view('queries', () =>
      this.all.flatMap((by) => {
        const { query: traits, table } = by;
        return traits && table && by.status === 200 ? [{ by, table, traits }] : [];
      }),
    );
  }

  /** Writes, including refused ones. */
  get writes(): readonly Write[] {
    return this.#view('writes', () => this.all.flatMap(writesOf));
  }

  /** Successful writes. */
  get written(): readonly Write[] {
    return this.#view('written', () => this.writes.filter(isDone));
  }

  /** Successful transactions. */
  get transactions(): readonly Observation[] {
    return this.#view('transactions', () =>
      this.all.filter(
        ({ operation, members, status }) =>
          operation === 'EntityGroupTransaction' && members.length > 0 && status < 300,
      ),
    );
  }

  get clients(): ReadonlyMap<Client, readonly Observation[]> {
    return this.#view('clients', () => groupBy(this.all, ({ client }) => client));
  }

  /** The reads and writes of each entity that was written, by account and entity. */
  get touches(): ReadonlyMap<string, readonly Touch[]> {
    return this.#view('touches', () => touchesOf(this.writes, this.gets));
  }

  /** The number of requests of each trace. */
  get traceSizes(): ReadonlyMap<string, number> {
    return this.#view('traceSizes', () => {
      const sizes = new Map<string, number>();
      for (const { traceId, requests } of this.attempts) {
        if (traceId !== undefined) sizes.set(traceId, (sizes.get(traceId) ?? 0) + requests);
      }
      return sizes;
    });
  }

  get enumerations(): readonly Enumeration[] {
    return this.#view('enumerations', () => enumerationsOf(this.queries));
  }

  #view<T>(name: string, make: () => T): T {
    if (!this.#views.has(name)) this.#views.set(name, make());
    return this.#views.get(name) as T;
  }
}

function writesOf(by: Observation): Write[] {
  const { table, operation, members } = by;
  if (!table) return [];
  if (members.length > 0) return members.filter(isWrite).map((member) => batchedWrite(member, by, table));
  if (!writeOperations.has(operation) || by.partitionKey === undefined || by.rowKey === undefined) return [];
  const { partitionKey, rowKey, status, condition, write: traits } = by;
  return [{ kind: 'write', by, operation, table, partitionKey, rowKey, status, condition, traits, isBatched: false }];
}

const isWrite = ({ operation }: Member): boolean => writeOperations.has(operation);

function batchedWrite(member: Member, by: Observation, table: Table): Write {
  const { operation, partitionKey, rowKey, status, condition, write: traits } = member;
  return { kind: 'write', by, operation, table, partitionKey, rowKey, status, condition, traits, isBatched: true };
}

function touchesOf(writes: readonly Write[], gets: readonly Observation[]): Map<string, Touch[]> {
  const touches = new Map<string, Touch[]>();
  const nameOf = (by: Observation, table: Table, key: { partitionKey: string; rowKey: string }): string =>
    [by.account, entityName(table, key.partitionKey, key.rowKey)].join('\0');
  if (writes.length === 0) return touches;
  for (const write of writes) addToGroup(touches, nameOf(write.by, write.table, write), write);
  for (const by of gets) {
    const { table, partitionKey = '', rowKey = '' } = by;
    // Reads of entities that were not written are left out: no rule needs them.
    if (table) touches.get(nameOf(by, table, { partitionKey, rowKey }))?.push({ kind: 'read', by });
  }
  for (const list of touches.values()) list.sort((a, b) => inOrder(a.by, b.by));
  return touches;
}

function enumerationsOf(queries: readonly ObservedQuery[]): Enumeration[] {
  const open = new Map<string, Enumeration>();
  const all: Enumeration[] = [];
  const close = (name: string): void => {
    const ended = open.get(name);
    if (ended) all.push(ended);
    open.delete(name);
  };
  for (const query of queries) {
    const { visited, returned, followsContinuation } = query.traits;
    const name = queryName(query);
    const known = open.get(name);
    if (followsContinuation && known) {
      const sums = { visited: known.visited + visited, returned: known.returned + returned };
      open.set(name, { first: known.first, last: query, pages: known.pages + 1, ...sums });
      continue;
    }
    close(name);
    open.set(name, { first: query, last: query, pages: 1, visited, returned });
  }
  for (const name of [...open.keys()]) close(name);
  return all.sort((a, b) => a.first.by.startMs - b.first.by.startMs);
}

/** A text that is equal for all pages of a query by one client. */
export function queryName({ by: { client, account }, table, traits }: ObservedQuery): string {
  const { remoteAddress, userAgent } = client;
  return [account, table.name, traits.filter ?? '', traits.select ?? '', remoteAddress, userAgent].join('\0');
}

/** The number of requests that a list of observations represents. */
export function countRequests(list: readonly Observation[]): number {
  let count = 0;
  for (const { requests } of list) count += requests;
  return count;
}

/** Like `countRequests`, but a transaction counts as many times as it has operations. */
export function countOperations(list: readonly Observation[]): number {
  let count = 0;
  for (const { requests, members } of list) count += Math.max(requests, members.length);
  return count;
}

export function groupBy<T, K>(list: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of list) addToGroup(groups, keyOf(item), item);
  return groups;
}

export function addToGroup<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  /** The most items to return. */
  readonly max: number;
}

/** The items that arrived within a span of machine time. `list` must be sorted by arrival. */
export function arrivedWithin<T>(list: readonly T[], byOf: (item: T) => Observation, { fromMs, toMs, max }: Span): T[] {
  const first = firstIndex(list.length, (at) => byOf(list[at] as T).startMs >= fromMs);
  const found: T[] = [];
  for (let at = first; at < list.length && found.length < max; at++) {
    const item = list[at] as T;
    if (byOf(item).startMs > toMs) break;
    found.push(item);
  }
  return found;
}

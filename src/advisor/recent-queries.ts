// Finds the queries that an application recently sent to a table, and counts how often it sent each query. The sources
// are the requests that the advisor keeps, and a summary of the previous window.

import { tableLookup } from '../model/table-name.ts';
import type { Observation } from './observation.ts';
import { quotedString } from './show-request.ts';

export interface RecentQuery {
  /** The filter as it was sent. For a read by key, a filter with both keys as conditions. */
  readonly filter: string;
  /** `$top`; undefined without it. */
  readonly top: number | undefined;
  readonly requests: number;
}

/** A table of an account. */
interface Place {
  readonly account: string;
  readonly table: string;
}

/** The most different queries of one table. */
const queriesMax = 500;

type Counts = Map<string, RecentQuery>;

export class RecentQueries {
  /** The counts of the window that was judged last, by account and table. */
  #kept = new Map<string, Counts>();

  keep(observations: readonly Observation[]): void {
    this.#kept = new Map();
    for (const by of observations) {
      const query = queryOf(by);
      if (!query || !by.table) continue;
      const name = nameOf({ account: by.account, table: by.table.name });
      const counts: Counts = this.#kept.get(name) ?? new Map();
      this.#kept.set(name, counts);
      count(query, counts);
    }
  }

  /**
   * Returns the recent queries of a table, the most frequent query first. `observations` are the requests that the
   * advisor keeps.
   */
  of(place: Place, observations: readonly Observation[]): readonly RecentQuery[] {
    const name = nameOf(place);
    const counts: Counts = new Map(this.#kept.get(name));
    for (const by of observations) {
      if (!by.table || by.account !== place.account || nameOf({ account: by.account, table: by.table.name }) !== name)
        continue;
      const query = queryOf(by);
      if (query) count(query, counts);
    }
    return [...counts.values()].sort((a, b) => b.requests - a.requests).slice(0, queriesMax);
  }

  forget(account: string, table: string | undefined): void {
    const isGone = (name: string): boolean =>
      table === undefined ? name.startsWith(`${account}\n`) : name === nameOf({ account, table });
    for (const name of [...this.#kept.keys()]) if (isGone(name)) this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
  }
}

const nameOf = ({ account, table }: Place): string => `${account}\n${tableLookup(table)}`;

/** The query of a request. Undefined for a request that reads no entities, was refused, or reads a further page. */
function queryOf({
  query,
  operation,
  status,
  partitionKey,
  rowKey,
  requests,
  staged,
}: Observation): RecentQuery | undefined {
  if (staged !== undefined) return undefined;
  if (query) {
    if (status !== 200 || query.followsContinuation) return undefined;
    return { filter: query.filter ?? '', top: query.top, requests };
  }
  if (operation !== 'GetEntity' || (status !== 200 && status !== 404)) return undefined;
  const keys = `PartitionKey eq ${quotedString(partitionKey)} and RowKey eq ${quotedString(rowKey)}`;
  return { filter: keys, top: undefined, requests };
}

function count(query: RecentQuery, counts: Counts): void {
  const name = `${query.top ?? ''}\n${query.filter}`;
  const known = counts.get(name);
  counts.set(name, known ? { ...known, requests: known.requests + query.requests } : query);
}

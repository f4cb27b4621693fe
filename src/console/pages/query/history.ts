// The queries of this tab, newest first. They are gone when the tab is closed.

import { signal } from '@preact/signals';
import type { QueryText } from './query-text.ts';
import type { RunReport } from './run-query.ts';

export interface PastQuery {
  readonly query: QueryText;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The figures of the query's first page. */
  readonly report: RunReport;
}

const storageName = 'tanzanite.queries';
const queriesMax = 50;

export const past = signal(read());

export function remember(query: QueryText, report: RunReport): void {
  const others = past.peek().filter((one) => JSON.stringify(one.query) !== JSON.stringify(query));
  keep([{ query, at: Date.now(), report }, ...others].slice(0, queriesMax));
}

export const forgetAll = (): void => keep([]);

function keep(list: readonly PastQuery[]): void {
  past.value = list;
  try {
    window.sessionStorage.setItem(storageName, JSON.stringify(list));
  } catch {
    // The tab's storage is full: the list is lost when the page is reloaded.
  }
}

function read(): readonly PastQuery[] {
  try {
    return JSON.parse(window.sessionStorage.getItem(storageName) ?? '[]') as readonly PastQuery[];
  } catch {
    return [];
  }
}

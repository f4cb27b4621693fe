// Runs a query page by page, and adds up the work of the service.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { PlanKind } from '../../../query/plan.ts';
import { fetchPage, type ShownEntityPage } from '../../client/data-plane.ts';
import { EntityPages } from '../../components/grid/entity-pages.ts';
import { type QueryText, selectedNames, topOf } from './query-text.ts';

/** The figures of all pages so far. */
export interface RunReport {
  /** Undefined if the service does not say. */
  readonly kind: PlanKind | undefined;
  readonly visited: number;
  readonly returned: number;
  /** Entity units; undefined where capacity is not counted. */
  readonly units: number | undefined;
  /** Parts of the filter that are probably mistakes. */
  readonly remark: string | undefined;
  readonly pages: number;
  /** Total duration of the requests, each until its complete response had arrived. */
  readonly durationMs: number;
  /** Whether the service has more than was read. */
  readonly hasMore: boolean;
}

export interface QueryRun {
  readonly pages: EntityPages;
  /** Undefined until the first page is there. */
  readonly report: ReadonlySignal<RunReport | undefined>;
}

export function runQuery(query: QueryText, onFirstPage: (report: RunReport) => void): QueryRun {
  const report = signal<RunReport | undefined>(undefined);
  const [select, top] = [selectedNames(query), topOf(query)];
  const seen = new Set<string>();
  const pages = new EntityPages(async (next, abort) => {
    const page = await fetchPage(query.account, query.table, {
      filter: query.filter,
      // Without the keys, entities could not be told apart.
      select: select.length === 0 ? [] : [...new Set(['PartitionKey', 'RowKey', ...select])],
      isExplained: true,
      signal: abort,
      ...(top !== undefined && { top }),
      ...(next && { next }),
    });
    // A page that is read again is not counted again.
    const token = JSON.stringify(next ?? null);
    if (!seen.has(token)) {
      seen.add(token);
      const before = report.peek();
      report.value = added(before, page);
      if (!before) onFirstPage(report.value);
    }
    // With $top, only one page is read.
    return top === undefined ? page : { ...page, next: undefined };
  });
  return { pages, report };
}

function added(before: RunReport | undefined, { entities, next, response }: ShownEntityPage): RunReport {
  const timing = String(response.headers['server-timing'] ?? '');
  const numberOf = (name: string): number | undefined => {
    const text = textIn(timing, name);
    return text === undefined ? undefined : Number(text);
  };
  const units = numberOf('units');
  const remark = textIn(timing, 'remark');
  return {
    kind: before?.kind ?? (textIn(timing, 'plan') as PlanKind | undefined),
    visited: (before?.visited ?? 0) + (numberOf('visited') ?? entities.length),
    returned: (before?.returned ?? 0) + entities.length,
    remark: before?.remark ?? (remark && decodeURIComponent(remark)),
    units: units === undefined ? before?.units : (before?.units ?? 0) + units,
    pages: (before?.pages ?? 0) + 1,
    durationMs: (before?.durationMs ?? 0) + response.durationMs,
    hasMore: next !== undefined,
  };
}

const textIn = (timing: string, name: string): string | undefined =>
  new RegExp(`(?:^|, )${name};desc="([^"]*)"`).exec(timing)?.[1];

import type { TrafficRow } from './traffic-log.ts';

/** Which part of the list is shown. An empty text is not a condition. */
export interface TrafficFilter {
  /** Words, all of which must occur. */
  readonly text: string;
  readonly status: StatusClass | '';
  readonly operation: string;
  readonly table: string;
  /** The id of a trace. */
  readonly trace: string;
}

export const statusClasses = ['succeeded', 'refused', '4xx', '5xx', 'throttled', 'struck'] as const;
export type StatusClass = (typeof statusClasses)[number];

export const statusLabels: Readonly<Record<StatusClass, string>> = {
  succeeded: 'Succeeded',
  refused: 'Refused',
  '4xx': 'Refused with 4xx',
  '5xx': 'Refused with 5xx',
  throttled: 'Throttled, or would be',
  struck: 'Struck by a fault',
};

/** The rows that fit, the newest first. */
export function visibleRows(rows: readonly TrafficRow[], filter: TrafficFilter): readonly TrafficRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { status, operation, table, trace } = filter;
  const isAll = words.length === 0 && [status, operation, table, trace].every((text) => text === '');
  return (isAll ? [...rows] : rows.filter((row) => fits(row, filter, words))).reverse();
}

function fits(
  { request, words }: TrafficRow,
  { status, operation, table, trace }: TrafficFilter,
  wanted: readonly string[],
) {
  if (trace !== '' && request.traceId !== trace) return false;
  if (operation !== '' && request.operation !== operation) return false;
  if (table !== '' && tableOfRequest(request)?.toLowerCase() !== table.toLowerCase()) return false;
  if (status !== '' && !isOfClass(request, status)) return false;
  return wanted.every((word) => words.includes(word));
}

function isOfClass({ status, capacity, fault }: TrafficRow['request'], name: StatusClass): boolean {
  switch (name) {
    case 'succeeded':
      return status < 400;
    case 'refused':
      return status >= 400;
    case '4xx':
      return status >= 400 && status < 500;
    case '5xx':
      return status >= 500;
    case 'throttled':
      return capacity !== undefined && capacity !== 'admitted';
    case 'struck':
      return fault !== undefined;
  }
}

/** The table of a request. For a batch, the table of its first member. */
export const tableOfRequest = ({ table, members }: TrafficRow['request']): string | undefined =>
  table ?? members?.[0]?.table;

export interface Choices {
  readonly operations: readonly string[];
  readonly tables: readonly string[];
}

/** The values of the rows, to choose from. A chosen value stays in the list. */
export function choicesOf(rows: readonly TrafficRow[], { operation, table }: TrafficFilter): Choices {
  const operations = new Set(operation === '' ? [] : [operation]);
  const tables = new Set(table === '' ? [] : [table]);
  for (const { request } of rows) {
    operations.add(request.operation);
    const name = tableOfRequest(request);
    if (name !== undefined) tables.add(name);
  }
  return { operations: [...operations].sort(), tables: [...tables].sort() };
}

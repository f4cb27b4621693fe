// The requests of the list by the trace that they belong to.

import { tableOfRequest } from './traffic-filter.ts';
import type { TrafficRow } from './traffic-log.ts';

export interface TraceGroup {
  readonly traceId: string;
  readonly requests: number;
  readonly refused: number;
  /** How often each operation was asked for, the most frequent first. */
  readonly operations: readonly (readonly [operation: string, requests: number])[];
  readonly tables: readonly string[];
  /** From the first arrival to the last answer: milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Groups in the order of their newest requests. Requests without a trace are left out. */
export function groupByTrace(rows: readonly TrafficRow[]): readonly TraceGroup[] {
  const groups = new Map<string, TrafficRow['request'][]>();
  for (const { request } of rows) {
    const { traceId } = request;
    if (traceId === undefined) continue;
    const group = groups.get(traceId);
    if (group) group.push(request);
    else groups.set(traceId, [request]);
  }
  return [...groups].map(([traceId, requests]) => groupOf(traceId, requests));
}

function groupOf(traceId: string, requests: readonly TrafficRow['request'][]): TraceGroup {
  const operations = new Map<string, number>();
  const tables = new Set<string>();
  let [fromMs, toMs, refused] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const request of requests) {
    const { operation, atMs, durationMs, status } = request;
    operations.set(operation, (operations.get(operation) ?? 0) + 1);
    const table = tableOfRequest(request);
    if (table !== undefined) tables.add(table);
    fromMs = Math.min(fromMs, atMs);
    toMs = Math.max(toMs, atMs + durationMs);
    if (status >= 400) refused += 1;
  }
  return {
    traceId,
    requests: requests.length,
    refused,
    operations: [...operations].sort(([, a], [, b]) => b - a),
    tables: [...tables].sort(),
    fromMs,
    toMs,
  };
}

// Uses traces to find out which requests belong together. Requests with the same trace in `traceparent` were sent by
// one page, job or test of the application. If a client opens no span around its work, each request has its own trace,
// and traces do not help.

import type { Observation } from './observation.ts';
import type { Window } from './window.ts';

/** Whether two requests are known to belong to one piece of work. */
export const isSameTrace = (a: Observation, b: Observation): boolean =>
  a.traceId !== undefined && a.traceId === b.traceId;

/**
 * Whether two requests are known to belong to different pieces of work: their traces differ, and each trace has several
 * requests.
 */
export const isOtherTrace = ({ traceSizes }: Pick<Window, 'traceSizes'>, a: Observation, b: Observation): boolean =>
  a.traceId !== b.traceId && isShared(traceSizes, a) && isShared(traceSizes, b);

const isShared = (sizes: Window['traceSizes'], { traceId }: Observation): boolean =>
  traceId !== undefined && (sizes.get(traceId) ?? 0) > 1;

/**
 * Returns two members of the evidence: the trace to which all of these requests belong, and the total number of
 * requests in that trace. Returns an empty object if there are fewer than two requests, or if they do not share a
 * trace.
 */
export function tracedBy(
  { traceSizes }: Pick<Window, 'traceSizes'>,
  requests: readonly Observation[],
): { readonly trace?: string; readonly requestsOfTrace?: number } {
  const [first] = requests;
  const { traceId } = first ?? {};
  if (traceId === undefined || requests.length < 2 || requests.some((by) => by.traceId !== traceId)) return {};
  return { trace: traceId, requestsOfTrace: traceSizes.get(traceId) ?? 0 };
}

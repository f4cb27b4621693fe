// Which requests belong together according to their trace. A `traceparent` joins the requests that one page, job or test of
// the application sent. If a client has no span around its work, each request has its own trace, which tells nothing.

import type { Observation } from './observation.ts';
import type { Window } from './window.ts';

/** Whether both are known to belong to one piece of work. */
export const isSameTrace = (a: Observation, b: Observation): boolean =>
  a.traceId !== undefined && a.traceId === b.traceId;

/** Whether they are known to belong to two pieces of work: both traces have several requests. */
export const isOtherTrace = ({ traceSizes }: Pick<Window, 'traceSizes'>, a: Observation, b: Observation): boolean =>
  a.traceId !== b.traceId && isShared(traceSizes, a) && isShared(traceSizes, b);

const isShared = (sizes: Window['traceSizes'], { traceId }: Observation): boolean =>
  traceId !== undefined && (sizes.get(traceId) ?? 0) > 1;

/** Fields of the evidence: the trace that has all of these requests, and how many requests it has in total. */
export function tracedBy(
  { traceSizes }: Pick<Window, 'traceSizes'>,
  requests: readonly Observation[],
): { readonly trace?: string; readonly requestsOfTrace?: number } {
  const [first] = requests;
  const { traceId } = first ?? {};
  if (traceId === undefined || requests.length < 2 || requests.some((by) => by.traceId !== traceId)) return {};
  return { trace: traceId, requestsOfTrace: traceSizes.get(traceId) ?? 0 };
}

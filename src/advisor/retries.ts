// Finds requests that were sent again after a failure of the service.

import type { Observation } from './observation.ts';
import { isOtherTrace, tracedBy } from './traces.ts';
import { groupBy, type Window } from './window.ts';

/** A request and its repetitions. Each attempt except the last was answered with 500 or 503; the last may be. */
export type Attempts = readonly [Observation, ...Observation[]];

const isServerFailure = ({ status }: Observation): boolean => status === 500 || status === 503;

/**
 * Finds chains of at least two attempts. Each attempt of a chain was sent within `withinMs` of the answer to the
 * previous attempt. Requests that are known to belong to different traces are never in the same chain.
 */
export function retriesIn(window: Window, { withinMs }: { readonly withinMs: number }): readonly Attempts[] {
  const { attempts: all } = window;
  if (!all.some(isServerFailure)) return [];
  const chains: Attempts[] = [];
  for (const list of groupBy(all, requestName).values()) {
    let chain: Observation[] = [];
    const close = (next: Observation[]): void => {
      if (chain.length > 1) chains.push(chain as unknown as Attempts);
      chain = next;
    };
    for (const by of list) {
      const last = chain.at(-1);
      const pauseMs = last === undefined ? -1 : by.startMs - last.endMs;
      const isNext = last !== undefined && pauseMs >= 0 && pauseMs <= withinMs && !isOtherTrace(window, last, by);
      if (isNext) chain.push(by);
      // An attempt that does not fail ends the chain.
      if (!isServerFailure(by)) close([]);
      else if (!isNext) close([by]);
    }
    close([]);
  }
  return chains;
}

export const gapsOf = (attempts: Attempts): number[] =>
  attempts.slice(1).map((by, at) => by.startMs - (attempts[at] as Observation).endMs);

/** A text that is equal for requests of one client that ask for the same thing. */
function requestName({ client, operation, table, partitionKey, rowKey, query, members }: Observation): string {
  const [member] = members;
  const keys = [partitionKey ?? member?.partitionKey, rowKey ?? member?.rowKey, members.length];
  const { remoteAddress, userAgent, account } = client;
  return [account, remoteAddress, userAgent, operation, table?.name, ...keys, query?.filter].join('\0');
}

export const hasServerFailures = ({ attempts }: Window): boolean => attempts.some(isServerFailure);

/** Members of the evidence: the trace of the attempts, and the fault rule that struck one of them. */
export const aroundOf = (
  window: Window,
  attempts: readonly Observation[],
): ReturnType<typeof tracedBy> & ReturnType<typeof stagedBy> => ({
  ...tracedBy(window, attempts),
  ...stagedBy(attempts),
});

/** A member of the evidence: the fault rule that struck one of the attempts. */
export function stagedBy(attempts: readonly Observation[]): { readonly stagedBy?: string } {
  const staged = attempts.find((by) => by.staged !== undefined)?.staged;
  return staged === undefined ? {} : { stagedBy: staged };
}

import type { Observation } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const excessParallelism = defineRule<'excess-parallelism'>({
  id: 'excess-parallelism',
  severity: 'warning',
  title: 'a client has very many requests under way',
  why: 'Unbounded parallelism meets the limits of the client and of the service: requests queue, time out, are throttled, and then are all retried.',
  advice: 'Bound how many requests run at a time, and let the bound follow what the service answers.',
  pattern: null,
  source: checklistPage('Unbounded parallelism'),
  occasion: ({ all }) => all.length > 0,
  judge({ clients, connections }, { requests }) {
    const tally = new Tally();
    for (const [client, list] of clients) {
      // A connection carries one request at a time.
      if ((connections.get(client) ?? 0) <= requests) continue;
      const peak = mostInFlight(list);
      const [by] = list;
      if (!by || peak <= requests) continue;
      const evidence = () => ({ inFlight: peak, userAgent: client.userAgent, request: requestText(by) });
      tally.add({ by, table: null, subject: client.userAgent, times: peak, evidence });
    }
    return tally.candidates;
  },
});

function mostInFlight(list: readonly Observation[]): number {
  const ends = Float64Array.from(list, ({ endMs }) => endMs).sort();
  let ended = 0;
  let most = 0;
  for (const [at, { startMs }] of list.entries()) {
    while (ended < at && (ends[ended] as number) <= startMs) ended++;
    most = Math.max(most, at + 1 - ended);
  }
  return most;
}

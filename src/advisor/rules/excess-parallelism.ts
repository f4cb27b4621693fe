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
  judge({ clients, uses }, { requests }) {
    const tally = new Tally();
    for (const { client, atATime } of uses) {
      // A connection carries one request at a time.
      if (atATime <= requests) continue;
      const [by] = clients.get(client) ?? [];
      if (!by) continue;
      const evidence = () => ({ connectionsAtATime: atATime, userAgent: client.userAgent, request: requestText(by) });
      tally.add({ by, table: null, subject: client.userAgent, times: atATime, evidence });
    }
    return tally.candidates;
  },
});

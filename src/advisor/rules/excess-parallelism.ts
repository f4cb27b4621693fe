import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const excessParallelism = defineRule<'excess-parallelism'>({
  id: 'excess-parallelism',
  severity: 'warning',
  title: 'a client sends very many requests at the same time',
  why: 'Unbounded parallelism exceeds the limits of the client and the service: requests wait in a queue, time out or are throttled. The client then retries all of these requests.',
  advice: 'Limit the number of simultaneous requests, and adapt the limit to the answers of the service.',
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

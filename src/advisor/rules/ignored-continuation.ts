import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { pagingPage } from '../sources.ts';
import { groupBy, queryName } from '../window.ts';

export const ignoredContinuation = defineRule<'ignored-continuation'>({
  id: 'ignored-continuation',
  severity: 'error',
  title: 'a client reads only the first page of a query',
  why: 'A page has at most 1,000 entities, may end earlier at any point, and may even be empty. A client that ignores the continuation misses the remaining entities and gets no error.',
  advice:
    'Request further pages while the response has `x-ms-continuation-NextPartitionKey`. In JavaScript, iterate over the result of `listEntities`.',
  pattern: null,
  source: pagingPage('Sample response headers and subsequent request'),
  occasion: ({ queries }) => queries.some(({ traits }) => traits.givesContinuation),
  judge({ queries, nowMs }, { repeats, withinMs }) {
    const tally = new Tally();
    const paged = queries.filter(
      ({ traits }) => (traits.givesContinuation || traits.followsContinuation) && traits.top === undefined,
    );
    for (const list of groupBy(paged, queryName).values()) {
      // A client that follows continuations may stop when it has found what it needs.
      if (list.some(({ traits }) => traits.followsContinuation) || list.length < repeats) continue;
      const [first] = list;
      if (!first || nowMs - first.by.endMs < withinMs) continue;
      const evidence = () => ({
        times: list.length,
        returned: first.traits.returned,
        userAgent: first.by.client.userAgent,
        request: requestText(first.by),
      });
      tally.add({ by: first.by, subject: queryName(first), times: list.length, evidence });
    }
    return tally.candidates;
  },
});

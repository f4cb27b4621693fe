import { defineRule, Tally } from '../rule.ts';
import { partitionOf } from '../second-loads.ts';
import { quotedString, requestText } from '../show-request.ts';
import { guidelines } from '../sources.ts';
import { countOperations, groupBy } from '../window.ts';

export const hotPartition = defineRule<'hot-partition'>({
  id: 'hot-partition',
  severity: 'warning',
  title: 'one partition takes most of the requests',
  why: 'The service balances load by moving partitions between servers. It cannot divide the load of a single one.',
  advice:
    'Choose a PartitionKey that spreads the busy entities, or put a prefix such as a hash of the RowKey in front of it.',
  pattern: null,
  source: guidelines('Design your Table service solution to be write-efficient'),
  occasion: ({ all }) => all.some(({ table, partitionKey }) => table !== undefined && partitionKey !== undefined),
  judge({ all }, { share, operations, partitions }) {
    const tally = new Tally();
    const pinned = all.filter((by) => by.table !== undefined && partitionOf(by) !== undefined);
    for (const list of groupBy(pinned, ({ table }) => table).values()) {
      const ofRequests = countOperations(list);
      if (ofRequests < operations) continue;
      const byPartition = groupBy(list, (by) => partitionOf(by) ?? '');
      if (byPartition.size < partitions) continue;
      const counts = [...byPartition].map(([key, own]) => ({ key, by: own[0], requests: countOperations(own) }));
      const { key, by, requests } = counts.reduce((a, b) => (b.requests > a.requests ? b : a));
      if (!by || requests <= ofRequests * share) continue;
      const figures = { requests, ofRequests, partitions: byPartition.size };
      const evidence = () => ({ partitionKey: quotedString(key), ...figures, request: requestText(by) });
      tally.add({ by, times: requests, evidence });
    }
    return tally.candidates;
  },
});

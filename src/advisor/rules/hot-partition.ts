import { busiestPartition } from '../busiest-partition.ts';
import { defineRule, Tally } from '../rule.ts';
import { partitionOf } from '../second-loads.ts';
import { quotedString, requestText } from '../show-request.ts';
import { guidelines } from '../sources.ts';
import { countOperations, groupBy } from '../window.ts';

export const hotPartition = defineRule<'hot-partition'>({
  id: 'hot-partition',
  severity: 'warning',
  title: 'one partition gets most of the requests',
  why: 'The service balances load by moving partitions between servers. It cannot divide the load of a single partition.',
  advice:
    'Choose a PartitionKey that spreads the busy entities over several partitions, or put a prefix, such as a hash of the RowKey, in front of the PartitionKey.',
  pattern: null,
  source: guidelines('Design your Table service solution to be write-efficient'),
  occasion: ({ all }) => all.some(({ table, partitionKey }) => table !== undefined && partitionKey !== undefined),
  judge({ all }, thresholds) {
    const tally = new Tally();
    const pinned = all.filter((by) => by.table !== undefined && partitionOf(by) !== undefined);
    for (const list of groupBy(pinned, ({ table }) => table).values()) {
      const byPartition = groupBy(list, (by) => partitionOf(by) ?? '');
      const counts = new Map([...byPartition].map(([key, own]) => [key, countOperations(own)]));
      const busiest = busiestPartition(counts, thresholds);
      const by = busiest && byPartition.get(busiest.key)?.[0];
      if (!by) continue;
      const { key, ...figures } = busiest;
      const evidence = () => ({ partitionKey: quotedString(key), ...figures, request: requestText(by) });
      tally.add({ by, times: figures.requests, evidence });
    }
    return tally.candidates;
  },
});

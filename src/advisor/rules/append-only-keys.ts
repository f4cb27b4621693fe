import { judgeKeyOrder } from '../key-order.ts';
import { defineRule } from '../rule.ts';
import { patternsPage } from '../sources.ts';

export const appendOnlyKeys = defineRule<'append-only-keys'>({
  id: 'append-only-keys',
  severity: 'warning',
  title: 'each new partition lies behind all earlier ones',
  why: 'New partitions at the end of a table are all in its last range, so one server takes every insert (append only).',
  advice:
    'Do not begin the PartitionKey with a time or a counter. Put a hash or another spreading value in front of it, or keep the time in the RowKey.',
  pattern: 'Log tail pattern',
  source: patternsPage('Prepend/append anti-pattern'),
  raised: 'at least `share` of at least `partitions` new, distinct PartitionKeys lie beyond all earlier ones',
  notRaised: 'time in the RowKey (log tail pattern), and keys in any other order',
  bad: ["POST /Events   PartitionKey='2024-06-01T10:00:01.5Z'   # then :02.1, :02.9 …"],
  good: ["POST /Events   PartitionKey='sensor-17' RowKey='2519870399999999999'   # ticks that remain until a far day"],
  occasion: ({ written }) => written.length > 0,
  judge: (window, thresholds) => judgeKeyOrder(window, { ...thresholds, isBeyond: (key, { last }) => key > last }),
});

import { judgeOrder } from '../key-patterns.ts';
import { defineRule } from '../rule.ts';
import { patternsPage } from '../sources.ts';

export const prependOnlyKeys = defineRule<'prepend-only-keys'>({
  id: 'prepend-only-keys',
  severity: 'warning',
  title: 'each new partition sorts before all earlier ones',
  why: 'All new partitions are in the first range of the table, so one server handles every insert (prepend-only pattern).',
  advice:
    'Do not begin the PartitionKey with inverted ticks or a falling counter. Put these values into the RowKey, under a PartitionKey that spreads the load.',
  pattern: 'Log tail pattern',
  source: patternsPage('Prepend/append anti-pattern'),
  isOfNow: true,
  occasion: ({ tables }) => tables.some(({ order }) => order !== undefined),
  judge: ({ tables }, thresholds) => judgeOrder(tables, 'prepend-only', thresholds),
});

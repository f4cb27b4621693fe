import { judgeOrder } from '../key-patterns.ts';
import { defineRule } from '../rule.ts';
import { patternsPage } from '../sources.ts';

export const appendOnlyKeys = defineRule<'append-only-keys'>({
  id: 'append-only-keys',
  severity: 'warning',
  title: 'each new partition sorts after all earlier ones',
  why: 'All new partitions are in the last range of the table, so one server handles every insert (append-only pattern).',
  advice:
    'Do not begin the PartitionKey with a time or a counter. Begin the PartitionKey with a hash or another value that spreads the load, or move the time or counter to the RowKey.',
  pattern: 'Log tail pattern',
  source: patternsPage('Prepend/append anti-pattern'),
  isOfNow: true,
  occasion: ({ tables }) => tables.some(({ order }) => order !== undefined),
  judge: ({ tables }, thresholds) => judgeOrder(tables, 'append-only', thresholds),
});

import { defineRule, noCost } from '../rule.ts';
import { literal } from '../show-request.ts';
import { queryingPage } from '../sources.ts';

export const lonePartition = defineRule<'lone-partition'>({
  id: 'lone-partition',
  severity: 'warning',
  title: 'all entities of a large table are in one partition',
  why: 'A table of one partition is served by one server and cannot be scaled out, however large it grows.',
  advice: 'Choose a PartitionKey with many values, such as the customer, the device or the day.',
  pattern: null,
  source: queryingPage('Choosing an appropriate PartitionKey'),
  isOfNow: true,
  occasion: ({ tables }) => tables.some(({ firstPartition }) => firstPartition !== undefined),
  judge: ({ tables }, { entities: least }) =>
    tables.flatMap(({ account, name, firstPartition, firstWrite, hasSeveralPartitions, entities, lastAtMs }) => {
      const count = hasSeveralPartitions ? 0 : (entities?.estimate() ?? 0);
      if (count <= least) return [];
      const evidence = { partitionKey: literal(firstPartition), entities: count, request: firstWrite };
      const times = { firstAtMs: lastAtMs, lastAtMs };
      return [{ account, table: name, subject: '', count: 1, least: 1, ...times, evidence, cost: noCost }];
    }),
});

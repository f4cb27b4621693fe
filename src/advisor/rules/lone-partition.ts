import { isLone } from '../key-patterns.ts';
import { defineRule, noCost } from '../rule.ts';
import { quotedString } from '../show-request.ts';
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
  judge: ({ tables }, thresholds) =>
    tables.flatMap((table) => {
      if (!isLone(table, thresholds)) return [];
      const { account, name, firstPartition, firstWrite, entities, lastAtMs } = table;
      const count = entities?.estimate() ?? 0;
      const evidence = { partitionKey: quotedString(firstPartition), entities: count, request: firstWrite };
      const times = { firstAtMs: lastAtMs, lastAtMs };
      return [{ account, table: name, subject: '', count: 1, least: 1, ...times, evidence, cost: noCost }];
    }),
});

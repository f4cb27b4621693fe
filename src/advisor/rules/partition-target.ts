import { defineRule, Tally } from '../rule.ts';
import { busiestPartition } from '../seconds.ts';
import { literal, requestText } from '../show-request.ts';
import { targetsPage } from '../sources.ts';

export const partitionTarget = defineRule<'partition-target'>({
  id: 'partition-target',
  severity: 'warning',
  title: 'a partition reaches its scalability target',
  why: 'One server serves a partition. Beyond its target it answers 503 Server Busy, whatever the rest of the account does.',
  advice:
    'Divide the entities over more partitions, or read fewer of them: the target counts entities visited, not returned.',
  pattern: null,
  source: targetsPage('Scale targets for Table storage: target throughput for a single table partition'),
  raised:
    'the entities visited or written in one partition in a second reach `noteShare` of its target (a note) or `warningShare` (a warning)',
  notRaised: 'the same load spread over partitions',
  bad: ["GET /Orders()?$filter=PartitionKey eq 'all' and Total gt 100   # 3,000 entities visited, in each second"],
  good: ["GET /Orders()?$filter=PartitionKey eq 'customer-17' and RowKey ge '2024-06'   # 40 visited"],
  occasion: ({ all }) => all.some(({ table }) => table !== undefined),
  judge(window, { noteShare, warningShare }) {
    const tally = new Tally();
    const target = window.targets.partition;
    for (const load of window.seconds) {
      if (load.entities < target * noteShare) continue;
      const busiest = busiestPartition(load);
      if (!busiest || busiest.entities < target * noteShare) continue;
      const { table, partitionKey, first, entities } = busiest;
      const severity = entities >= target * warningShare ? 'warning' : 'note';
      tally.add({
        by: first,
        table,
        subject: severity,
        severity,
        evidence: () => ({
          partitionKey: literal(partitionKey),
          entitiesInASecond: entities,
          target,
          request: requestText(first),
        }),
      });
    }
    return tally.candidates;
  },
});

import { defineRule, Tally } from '../rule.ts';
import { quotedString } from '../show-request.ts';
import { targetsPage } from '../sources.ts';

export const partitionTarget = defineRule<'partition-target'>({
  id: 'partition-target',
  severity: 'warning',
  title: 'a partition reaches its scalability target',
  why: 'A partition is served by one server. Beyond the target, this server answers 503 Server Busy, even if the rest of the account is idle.',
  advice:
    'Spread the entities over more partitions, or visit fewer entities: the target counts every entity that a query visits, whether it is returned or not.',
  pattern: null,
  source: targetsPage('Scale targets for Table storage'),
  occasion: ({ all }) => all.some(({ table }) => table !== undefined),
  judge(window, { noteShare, warningShare }) {
    const tally = new Tally();
    const target = window.targets.partition;
    for (const load of window.seconds.now.flatMap(({ partitions }) => partitions)) {
      const { table, partitionKey, request, entities } = load;
      if (entities < target * noteShare) continue;
      const severity = entities >= target * warningShare ? 'warning' : 'note';
      tally.add({
        by: load,
        table,
        subject: severity,
        times: 1,
        severity,
        evidence: () => ({
          partitionKey: quotedString(partitionKey),
          entitiesInASecond: entities,
          target,
          request,
        }),
      });
    }
    return tally.candidates;
  },
});

import { defineRule, Tally } from '../rule.ts';
import { targetsPage } from '../sources.ts';

export const accountTarget = defineRule<'account-target'>({
  id: 'account-target',
  severity: 'warning',
  title: 'the account reaches its scalability target',
  why: 'When an account exceeds its target, the service throttles all tables of the account, including tables that are hardly used.',
  advice:
    'Visit fewer entities: give PartitionKey and RowKey, or ranges of them, in every query. Alternatively, spread the work over time or distribute the tables over several accounts.',
  pattern: null,
  source: targetsPage('Scale targets for Table storage'),
  occasion: ({ all }) => all.length > 0,
  judge(window, { noteShare, warningShare }) {
    const tally = new Tally();
    const target = window.targets.account;
    for (const load of window.seconds.now) {
      const { entities, requests, request } = load;
      if (entities < target * noteShare) continue;
      const severity = entities >= target * warningShare ? 'warning' : 'note';
      const evidence = () => ({
        entitiesInASecond: entities,
        target,
        requests,
        request,
      });
      tally.add({ by: load, table: null, subject: severity, times: 1, severity, evidence });
    }
    return tally.candidates;
  },
});

import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { targetsPage } from '../sources.ts';

export const accountTarget = defineRule<'account-target'>({
  id: 'account-target',
  severity: 'warning',
  title: 'the account reaches its scalability target',
  why: 'Beyond the target of the account every table of it is throttled, also those that are hardly used.',
  advice:
    'Visit fewer entities (bound both keys), spread the work over time, or divide the tables over several accounts.',
  pattern: null,
  source: targetsPage('Scale targets for Table storage: maximum request rate per storage account'),
  raised:
    'the entities visited or written in an account in a second reach `noteShare` of its target (a note) or `warningShare` (a warning)',
  notRaised: 'the same work at a slower pace',
  bad: ['GET /Orders()?$filter=State eq 4   # by many workers at once, each of which visits 10,000 entities'],
  good: ["GET /Orders()?$filter=PartitionKey eq 'open' and RowKey lt '2024-06'"],
  occasion: ({ all }) => all.length > 0,
  judge(window, { noteShare, warningShare }) {
    const tally = new Tally();
    const target = window.targets.account;
    for (const { entities, requests } of window.seconds) {
      const [by] = requests;
      if (!by || entities < target * noteShare) continue;
      const severity = entities >= target * warningShare ? 'warning' : 'note';
      const evidence = () => ({
        entitiesInASecond: entities,
        target,
        requests: requests.length,
        request: requestText(by),
      });
      tally.add({ by, table: null, subject: severity, severity, evidence });
    }
    return tally.candidates;
  },
});

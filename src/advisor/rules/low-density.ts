import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanCost, scanEvidence, wastefulScans } from '../scans.ts';
import { checklistPage } from '../sources.ts';

export const lowDensity = defineRule<'low-density'>({
  id: 'low-density',
  severity: 'warning',
  title: 'a query returns hardly any of the entities that it visits',
  why: 'Every visited entity costs time and capacity, whether it is returned or not. A query should visit hardly more entities than it returns.',
  advice:
    'Find the property whose condition rejects most entities. Put this property into the keys, or keep index entities for it.',
  pattern: 'Index entities pattern',
  source: checklistPage('Query density'),
  occasion: hasQueries,
  judge(window, { visited, share }) {
    const tally = new Tally();
    for (const scan of wastefulScans(window, { visited: visited - 1, wantedShare: share })) {
      tally.add({ by: scan.first.by, cost: scanCost(scan), evidence: () => scanEvidence(scan) });
    }
    return tally.candidates;
  },
});

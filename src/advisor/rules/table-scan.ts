import { isRowKeyOnly, listsRowKeys } from '../filters.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanCost, scanEvidence, wastefulScans } from '../scans.ts';
import { queryingPage } from '../sources.ts';

export const tableScan = defineRule<'table-scan'>({
  id: 'table-scan',
  severity: 'warning',
  title: 'a query without PartitionKey reads the whole table',
  why: 'Without PartitionKey the service visits every partition of the table. The time depends on the size of the table, not on the size of the answer, and every visited entity counts towards the targets.',
  advice:
    'Add a condition `PartitionKey eq`. Alternatively, keep a copy of each entity, with the searched value as the PartitionKey of the copy.',
  pattern: 'Inter-partition secondary index pattern',
  source: queryingPage('How your choice of PartitionKey and RowKey impacts query performance: table scan'),
  occasion: hasQueries,
  judge(window, thresholds) {
    const tally = new Tally();
    for (const scan of wastefulScans(window, thresholds)) {
      const { by, traits } = scan.first;
      const { plan } = traits;
      if (plan.kind !== 'table scan' || isRowKeyOnly(plan) || listsRowKeys(plan.residual)) continue;
      tally.add({
        by,
        subject: plan.bounds.length > 0 ? 'bounded' : '',
        cost: scanCost(scan),
        evidence: () => scanEvidence(scan),
      });
    }
    return tally.candidates;
  },
});

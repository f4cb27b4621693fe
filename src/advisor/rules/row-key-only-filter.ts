import { isRowKeyOnly } from '../filters.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanCost, scanEvidence, wastefulScans } from '../scans.ts';
import { queryingPage } from '../sources.ts';

export const rowKeyOnlyFilter = defineRule<'row-key-only-filter'>({
  id: 'row-key-only-filter',
  severity: 'warning',
  title: 'a query names the RowKey without the PartitionKey',
  why: 'RowKey orders entities only within a partition. A filter on RowKey without PartitionKey is a table scan, although it looks like a lookup by key.',
  advice:
    'Add a condition on PartitionKey to the filter. If the program does not know the PartitionKey, keep a second entity (an index entity), and use the RowKey of the first entity as the PartitionKey of the second.',
  pattern: 'Index entities pattern',
  source: queryingPage('How your choice of PartitionKey and RowKey impacts query performance'),
  occasion: hasQueries,
  judge(window, { visited }) {
    const tally = new Tally();
    for (const scan of wastefulScans(window, { visited })) {
      if (!isRowKeyOnly(scan.first.traits.plan)) continue;
      tally.add({ by: scan.first.by, cost: scanCost(scan), evidence: () => scanEvidence(scan) });
    }
    return tally.candidates;
  },
});

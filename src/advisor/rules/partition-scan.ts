import { listsRowKeys } from '../filters.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanCost, scanEvidence, wastefulScans } from '../scans.ts';
import { queryingPage } from '../sources.ts';

export const partitionScan = defineRule<'partition-scan'>({
  id: 'partition-scan',
  severity: 'warning',
  title: 'a query without RowKey reads a whole partition',
  why: 'With PartitionKey alone, the service visits every entity of the partition and evaluates the rest of the filter on each entity.',
  advice:
    'Put the searched value into the RowKey, or store index entities in the same partition. An index entity is a copy of an entity, with the searched value in the RowKey of the copy.',
  pattern: 'Intra-partition secondary index pattern',
  source: queryingPage('How your choice of PartitionKey and RowKey impacts query performance: partition scan'),
  occasion: hasQueries,
  judge(window, thresholds) {
    const tally = new Tally();
    for (const scan of wastefulScans(window, thresholds)) {
      const { plan } = scan.first.traits;
      if (plan.kind !== 'partition scan' || listsRowKeys(plan.residual)) continue;
      tally.add({ by: scan.first.by, cost: scanCost(scan), evidence: () => scanEvidence(scan) });
    }
    return tally.candidates;
  },
});

import { listsRowKeys } from '../filters.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanCost, scanEvidence } from '../scans.ts';
import { queryingPage } from '../sources.ts';

export const orOfKeys = defineRule<'or-of-keys'>({
  id: 'or-of-keys',
  severity: 'warning',
  title: 'an `or` lists entities by their RowKeys',
  why: 'The service uses its index only for conditions joined by `and`. An `or` of keys visits every entity of the partition, or of the table, to find a few entities.',
  advice: 'Send a point query for each key, in parallel.',
  pattern: null,
  source: queryingPage('How your choice of PartitionKey and RowKey impacts query performance'),
  occasion: hasQueries,
  judge({ enumerations }, { count }) {
    const tally = new Tally(count);
    for (const scan of enumerations) {
      const { kind, residual } = scan.first.traits.plan;
      if (!kind.endsWith('scan') || !listsRowKeys(residual)) continue;
      tally.add({ by: scan.first.by, cost: scanCost(scan), evidence: () => scanEvidence(scan) });
    }
    return tally.candidates;
  },
});

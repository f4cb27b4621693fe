import { defineRule, Tally } from '../rule.ts';
import { hasQueries } from '../scans.ts';
import { requestText } from '../show-request.ts';
import { queryingPage } from '../sources.ts';

export const filterWithoutPointRead = defineRule<'filter-without-point-read'>({
  id: 'filter-without-point-read',
  severity: 'note',
  title: 'a filter names both keys of one entity',
  why: 'For a filter with both keys, the service finds the entity by its keys. But Get Entity is faster, because the service need not parse a filter or answer with a list.',
  advice:
    'Use Get Entity: `getEntity(partitionKey, rowKey)`. For a missing entity, the answer is 404, not an empty list.',
  pattern: null,
  source: queryingPage('How your choice of PartitionKey and RowKey impacts query performance: point query'),
  occasion: hasQueries,
  judge({ queries }, { count }) {
    const tally = new Tally(count);
    for (const { by, traits } of queries) {
      const { kind, bounds, residual } = traits.plan;
      if (kind !== 'point' || residual !== undefined || bounds.some(({ operator }) => operator !== 'eq')) continue;
      tally.add({ by, evidence: () => ({ filter: traits.filter ?? '', request: requestText(by) }) });
    }
    return tally.candidates;
  },
});

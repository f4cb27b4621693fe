import { comparisonsOf } from '../filters.ts';
import { type Candidate, defineRule, Tally } from '../rule.ts';
import { requestText, writeText } from '../show-request.ts';
import { dataModelPage } from '../sources.ts';
import type { Thresholds } from '../thresholds.ts';
import type { ObservedQuery, Window, Write } from '../window.ts';

export const nearLimit = defineRule<'near-limit'>({
  id: 'near-limit',
  severity: 'note',
  title: 'a limit of the service is near',
  why: 'If the data grows a little, the service will refuse it. The limits are 252 properties, 1 MiB for an entity, 64 KiB for a value, 1 KiB for a key, 4 MiB for a transaction and 15 comparisons for a filter.',
  advice:
    'Split entities with many properties into several entities, keep large values in blobs, and replace a long filter by a point query for each key.',
  pattern: 'Large entities pattern',
  source: dataModelPage('Property limitations'),
  occasion: ({ written, queries }) => written.length > 0 || queries.length > 0,
  judge(window, thresholds): readonly Candidate[] {
    const tally = new Tally();
    for (const write of window.written) {
      for (const [limit, value] of nearIn(write, thresholds)) {
        tally.add({ by: write.by, subject: limit, evidence: () => ({ limit, value, request: writeText(write) }) });
      }
    }
    for (const by of window.transactions) {
      if (by.bytesIn <= thresholds.transactionBytes) continue;
      const figures = { limit: 'transactionBytes', value: by.bytesIn };
      tally.add({ by, subject: 'transactionBytes', evidence: () => ({ ...figures, request: requestText(by) }) });
    }
    for (const query of manyComparisons(window, thresholds)) {
      const value = comparisonsOf(query.traits.plan).length;
      const figures = { limit: 'comparisons', value };
      const evidence = () => ({ ...figures, request: requestText(query.by) });
      tally.add({ by: query.by, subject: 'comparisons', evidence });
    }
    return tally.candidates;
  },
});

type Bounds = Thresholds['near-limit'];

function nearIn({ partitionKey, rowKey, traits }: Write, bounds: Bounds): [limit: string, value: number][] {
  const key = Math.max(partitionKey.length, rowKey.length);
  const near: [string, number][] = key > bounds.keyChars ? [['keyChars', key]] : [];
  if (!traits) return near;
  for (const limit of ['properties', 'entityBytes', 'valueBytes'] as const) {
    if (traits[limit] > bounds[limit]) near.push([limit, traits[limit]]);
  }
  return near;
}

/**
 * Returns the queries with at least `comparisons` comparisons. Does not examine filters that are too short for this
 * number of comparisons: each comparison has at least the length of `a eq 1`.
 */
const manyComparisons = ({ queries }: Window, { comparisons }: Bounds): readonly ObservedQuery[] =>
  queries.filter(
    ({ traits: { filter = '', plan } }) =>
      filter.length >= comparisons * 'a eq 1'.length && comparisonsOf(plan).length >= comparisons,
  );

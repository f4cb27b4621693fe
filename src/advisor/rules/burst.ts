import { defineRule, Tally } from '../rule.ts';
import type { SecondLoad } from '../second-loads.ts';
import { checklistPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const burst = defineRule<'burst'>({
  id: 'burst',
  severity: 'warning',
  title: 'the load jumps',
  why: 'The service balances load by moving partitions, which takes minutes. A sudden burst arrives before the service has moved any partition. The service therefore throttles the burst even if the load is below the targets.',
  advice: 'Let the load grow gradually: queue the work, add jitter to timers, and warm up before a peak.',
  pattern: null,
  source: checklistPage('Targets for data operations'),
  occasion: ({ all }) => all.length > 0,
  judge({ seconds, targets }, { factor, targetShare, trailingSeconds }) {
    const tally = new Tally();
    const all = groupBy([...seconds.before, ...seconds.now], ({ account }) => account);
    for (const load of seconds.now) {
      const { account, entities, partitions, request } = load;
      // Most seconds are far below any target. This quick check leaves them out.
      if (entities <= targets.partition * targetShare) continue;
      const [partition] = partitions;
      const isNear =
        entities > targets.account * targetShare || (partition?.entities ?? 0) > targets.partition * targetShare;
      const usual = isNear ? trailingAverage(load, all.get(account) ?? [], trailingSeconds) : undefined;
      if (usual === undefined || entities < usual * factor) continue;
      const evidence = () => ({ entitiesInASecond: entities, usualInASecond: Math.round(usual), request });
      tally.add({ by: load, table: partition?.table ?? null, times: 1, evidence });
    }
    return tally.candidates;
  },
});

/**
 * Returns the average load in the period of `seconds` seconds that ends before the given second. Returns undefined if
 * the advisor did not observe the complete period, or if the load was zero during the complete period.
 */
function trailingAverage({ second }: SecondLoad, loads: readonly SecondLoad[], seconds: number): number | undefined {
  const [first] = loads;
  if (!first || second - first.second < seconds) return undefined;
  const before = loads.filter((load) => load.second < second && load.second >= second - seconds);
  const entities = before.reduce((sum, load) => sum + load.entities, 0);
  return entities === 0 ? undefined : entities / seconds;
}

import { defineRule, Tally } from '../rule.ts';
import { busiestPartition, type SecondLoad } from '../seconds.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const burst = defineRule<'burst'>({
  id: 'burst',
  severity: 'warning',
  title: 'the load jumps',
  why: 'The service moves partitions to balance load, which takes it minutes. A sudden burst meets the servers as they are, and is throttled below the targets.',
  advice: 'Let the load grow gradually: queue the work, add jitter to timers, warm up before a peak.',
  pattern: null,
  source: checklistPage('Targets for data operations'),
  occasion: ({ all }) => all.length > 0,
  judge(window, thresholds) {
    const tally = new Tally();
    for (const loads of groupBy(window.seconds, ({ account }) => account).values()) {
      for (const load of loads) {
        // Most seconds are far from any target: they need no more than this.
        if (load.entities <= window.targets.partition * thresholds.targetShare) continue;
        const partition = busiestPartition(load);
        const isNear =
          load.entities > window.targets.account * thresholds.targetShare ||
          (partition?.entities ?? 0) > window.targets.partition * thresholds.targetShare;
        const usual = isNear ? trailingAverage(load, loads, thresholds.trailingSeconds) : undefined;
        const [by] = load.requests;
        if (!by || usual === undefined || load.entities < usual * thresholds.factor) continue;
        const figures = { entitiesInASecond: load.entities, usualInASecond: Math.round(usual) };
        tally.add({
          by,
          table: partition?.table ?? null,
          times: 1,
          evidence: () => ({ ...figures, request: requestText(by) }),
        });
      }
    }
    return tally.candidates;
  },
});

/** Undefined if the time before was not seen, or was idle. */
function trailingAverage({ second }: SecondLoad, loads: readonly SecondLoad[], seconds: number): number | undefined {
  const [first] = loads;
  if (!first || second - first.second < seconds) return undefined;
  const before = loads.filter((load) => load.second < second && load.second >= second - seconds);
  const entities = before.reduce((sum, load) => sum + load.entities, 0);
  return entities === 0 ? undefined : entities / seconds;
}

import { aroundOf, gapsOf, hasServerFailures, retriesIn } from '../retries.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const immediateRetry = defineRule<'immediate-retry'>({
  id: 'immediate-retry',
  severity: 'warning',
  title: 'a request is sent again immediately after the service failed',
  why: 'A partition that is throttled or being moved needs seconds to recover. Immediate retries keep the partition busy, and the service refuses them as well.',
  advice:
    'Wait before the first retry: the exponential retry policy of the SDKs begins with a pause of almost a second.',
  pattern: null,
  source: checklistPage('Timeout and Server Busy errors'),
  occasion: hasServerFailures,
  judge(window, { count, gapMs }) {
    const tally = new Tally(count);
    for (const attempts of retriesIn(window, { withinMs: gapMs })) {
      const [by] = attempts;
      const gap = Math.round(gapsOf(attempts)[0] ?? 0);
      if (gap >= gapMs) continue;
      const figures = { status: by.status, gapMs: gap, userAgent: by.client.userAgent, ...aroundOf(window, attempts) };
      tally.add({ by, cost: { roundTrips: 1 }, evidence: () => ({ ...figures, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});

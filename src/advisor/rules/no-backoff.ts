import { aroundOf, gapsOf, hasServerFailures, retriesIn } from '../retries.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const noBackoff = defineRule<'no-backoff'>({
  id: 'no-backoff',
  severity: 'warning',
  title: 'retries come at the same pace, or too often',
  why: 'Clients that retry at a steady pace keep the service overloaded: the service cannot recover while all clients retry together.',
  advice: 'Double the pause with each retry, add a random part, and give up after a few attempts.',
  pattern: null,
  source: checklistPage('Timeout and Server Busy errors'),
  occasion: hasServerFailures,
  judge(window, { count, gaps: least, growth, tries, withinMs }) {
    const tally = new Tally(count);
    for (const attempts of retriesIn(window, { withinMs })) {
      const [by] = attempts;
      const gaps = gapsOf(attempts);
      const isSteady = gaps.length >= least && !isGrowing(gaps, growth);
      if (!isSteady && attempts.length <= tries) continue;
      const figures = { attempts: attempts.length, gapsMs: gaps.slice(0, 8).map((gap) => String(Math.round(gap))) };
      const evidence = () => ({
        ...figures,
        ...aroundOf(window, attempts),
        userAgent: by.client.userAgent,
        request: requestText(by),
      });
      tally.add({ by, cost: { roundTrips: Math.max(0, attempts.length - tries) }, evidence });
    }
    return tally.candidates;
  },
});

/**
 * Whether the pauses grow. Compares the average pause of the later half with the average pause of the earlier half, so
 * the random part of each pause does not matter.
 */
function isGrowing(gaps: readonly number[], growth: number): boolean {
  const half = gaps.length >> 1;
  const mean = (list: readonly number[]): number => list.reduce((sum, gap) => sum + gap, 0) / list.length;
  return mean(gaps.slice(-half)) >= mean(gaps.slice(0, half)) * growth && mean(gaps) > 0;
}

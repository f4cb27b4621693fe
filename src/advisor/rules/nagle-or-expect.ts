import type { Observation } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const nagleOrExpect = defineRule<'nagle-or-expect'>({
  id: 'nagle-or-expect',
  severity: 'warning',
  title: 'small requests arrive in two parts',
  why: "Head and body of a small request fit one packet. Nagle's algorithm holds the body back for up to 200 ms; `Expect: 100-continue` costs a round trip.",
  advice:
    'Turn Nagle off (`ServicePointManager.UseNagleAlgorithm = false`) and `Expect100Continue` too, or use a current runtime, which does neither.',
  pattern: null,
  source: checklistPage('Configuration: Nagle'),
  raised:
    'at least `count` requests with bodies under `naglesBytes` whose body comes `gapMsMin` to `gapMsMax` after the head (likely Nagle), or with `Expect: 100-continue` and bodies under `expectsBytes`',
  notRaised: 'large bodies, and single requests that were slow',
  bad: ['POST /Pets   Expect: 100-continue, Content-Length: 120'],
  good: ['POST /Pets   Content-Length: 120'],
  occasion: hasWrites,
  judge({ all }, thresholds) {
    const tally = new Tally(thresholds.count);
    for (const by of all) {
      const { bytesIn, bodyWaitMs } = by;
      const cause = by.bytesIn === 0 ? undefined : causeOf(by, thresholds);
      if (cause === undefined) continue;
      const figures = { cause, bytesIn, bodyWaitMs: Math.round(bodyWaitMs), userAgent: by.client.userAgent };
      const evidence = () => ({ ...figures, request: requestText(by) });
      tally.add({ by, table: null, subject: cause, cost: { roundTrips: 1 }, evidence });
    }
    return tally.candidates;
  },
});

interface Bounds {
  readonly gapMsMin: number;
  readonly gapMsMax: number;
  readonly naglesBytes: number;
  readonly expectsBytes: number;
}

function causeOf({ expectsContinue, bytesIn, bodyWaitMs }: Observation, bounds: Bounds): string | undefined {
  if (expectsContinue) return bytesIn < bounds.expectsBytes ? 'Expect: 100-continue' : undefined;
  const isLate = bodyWaitMs >= bounds.gapMsMin && bodyWaitMs <= bounds.gapMsMax;
  return isLate && bytesIn < bounds.naglesBytes ? "likely Nagle's algorithm" : undefined;
}

import type { Observation } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import { groupBy } from '../window.ts';

const nagle = "likely Nagle's algorithm";

export const nagleOrExpect = defineRule<'nagle-or-expect'>({
  id: 'nagle-or-expect',
  severity: 'warning',
  title: 'small requests arrive in two parts',
  why: "The head and the body of a small request fit into one packet. Nagle's algorithm holds the body back for up to 200 ms, and `Expect: 100-continue` costs a round trip.",
  advice:
    'Turn off Nagle (`ServicePointManager.UseNagleAlgorithm = false`) and `Expect100Continue`. Alternatively, use a current runtime, which uses neither.',
  pattern: null,
  source: checklistPage('Disable Nagle'),
  occasion: hasWrites,
  judge({ all }, thresholds) {
    const tally = new Tally(thresholds.count);
    const small = all.filter(({ bytesIn }) => bytesIn > 0 && bytesIn < thresholds.expectsBytes);
    for (const list of groupBy(small, ({ client }) => client).values()) {
      const late = list.filter((by) => causeOf(by, thresholds) === nagle);
      // Nagle's algorithm delays nearly all requests of a client. A busy machine delays only some of them.
      const isNagle = late.length >= list.length * thresholds.share;
      for (const by of list) {
        const cause = causeOf(by, thresholds);
        if (cause === undefined || (cause === nagle && !isNagle)) continue;
        const figures = {
          cause,
          bytesIn: by.bytesIn,
          bodyWaitMs: by.bodyWaitMs,
          userAgent: by.client.userAgent,
        };
        const evidence = () => ({ ...figures, request: requestText(by) });
        tally.add({ by, table: null, subject: cause, cost: { roundTrips: 1 }, evidence });
      }
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
  return isLate && bytesIn < bounds.naglesBytes ? nagle : undefined;
}

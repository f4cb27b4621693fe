import type { Observation } from '../observation.ts';
import { stagedBy } from '../retries.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import type { Thresholds } from '../thresholds.ts';
import { groupBy } from '../window.ts';

const finalStatuses = new Set([400, 403, 404, 409, 412, 413]);

export const retryOfFinalError = defineRule<'retry-of-final-error'>({
  id: 'retry-of-final-error',
  severity: 'warning',
  title: 'a request that cannot succeed is sent again',
  why: 'If a request is wrong, not allowed or in conflict, the service refuses it every time. A retry makes sense only after 500, 503 and timeouts.',
  advice:
    'Let the status decide: do not retry after 400, 403, 404, 409 or 413. After 412, read the entity again before you retry.',
  pattern: null,
  source: checklistPage('Non-retryable errors'),
  occasion: ({ attempts }) => attempts.some(isFinal),
  judge({ attempts }, thresholds) {
    const tally = new Tally();
    const refused = attempts.filter((by) => isFinal(by) && by.digest !== undefined);
    // Group the requests by client first. Equal requests to different accounts may have equal digests, because a digest
    // does not contain the host, and the host name may contain the account.
    for (const ofClient of groupBy(refused, ({ client }) => client).values()) {
      for (const list of groupBy(ofClient, ({ digest }) => digest).values()) add(list, { tally, thresholds });
    }
    return tally.candidates;
  },
});

type Bounds = Thresholds['retry-of-final-error'];

function add(
  list: readonly Observation[],
  { tally, thresholds }: { readonly tally: Tally; readonly thresholds: Bounds },
): void {
  const longest = longestRun(list, thresholds);
  const [by] = longest;
  if (!by || longest.length < thresholds.repeats) return;
  const figures = { status: by.status, code: by.code ?? '', times: longest.length, ...stagedBy(longest) };
  const cost = { roundTrips: longest.length - 1, transactions: longest.length - 1 };
  const evidence = () => ({ ...figures, request: requestText(by) });
  tally.add({ by, subject: `${by.status}`, times: longest.length, cost, evidence });
}

const isFinal = ({ status, code }: Observation): boolean => finalStatuses.has(status) && code !== 'TableAlreadyExists';

/**
 * Returns the longest run of refusals within `withinMs` in which each pause is shorter than `pollMs`. Longer pauses
 * mean that the client is polling.
 */
function longestRun(list: readonly Observation[], { withinMs, pollMs }: Bounds): readonly Observation[] {
  let longest: Observation[] = [];
  let run: Observation[] = [];
  for (const by of list) {
    const last = run.at(-1);
    if (last && by.startMs - last.endMs >= pollMs) run = [];
    run.push(by);
    while (by.startMs - (run[0] as Observation).startMs > withinMs) run.shift();
    if (run.length > longest.length) longest = [...run];
  }
  return longest;
}

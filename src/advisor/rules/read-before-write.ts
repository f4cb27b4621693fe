import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { requestText, writeText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import { isOtherTrace, isSameTrace, tracedBy } from '../traces.ts';

export const readBeforeWrite = defineRule<'read-before-write'>({
  id: 'read-before-write',
  severity: 'warning',
  title: 'an entity is read to decide how to write it',
  why: 'The read costs a round trip and a billed transaction, and its result may be outdated when the write arrives. The service can notice an outdated result only if the write sends the ETag.',
  advice:
    'Use `upsertEntity` (Insert Or Merge, Insert Or Replace), which needs no read. Or send the ETag from the read in the If-Match header.',
  pattern: null,
  source: checklistPage('Upsert'),
  occasion: hasWrites,
  judge(window, { count, withinMs }) {
    const tally = new Tally(count);
    for (const list of window.touches.values()) {
      for (const [at, touch] of list.entries()) {
        const before = list[at - 1];
        if (touch.kind !== 'write' || before?.kind !== 'read' || touch.condition === 'etag') continue;
        const pauseMs = touch.by.startMs - before.by.endMs;
        if (touch.by.client !== before.by.client || pauseMs < 0 || touch.status >= 300) continue;
        // If the read and the write are in one trace, they belong together, however much time passed between them.
        if (!isSameTrace(touch.by, before.by) && (pauseMs > withinMs || isOtherTrace(window, touch.by, before.by)))
          continue;
        const cost = { roundTrips: 1, transactions: 1, visited: 1 };
        const figures = { read: requestText(before.by), status: before.by.status, request: writeText(touch) };
        const evidence = () => ({ ...figures, ...tracedBy(window, [before.by, touch.by]) });
        tally.add({ by: touch.by, times: 1, cost, evidence });
      }
    }
    return tally.candidates;
  },
});

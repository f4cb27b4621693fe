import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { quotedString, requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import { isOtherTrace, isSameTrace, tracedBy } from '../traces.ts';
import { groupBy, type Window, type Write } from '../window.ts';

/** The most writes in one transaction. */
const transactionMax = 100;

export const singleWrites = defineRule<'single-writes'>({
  id: 'single-writes',
  severity: 'warning',
  title: 'entities of one partition are written one after the other',
  why: 'Each write costs a round trip and a billed transaction. For the price of one write, an entity group transaction writes up to 100 entities of a partition atomically.',
  advice: 'Collect the writes to a partition and send them as transactions: `submitTransaction`.',
  pattern: null,
  source: checklistPage('Batching'),
  occasion: hasWrites,
  judge(window, { entities, gapMs }) {
    const tally = new Tally();
    const single = window.written.filter(({ isBatched }) => !isBatched);
    for (const ofClient of groupBy(single, ({ by }) => by.client).values()) {
      for (const ofTable of groupBy(ofClient, ({ table }) => table).values()) {
        for (const list of groupBy(ofTable, ({ partitionKey }) => partitionKey).values()) {
          if (list.length < entities) continue;
          for (const run of sequencesOf(list, { gapMs, window })) add(run, { entities, tally, window });
        }
      }
    }
    return tally.candidates;
  },
});

interface Search {
  readonly entities: number;
  readonly tally: Tally;
  readonly window: Window;
}

function add(run: readonly Write[], { entities, tally, window }: Search): void {
  const distinct = new Set(run.map(({ rowKey }) => rowKey)).size;
  const [first] = run;
  if (!first || distinct < entities) return;
  const saved = run.length - Math.ceil(distinct / transactionMax);
  const figures = {
    partitionKey: quotedString(first.partitionKey),
    entities: distinct,
    userAgent: first.by.client.userAgent,
    ...tracedBy(
      window,
      run.map(({ by }) => by),
    ),
  };
  const evidence = () => ({ ...figures, request: requestText(first.by) });
  tally.add({ by: first.by, times: run.length, cost: { roundTrips: saved, transactions: saved }, evidence });
}

interface Division {
  readonly gapMs: number;
  readonly window: Window;
}

/**
 * Divides the writes into runs. Each write of a run was sent soon after the answer to the previous write. Writes of one
 * trace also stay in one run if they were sent at the same time. Writes of different traces never share a run.
 */
function sequencesOf(list: readonly Write[], { gapMs, window }: Division): Write[][] {
  const runs: Write[][] = [];
  /** When the last answer to the writes so far was sent. */
  let answeredMs = Number.POSITIVE_INFINITY;
  for (const write of list) {
    const gap = write.by.startMs - answeredMs;
    const last = runs.at(-1)?.at(-1);
    const isNext = last !== undefined && gap <= gapMs && (gap >= 0 || isSameTrace(last.by, write.by));
    if (isNext && !isOtherTrace(window, last.by, write.by)) runs.at(-1)?.push(write);
    else runs.push([write]);
    answeredMs = Math.max(answeredMs === Number.POSITIVE_INFINITY ? 0 : answeredMs, write.by.endMs);
  }
  return runs;
}

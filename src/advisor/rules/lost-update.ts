import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { quotedString, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import type { Touch } from '../window.ts';

/** The most requests for the entity that are examined before each write. */
const touchesMax = 100;

export const lostUpdate = defineRule<'lost-update'>({
  id: 'lost-update',
  severity: 'error',
  title: 'a write overwrites a change that another writer made in the meantime',
  why: 'Two writers read the same entity, and both write the entity without its ETag. The second write then undoes the first, and neither writer gets an error.',
  advice:
    'Send the ETag from the read in the If-Match header. After 412 Precondition Failed, read the entity again and repeat the change.',
  pattern: null,
  source: patternsPage('Managing concurrency'),
  occasion: hasWrites,
  judge({ touches }, { count }) {
    const tally = new Tally(count);
    for (const list of touches.values()) {
      if (list.length < 4) continue;
      const writerOf = writersIn(list);
      for (const [at, touch] of list.entries()) {
        const recent = list.slice(Math.max(0, at - touchesMax), at);
        const lost = touch.kind === 'write' ? overwritten(touch, { list: recent, writerOf }) : undefined;
        if (touch.kind !== 'write' || !lost) continue;
        const key = { partitionKey: quotedString(touch.partitionKey), rowKey: quotedString(touch.rowKey) };
        const evidence = () => ({ ...key, lost: writeText(lost), request: writeText(touch) });
        tally.add({ by: touch.by, times: 1, evidence });
      }
    }
    return tally.candidates;
  },
});

type WriteTouch = Extract<Touch, { readonly kind: 'write' }>;
type WriterOf = (touch: Touch) => unknown;

/**
 * Finds the writers of an entity. If a client's reads overlap on several connections, each connection of this client
 * counts as a separate writer. Any other client counts as one writer.
 */
function writersIn(list: readonly Touch[]): WriterOf {
  const apart = new Set<unknown>();
  const latest = new Map<unknown, Touch>();
  for (const touch of list) {
    if (touch.kind !== 'read') continue;
    const { client, connection, startMs, endMs } = touch.by;
    const last = latest.get(client);
    if (last && last.by.connection !== connection && last.by.endMs > startMs) apart.add(client);
    if (!last || endMs > last.by.endMs) latest.set(client, touch);
  }
  return ({ by }) => (apart.has(by.client) ? by.connection : by.client);
}

/**
 * Returns the write that `touch` overwrites: a write without an ETag, which another writer sent after the writer of
 * `touch` had last read the entity. Returns undefined if there is no such write.
 */
function overwritten(
  touch: WriteTouch,
  { list, writerOf }: { readonly list: readonly Touch[]; readonly writerOf: WriterOf },
): WriteTouch | undefined {
  const isBlind = touch.condition !== 'etag' && touch.status < 300 && touch.operation !== 'InsertEntity';
  if (!isBlind || touch.operation === 'DeleteEntity') return undefined;
  const writer = writerOf(touch);
  const before = list.filter(({ by }) => by.endMs <= touch.by.startMs);
  const own = before.findLast((one) => writerOf(one) === writer && (one.kind === 'write' || one.by.status === 200));
  if (own?.kind !== 'read') return undefined;
  // Use the order of the list, which is the order of the requests. Times do not always show this order, because several
  // requests may have the same machine time.
  return before
    .slice(before.indexOf(own) + 1)
    .find(
      (one): one is WriteTouch =>
        one.kind === 'write' &&
        writerOf(one) !== writer &&
        one.by.startMs >= own.by.endMs &&
        one.status < 300 &&
        one.condition !== 'etag' &&
        hasRead(one, { list, writerOf }) &&
        sharesProperty(one, touch),
    );
}

/** Whether the writer had read the entity before. A writer that never reads overwrites on purpose. */
function hasRead(
  touch: WriteTouch,
  { list, writerOf }: { readonly list: readonly Touch[]; readonly writerOf: WriterOf },
): boolean {
  const writer = writerOf(touch);
  return list.some((one) => one.kind === 'read' && writerOf(one) === writer && one.by.endMs <= touch.by.startMs);
}

function sharesProperty(a: WriteTouch, b: WriteTouch): boolean {
  const isMerge = a.operation.includes('Merge') && b.operation.includes('Merge');
  return !isMerge || ((a.traits?.names ?? 0) & (b.traits?.names ?? 0)) !== 0;
}

import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { requestText, writeText } from '../show-request.ts';
import { insertPage } from '../sources.ts';

export const readAfterWrite = defineRule<'read-after-write'>({
  id: 'read-after-write',
  severity: 'note',
  title: 'an entity is read right after it was written',
  why: 'The client has just sent all properties, and the answer to the write has the new ETag. The read costs a round trip and returns nothing new.',
  advice:
    'Use the ETag in the answer to the write. With `Prefer: return-content`, the answer to an insert contains the entity.',
  pattern: null,
  source: insertPage('Response headers'),
  occasion: hasWrites,
  judge({ touches }, { count, withinMs }) {
    const tally = new Tally(count);
    for (const list of touches.values()) {
      for (const [at, touch] of list.entries()) {
        const before = list[at - 1];
        if (touch.kind !== 'read' || before?.kind !== 'write' || touch.by.client !== before.by.client) continue;
        const pauseMs = touch.by.startMs - before.by.endMs;
        const isNew = before.status < 300 && before.operation !== 'DeleteEntity' && touch.by.status === 200;
        // After a merge, the entity also has properties that the client did not send, so the read may be useful.
        if (!isNew || before.operation.includes('Merge') || pauseMs < 0 || pauseMs > withinMs) continue;
        const cost = { roundTrips: 1, transactions: 1, visited: 1, bytes: touch.by.bytesOut };
        tally.add({
          by: touch.by,
          times: 1,
          cost,
          evidence: () => ({ write: writeText(before), request: requestText(touch.by) }),
        });
      }
    }
    return tally.candidates;
  },
});

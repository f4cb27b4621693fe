import { defineRule, Tally } from '../rule.ts';
import { requestText, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const highVolumeDelete = defineRule<'high-volume-delete'>({
  id: 'high-volume-delete',
  severity: 'warning',
  title: 'many entities are found and deleted one by one',
  why: 'Deleting entities one by one costs a read, a write and two billed transactions for each entity. Deleting a table costs one request.',
  advice:
    'Keep the entities that expire together in a separate table, for example a table for each day or month. When they expire, delete the table.',
  pattern: 'High volume delete pattern',
  source: patternsPage('High volume delete pattern'),
  occasion: ({ written }) => written.some(({ operation }) => operation === 'DeleteEntity'),
  judge({ written, queries }, { deletes }) {
    const tally = new Tally(deletes + 1);
    const single = written.filter(({ operation, isBatched }) => operation === 'DeleteEntity' && !isBatched);
    for (const ofTable of groupBy(single, ({ table }) => table).values()) {
      for (const list of groupBy(ofTable, ({ by }) => by.client).values()) {
        const [first] = list;
        if (!first || list.length < 2) continue;
        const query = queries.find(({ by, table }) => table === first.table && by.client === first.by.client);
        if (!query || query.by.startMs > first.by.startMs) continue;
        const cost = { roundTrips: list.length, transactions: list.length };
        const evidence = () => ({ deletes: list.length, query: requestText(query.by), request: writeText(first) });
        tally.add({ by: first.by, times: list.length, cost, evidence });
      }
    }
    return tally.candidates;
  },
});

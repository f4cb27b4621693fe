import { defineRule, Tally } from '../rule.ts';
import { checklistPage } from '../sources.ts';

export const createTableEachCall = defineRule<'create-table-each-call'>({
  id: 'create-table-each-call',
  severity: 'note',
  title: 'a table that exists is created again and again',
  why: 'Each attempt costs a round trip and a billed transaction, and ends in 409.',
  advice: 'Create tables when the program is deployed or starts, not in each call.',
  pattern: null,
  source: checklistPage('Insert, update, and delete'),
  occasion: ({ all }) => all.some(({ operation }) => operation === 'CreateTable'),
  judge({ all }, { count }) {
    const tally = new Tally(count + 1);
    for (const by of all) {
      if (by.operation !== 'CreateTable' || by.code !== 'TableAlreadyExists') continue;
      const { userAgent } = by.client;
      tally.add({
        by,
        cost: { roundTrips: 1, transactions: 1 },
        evidence: () => ({ userAgent, request: 'POST /Tables' }),
      });
    }
    return tally.candidates;
  },
});

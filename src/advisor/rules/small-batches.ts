import { defineRule, Tally } from '../rule.ts';
import { quotedString, requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const smallBatches = defineRule<'small-batches'>({
  id: 'small-batches',
  severity: 'note',
  title: 'many transactions to one partition have few operations each',
  why: 'A transaction costs one round trip and one billed transaction, whether it holds two operations or a hundred.',
  advice:
    'If the operations do not need separate transactions, send up to 100 operations, with at most 4 MiB, in each transaction.',
  pattern: null,
  source: checklistPage('Batching'),
  occasion: ({ transactions }) => transactions.length > 0,
  judge(window, { transactions, operations }) {
    const tally = new Tally();
    const keyOf = ({ table, members }: (typeof window.transactions)[number]): string =>
      `${table?.name ?? ''}\0${members[0]?.partitionKey ?? ''}`;
    for (const ofClient of groupBy(window.transactions, ({ client }) => client).values()) {
      for (const list of groupBy(ofClient, keyOf).values()) {
        const sum = list.reduce((total, { members }) => total + members.length, 0);
        const [by] = list;
        if (!by || list.length < transactions || sum / list.length >= operations) continue;
        const saved = list.length - Math.ceil(sum / 100);
        const figures = { transactions: list.length, operationsOnAverage: Math.round((sum / list.length) * 10) / 10 };
        const evidence = () => ({
          partitionKey: quotedString(by.members[0]?.partitionKey),
          ...figures,
          request: requestText(by),
        });
        tally.add({ by, times: list.length, cost: { roundTrips: saved, transactions: saved }, evidence });
      }
    }
    return tally.candidates;
  },
});

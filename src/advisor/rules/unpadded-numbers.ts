import { defineRule, Tally } from '../rule.ts';
import { quotedString, requestText } from '../show-request.ts';
import { queryingPage } from '../sources.ts';
import { areUnpadded } from '../unpadded-keys.ts';
import { groupBy } from '../window.ts';

export const unpaddedNumbers = defineRule<'unpadded-numbers'>({
  id: 'unpadded-numbers',
  severity: 'warning',
  title: 'unpadded numbers in the RowKey are queried as a range',
  why: "Keys are texts: '111' sorts before '2'. A range over numbers of different lengths returns entities outside the intended range, and misses entities inside it.",
  advice: "Pad with zeros to a fixed length: '00000002', '00000111'.",
  pattern: null,
  source: queryingPage('Sorting data in the Table service'),
  occasion: ({ queries }) => queries.some(({ traits }) => traits.plan.bounds.some(isRange)),
  judge({ written, queries }, { count, keys: least }) {
    const tally = new Tally(count);
    const byTable = groupBy(written, ({ table }) => table);
    for (const { by, table, traits } of queries) {
      if (!traits.plan.bounds.some(isRange)) continue;
      const keys = [...new Set((byTable.get(table) ?? []).map(({ rowKey }) => rowKey))];
      if (!areUnpadded(keys, least)) continue;
      const examples = [keys[0], keys.find((key) => key.length !== keys[0]?.length)].map(quotedString);
      tally.add({
        by,
        evidence: () => ({ keys: keys.length, examples, filter: traits.filter ?? '', request: requestText(by) }),
      });
    }
    return tally.candidates;
  },
});

const isRange = ({ property, operator }: { readonly property: string; readonly operator: string }): boolean =>
  property === 'RowKey' && operator !== 'eq';

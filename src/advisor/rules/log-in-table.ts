import { defineRule, Tally } from '../rule.ts';
import { keyShape, requestText, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy } from '../window.ts';

/** Texts that probably denote a time: ISO dates and hours, ticks, and seconds or milliseconds since 1970. */
const timeLike = /^(?:\d{4}-?[01]\d-?[0-3]\d.*|\d{18,19}|1\d{9}|1\d{12})$/;

export const logInTable = defineRule<'log-in-table'>({
  id: 'log-in-table',
  severity: 'note',
  title: 'a table holds a log',
  why: 'Log entries that are keyed by time go to one partition at a time, and must be deleted one by one. Blobs cost less: you can append to them, and archive or delete each blob as a file.',
  advice:
    'Append the log to blobs, one for each hour or day. In the table, keep only the entries that the program looks up by key.',
  pattern: null,
  source: patternsPage('Log data anti-pattern'),
  occasion: ({ written }) => written.length > 0,
  judge({ written, queries }, { inserts, share }) {
    const tally = new Tally();
    const byTime = groupBy(
      queries.filter(({ traits }) =>
        traits.plan.bounds.some(({ property, value }) => property === 'PartitionKey' && isTime(value.value)),
      ),
      ({ table }) => table,
    );
    for (const [table, list] of groupBy(written, (write) => write.table)) {
      const inserted = list.filter(({ operation }) => operation === 'InsertEntity');
      const [query] = byTime.get(table) ?? [];
      const [first] = inserted;
      if (!query || !first || inserted.length < inserts || inserted.length < list.length * share) continue;
      if (!inserted.every(({ partitionKey }) => isTime(partitionKey))) continue;
      const figures = { inserts: inserted.length, keyShape: keyShape(first.partitionKey) };
      const evidence = () => ({ ...figures, request: writeText(first), read: requestText(query.by) });
      tally.add({ by: first.by, times: inserted.length, evidence });
    }
    return tally.candidates;
  },
});

const isTime = (value: unknown): boolean => typeof value === 'string' && timeLike.test(value);

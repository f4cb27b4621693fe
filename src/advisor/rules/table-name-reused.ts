import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { deleteTablePage } from '../sources.ts';

export const tableNameReused = defineRule<'table-name-reused'>({
  id: 'table-name-reused',
  severity: 'warning',
  title: 'a table is created right after it was deleted',
  why: 'The service needs at least 40 seconds to delete a table. During this time the service refuses to create a table of the same name, with the error 409 TableBeingDeleted.',
  advice: 'Use a new name each time, for example with a date or a number in it.',
  pattern: null,
  source: deleteTablePage('Remarks'),
  occasion: ({ all }) => all.some(({ operation }) => operation === 'DeleteTable'),
  judge({ all }, { count, withinMs }) {
    const tally = new Tally(count);
    const deleted = new Map<string, number>();
    for (const by of all) {
      const { operation, table, status, code, account } = by;
      const name = `${account}/${table?.name.toLowerCase() ?? ''}`;
      if (operation === 'DeleteTable' && status === 204) deleted.set(name, by.endMs);
      const deletedMs = deleted.get(name);
      if (operation !== 'CreateTable' || deletedMs === undefined || by.startMs - deletedMs > withinMs) continue;
      if (status >= 300 && code !== 'TableBeingDeleted') continue;
      const afterMs = Math.round(by.startMs - deletedMs);
      tally.add({ by, evidence: () => ({ afterMs, status, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});

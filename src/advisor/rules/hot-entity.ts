import { defineRule, Tally } from '../rule.ts';
import { quotedString, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy, type Write } from '../window.ts';

export const hotEntity = defineRule<'hot-entity'>({
  id: 'hot-entity',
  severity: 'warning',
  title: 'many writers contend for one entity',
  why: 'The service carries out writes to one entity one after the other. When a conditional write fails, the client sends the write again. These repetitions add to the load.',
  advice:
    'Use a separate entity for each writer or for each interval of time, and add up these entities when you read them.',
  pattern: 'Data series pattern',
  source: patternsPage('Data series pattern'),
  occasion: ({ writes }) => writes.length > 0,
  judge({ writes }, { conflicts, writers, writes: least, share }) {
    const tally = new Tally();
    const add = (list: readonly Write[], figures: Readonly<Record<string, number>>): void => {
      const [write] = list;
      if (!write) return;
      const key = { partitionKey: quotedString(write.partitionKey), rowKey: quotedString(write.rowKey) };
      const evidence = () => ({ ...key, ...figures, request: writeText(write) });
      tally.add({ by: write.by, times: list.length, cost: { roundTrips: figures['refused'] ?? 0 }, evidence });
    };
    for (const ofTable of groupBy(writes, ({ table }) => table).values()) {
      const byEntity = groupBy(ofTable, ({ partitionKey, rowKey }) => `${partitionKey}\0${rowKey}`);
      for (const list of byEntity.values()) {
        const refused = list.filter(({ status }) => status === 412);
        const connections = new Set(refused.map(({ by }) => by.connection)).size;
        if (refused.length >= conflicts && connections >= writers) {
          add(list, { refused: refused.length, connections });
        } else if (ofTable.length >= least && byEntity.size > 1 && list.length > ofTable.length * share) {
          add(list, { writes: list.length, ofWrites: ofTable.length });
        }
      }
    }
    return tally.candidates;
  },
});

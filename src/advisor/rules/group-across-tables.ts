import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { literal, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy, type Write } from '../window.ts';

export const groupAcrossTables = defineRule<'group-across-tables'>({
  id: 'group-across-tables',
  severity: 'warning',
  title: 'entities that belong together are written to several tables',
  why: 'A transaction stays within one partition of one table. When the second write fails, the tables disagree.',
  advice:
    'Keep the entities in one table under one PartitionKey, told apart by a prefix of the RowKey; or make the writes eventually consistent with a queue.',
  pattern: 'Eventually consistent transactions pattern',
  source: patternsPage('Eventually consistent transactions pattern'),
  occasion: hasWrites,
  judge({ written }, { partitions, withinMs }) {
    const tally = new Tally(partitions);
    for (const ofClient of groupBy(written, ({ by }) => by.client).values()) {
      if (new Set(ofClient.map(({ table }) => table)).size < 2) continue;
      for (const list of groupBy(ofClient, ({ partitionKey }) => partitionKey).values()) {
        const pair = neighbours(list, withinMs);
        if (!pair) continue;
        const tables = [...new Set(list.map(({ table }) => table.name))].sort();
        const [first, second] = pair;
        const evidence = () => ({
          tables,
          partitionKey: literal(first.partitionKey),
          request: writeText(first),
          followedBy: writeText(second),
        });
        tally.add({ by: first.by, table: tables[0] ?? null, subject: tables.join(), evidence });
      }
    }
    return tally.candidates;
  },
});

/** Two writes to different tables that are close to each other. */
function neighbours(list: readonly Write[], withinMs: number): [Write, Write] | undefined {
  let last: Write | undefined;
  for (const write of list) {
    if (last && last.table !== write.table && write.by.startMs - last.by.endMs <= withinMs) return [last, write];
    last = write;
  }
  return undefined;
}

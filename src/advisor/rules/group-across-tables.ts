import { defineRule, Tally } from '../rule.ts';
import { hasWrites } from '../scans.ts';
import { quotedString, writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy, type Write } from '../window.ts';

type Pair = readonly [first: Write, second: Write];

/**
 * The maximum number of groups that the rule recognises when a client writes several groups together. Such a client
 * first writes the entities of all groups in one table, and then the entities of all groups in the next table.
 */
const togetherMax = 4;

export const groupAcrossTables = defineRule<'group-across-tables'>({
  id: 'group-across-tables',
  severity: 'warning',
  title: 'entities that belong together are written to several tables',
  why: 'All entities of a transaction must be in one partition of one table. If one of several separate writes fails, the tables contradict each other.',
  advice:
    'Keep the entities in one table under one PartitionKey, and distinguish them by a prefix of the RowKey. Alternatively, use a queue to make the writes eventually consistent.',
  pattern: 'Eventually consistent transactions pattern',
  source: patternsPage('Eventually consistent transactions pattern'),
  occasion: hasWrites,
  judge({ written }, { partitions, withinMs }) {
    const tally = new Tally(partitions);
    for (const ofClient of groupBy(written, ({ by }) => by.client).values()) {
      if (new Set(ofClient.map(({ table }) => table)).size < 2) continue;
      const groups = groupsIn(ofClient, withinMs);
      for (const [partitionKey, list] of groupBy(ofClient, (write) => write.partitionKey)) {
        const pair = groups.get(partitionKey);
        if (!pair) continue;
        const tables = [...new Set(list.map(({ table }) => table.name))].sort();
        const [first, second] = pair;
        const evidence = () => ({
          tables,
          partitionKey: quotedString(first.partitionKey),
          request: writeText(first),
          followedBy: writeText(second),
        });
        tally.add({ by: first.by, table: tables[0] ?? null, subject: tables.join(), evidence });
      }
    }
    return tally.candidates;
  },
});

/**
 * Returns a pair for each PartitionKey: the first two writes that are close in time and go to different tables. A
 * program that loads one table after another also makes pairs, but its pairs are not groups. Such a program writes many
 * partitions to one table before it begins the next table. Therefore, the writes are divided into runs of consecutive
 * writes to one table. A run completes a pair if it contains the second write of the pair. If a run completes pairs for
 * more than `togetherMax` PartitionKeys, these pairs are left out.
 */
function groupsIn(written: readonly Write[], withinMs: number): ReadonlyMap<string, Pair> {
  const groups = new Map<string, Pair>();
  const last = new Map<string, Write>();
  for (const run of runsOf(written)) {
    const pairs = run.flatMap((second): Pair[] => {
      const first = last.get(second.partitionKey);
      const isPair = first && first.table !== second.table && second.by.startMs - first.by.endMs <= withinMs;
      return isPair ? [[first, second]] : [];
    });
    const partitions = new Set(pairs.map(([{ partitionKey }]) => partitionKey));
    if (partitions.size <= togetherMax) {
      for (const pair of pairs) if (!groups.has(pair[0].partitionKey)) groups.set(pair[0].partitionKey, pair);
    }
    for (const write of run) last.set(write.partitionKey, write);
  }
  return groups;
}

/** Consecutive writes to one table. */
function runsOf(written: readonly Write[]): readonly (readonly Write[])[] {
  const runs: Write[][] = [];
  for (const write of written) {
    const run = runs.at(-1);
    if (run?.[0]?.table === write.table) run.push(write);
    else runs.push([write]);
  }
  return runs;
}

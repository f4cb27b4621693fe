import type { Client, Observation, Table } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { keyShape, requestText } from '../show-request.ts';
import { queryingPage } from '../sources.ts';
import { groupBy, type Write } from '../window.ts';

export const scatteredGroup = defineRule<'scattered-group'>({
  id: 'scattered-group',
  severity: 'warning',
  title: 'entities that are written together are in separate partitions',
  why: 'Entities of different partitions cannot share a transaction: each entity costs a round trip and a billed transaction, and the group is not written atomically.',
  advice:
    'Use the same PartitionKey for entities that are written together, and send them as an entity group transaction.',
  pattern: null,
  source: queryingPage('Choosing an appropriate PartitionKey'),
  occasion: ({ transactions }) => transactions.length > 0,
  judge(window, { entities, run, groups }) {
    const tally = new Tally();
    const byClient = groupBy(window.transactions, ({ client }) => client);
    for (const list of groupBy(window.written, ({ table }) => table).values()) {
      const inserts = list.filter(({ operation, isBatched }) => operation !== 'DeleteEntity' && !isBatched);
      const partitions = new Set(inserts.map(({ partitionKey }) => partitionKey));
      if (partitions.size < entities || partitions.size < list.length) continue;
      for (const [client, own] of groupBy(inserts, ({ by }) => by.client)) {
        if (!isGrouped({ client, table: own[0]?.table, transactions: byClient.get(client) ?? [], groups })) continue;
        const rows = runLengths(window.clients.get(client) ?? [], own).filter((length) => length >= run);
        const [first] = own;
        if (!first || rows.length === 0) continue;
        const saved = rows.reduce((sum, length) => sum + length - 1, 0);
        const figures = { entities: own.length, longestRun: Math.max(...rows), keyShape: keyShape(first.partitionKey) };
        const evidence = () => ({ ...figures, request: requestText(first.by) });
        tally.add({ by: first.by, times: own.length, cost: { roundTrips: saved, transactions: saved }, evidence });
      }
    }
    return tally.candidates;
  },
});

interface Group {
  readonly client: Client;
  readonly table: Table | undefined;
  readonly transactions: readonly Observation[];
  readonly groups: number;
}

/** Whether the client sends enough transactions of several operations to other tables. */
const isGrouped = ({ table, transactions, groups }: Group): boolean =>
  transactions.filter((by) => by.table !== table && by.members.length > 1).length >= groups;

/** The lengths of the runs of the client's writes to the table. Any other request of the client ends a run. */
function runLengths(requests: readonly Observation[], own: readonly Write[]): number[] {
  const writes = new Set(own.map(({ by }) => by));
  const lengths: number[] = [0];
  for (const by of requests) {
    if (writes.has(by)) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(0);
  }
  return lengths;
}

import type { Observation } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { quotedString, requestText } from '../show-request.ts';
import { transactionsPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const collidingTransactions = defineRule<'colliding-transactions'>({
  id: 'colliding-transactions',
  severity: 'warning',
  title: 'simultaneous transactions share an entity',
  why: 'Transactions on the same entities are carried out one after the other. If a condition of a later transaction no longer holds, this transaction fails completely.',
  advice:
    'If every transaction would change the same entity, such as a total, keep this entity out of the transactions. Alternatively, let only one writer at a time work on a partition.',
  pattern: null,
  source: transactionsPage('Requirements for entity group transactions'),
  occasion: ({ transactions }) => transactions.length > 1,
  judge({ all }, { count }) {
    const tally = new Tally(count);
    // Transactions that failed because of the collision count too.
    const transactions = all.filter(
      ({ operation, members }) => operation === 'EntityGroupTransaction' && members.length > 0,
    );
    // Tables and keys of different accounts may have the same names.
    for (const ofTable of groupBy(transactions, ({ table }) => table).values()) {
      for (const list of groupBy(ofTable, ({ members }) => members[0]?.partitionKey).values())
        addCollisions(list, tally);
    }
    return tally.candidates;
  },
});

function addCollisions(list: readonly Observation[], tally: Tally): void {
  let open: Observation[] = [];
  for (const by of list) {
    open = open.filter((other) => other.endMs > by.startMs);
    const other = open.find((one) => one.connection !== by.connection && sharedRow(one, by) !== undefined);
    open.push(by);
    if (!other) continue;
    const [member] = by.members;
    const key = { partitionKey: quotedString(member?.partitionKey), rowKey: quotedString(sharedRow(other, by)) };
    tally.add({ by, evidence: () => ({ ...key, request: requestText(by) }) });
  }
}

function sharedRow(a: Observation, b: Observation): string | undefined {
  const rows = new Set(a.members.map(({ rowKey }) => rowKey));
  return b.members.find(({ rowKey }) => rows.has(rowKey))?.rowKey;
}

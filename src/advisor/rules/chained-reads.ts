import type { Observation, Table } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { arrivedWithin, groupBy, type Query, type Write } from '../window.ts';

/** Looked at after one query, and queries looked at in a window: enough to see the habit. */
const readsMax = 200;
const queriesMax = 500;

export const chainedReads = defineRule<'chained-reads'>({
  id: 'chained-reads',
  severity: 'warning',
  title: 'keys found in one answer are read one by one',
  why: 'What one query could have returned takes a round trip and a billed transaction for each entity: a join in the client.',
  advice:
    'Store with the first entities what is read of the others (denormalise), or keep them together under one PartitionKey and read a range.',
  pattern: 'Denormalization pattern',
  source: patternsPage('Denormalization pattern'),
  occasion: ({ queries, gets }) => queries.length > 0 && gets.length > 0,
  judge({ queries, gets: all, written }, { reads, withinMs }) {
    const tally = new Tally();
    if (all.length < reads || queries.length === 0) return tally.candidates;
    const writes = groupBy(written, nameOf);
    // Reading an entity for its ETag belongs to the write that follows.
    const gets = all.filter((get) => !writesOf(get, writes).some(({ condition }) => condition === 'etag'));
    const byClient = groupBy(gets, ({ client }) => client);
    const answered = queries.filter(({ traits }) => traits.sample.length > 1);
    for (const query of answered.slice(0, queriesMax)) {
      const after = following(byClient.get(query.by.client) ?? [], query, withinMs);
      if (after.length < reads) continue;
      const texts = textsIn(query);
      const named = after.filter((get) => isFrom(texts, get) && !isKnown(get, { query, writes }));
      const chained = named.filter(({ table }) => table === query.table || isSameSession(named, { query, table }));
      const distinct = new Set(
        chained.map(({ table, partitionKey, rowKey }) => [table?.name, partitionKey, rowKey].join('\0')),
      );
      const [example] = chained;
      if (!example || distinct.size < reads) continue;
      const figures = { returned: query.traits.returned, readsAfter: chained.length };
      const evidence = () => ({ ...figures, request: requestText(query.by), followedBy: requestText(example) });
      const saved = { roundTrips: chained.length, transactions: chained.length };
      tally.add({ by: query.by, subject: example.table?.name ?? '', times: 1, cost: saved, evidence });
    }
    return tally.candidates;
  },
});

type Writes = ReadonlyMap<string, readonly Write[]>;

const nameOf = ({
  table,
  partitionKey = '',
  rowKey = '',
}: Pick<Observation, 'table' | 'partitionKey' | 'rowKey'>): string =>
  [table?.account, table?.name, partitionKey, rowKey].join('\0');

const writesOf = (get: Observation, writes: Writes): readonly Write[] => writes.get(nameOf(get)) ?? [];

/** Whether the client wrote the entity after the query: then it has its key from elsewhere. */
const isKnown = (get: Observation, { query, writes }: { readonly query: Query; readonly writes: Writes }): boolean =>
  writesOf(get, writes).some(
    ({ by }) => by.client === get.client && by.sequence > query.by.sequence && by.sequence < get.sequence,
  );

/**
 * Many tables have keys such as `1`, and several processes of one application look like one client. What belongs to the query
 * begins on its connection, which is the one that was used last.
 */
const isSameSession = (
  gets: readonly Observation[],
  { query, table }: { readonly query: Query; readonly table: Table | undefined },
): boolean => gets.some((get) => get.table === table && get.connection === query.by.connection);

const following = (gets: readonly Observation[], { by }: Query, withinMs: number): readonly Observation[] =>
  arrivedWithin(gets, (get) => get, { fromMs: by.endMs, toMs: by.endMs + withinMs, max: readsMax });

const textMember = /"((?:[^"\\]|\\.){1,255})":"((?:[^"\\]|\\.){1,200})"/g;

/** The keys of the entities in an answer, and every text that they hold. */
function textsIn({ traits: { select, sample } }: Query): Set<string> {
  const texts = new Set<string>();
  const names = select?.split(',').map((name) => name.trim());
  const isSent = (name: string): boolean => names === undefined || names.includes(name) || names.includes('*');
  for (const { partitionKey, rowKey, properties } of sample) {
    if (isSent('PartitionKey')) texts.add(partitionKey);
    if (isSent('RowKey')) texts.add(rowKey);
    for (const [, name = '', text = ''] of properties.slice(0, 4096).matchAll(textMember)) {
      if (isSent(name)) texts.add(text);
    }
  }
  return texts;
}

/** The RowKey tells entities apart; one of a single entity in each partition is often empty. */
const isFrom = (texts: ReadonlySet<string>, { partitionKey = '', rowKey = '' }: Observation): boolean =>
  texts.has(rowKey === '' ? partitionKey : rowKey);

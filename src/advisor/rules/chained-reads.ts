import { firstIndex } from '../../model/first-index.ts';
import type { Client, Observation, Table } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { isOtherTrace, isSameTrace, tracedBy } from '../traces.ts';
import { addToGroup, arrivedWithin, groupBy, type ObservedQuery, type Window, type Write } from '../window.ts';

/**
 * The maximum number of reads examined after one query, and the maximum number of queries examined in a window. A
 * program that joins entities with single reads repeats the join often, so some of its reads are enough to find the
 * join.
 */
const readsMax = 200;
const queriesMax = 500;

export const chainedReads = defineRule<'chained-reads'>({
  id: 'chained-reads',
  severity: 'warning',
  title: 'entities that an answer names are read one by one',
  why: 'The client performs a join: it pays a round trip and a billed transaction for each entity. One query could have returned all of these entities.',
  advice:
    'Denormalise: in one entity, store all properties that are read together. Alternatively, keep the entities under one PartitionKey and read a range.',
  pattern: 'Denormalization pattern',
  source: patternsPage('Denormalization pattern'),
  occasion: ({ queries, gets }) => queries.length > 0 && gets.length > 0,
  judge(window, { reads, withinMs }) {
    const { queries, gets: all, written } = window;
    const tally = new Tally();
    if (all.length < reads || queries.length === 0) return tally.candidates;
    const writes = sequencesOf(written);
    // A client that writes an entity with its ETag had to read the entity first. Such a read does not count.
    const conditional = new Set(written.filter(({ condition }) => condition === 'etag').map(nameOf));
    const gets = all.filter((get) => !conditional.has(nameOf(get)));
    const byClient = groupBy(gets, ({ client }) => client);
    const answered = queries.filter(({ traits }) => traits.sample.length > 1);
    for (const query of answered.slice(0, queriesMax)) {
      const after = following(byClient.get(query.by.client) ?? [], query, { withinMs, window });
      if (after.length < reads) continue;
      const rows = rowsByText(query);
      const named = after.filter((get) => isFrom(rows, get) && !isKnown(get, { query, writes }));
      const chained = named.filter(
        (get) =>
          get.table === query.table || isSameTrace(get, query.by) || isSameSession(named, { query, table: get.table }),
      );
      const distinct = new Set(
        chained.map(({ table, partitionKey, rowKey }) => [table?.name, partitionKey, rowKey].join('\0')),
      );
      const [example] = chained;
      if (!example || distinct.size < reads) continue;
      const traced = tracedBy(window, [query.by, ...chained]);
      const figures = { returned: query.traits.returned, readsAfter: chained.length, ...traced };
      const evidence = () => ({ ...figures, request: requestText(query.by), followedBy: requestText(example) });
      const saved = { roundTrips: chained.length, transactions: chained.length };
      tally.add({ by: query.by, subject: example.table?.name ?? '', times: 1, cost: saved, evidence });
    }
    return tally.candidates;
  },
});

/** For each client and entity, the sequence numbers of the client's writes, in ascending order. */
type Writes = ReadonlyMap<Client, ReadonlyMap<string, readonly number[]>>;

function sequencesOf(written: readonly Write[]): Writes {
  const writes = new Map<Client, Map<string, number[]>>();
  for (const [client, own] of groupBy(written, ({ by }) => by.client)) {
    const byName = groupBy(own, nameOf);
    writes.set(client, new Map([...byName].map(([name, list]) => [name, ascending(list)])));
  }
  return writes;
}

const ascending = (writes: readonly Write[]): number[] => writes.map(({ by }) => by.sequence).sort((a, b) => a - b);

const nameOf = ({
  table,
  partitionKey = '',
  rowKey = '',
}: Pick<Observation, 'table' | 'partitionKey' | 'rowKey'>): string =>
  [table?.account, table?.name, partitionKey, rowKey].join('\0');

/** Whether the client wrote the entity between the query and the read. It then knew the key from elsewhere. */
function isKnown(
  get: Observation,
  { query, writes }: { readonly query: ObservedQuery; readonly writes: Writes },
): boolean {
  const sequences = writes.get(get.client)?.get(nameOf(get)) ?? [];
  const next = sequences[firstIndex(sequences.length, (at) => (sequences[at] as number) > query.by.sequence)];
  return next !== undefined && next < get.sequence;
}

/**
 * Whether at least one of the reads uses the connection of the query. Without a common connection, equal keys may be a
 * coincidence: many tables have keys such as `1`, and several processes of one application look like one client. A
 * process usually continues on the connection that it used last.
 */
const isSameSession = (
  gets: readonly Observation[],
  { query, table }: { readonly query: ObservedQuery; readonly table: Table | undefined },
): boolean => gets.some((get) => get.table === table && get.connection === query.by.connection);

interface Around {
  readonly withinMs: number;
  readonly window: Window;
}

/**
 * Returns the later reads that belong to the query. These are all reads of the query's trace, and the reads that come
 * soon after the query and do not belong to another trace.
 */
function following(
  gets: readonly Observation[],
  { by }: ObservedQuery,
  { withinMs, window }: Around,
): readonly Observation[] {
  const toMs = by.traceId === undefined ? by.endMs + withinMs : Number.POSITIVE_INFINITY;
  const after = arrivedWithin(gets, (get) => get, { fromMs: by.endMs, toMs, max: readsMax });
  return after.filter(
    (get) => isSameTrace(get, by) || (get.startMs <= by.endMs + withinMs && !isOtherTrace(window, get, by)),
  );
}

const textMember = /"((?:[^"\\]|\\.){1,255})":"((?:[^"\\]|\\.){1,200})"/g;

/** The texts of one entity in the answer to a query. */
interface Row {
  readonly keys: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/**
 * Maps each text to the entities that have this text as a key or as the value of a property. Ignores keys and
 * properties that the answer to the query does not contain.
 */
function rowsByText({ traits: { select, sample } }: ObservedQuery): ReadonlyMap<string, readonly Row[]> {
  const rows = new Map<string, Row[]>();
  const names = select?.split(',').map((name) => name.trim());
  const isSent = (name: string): boolean => names === undefined || names.includes(name) || names.includes('*');
  for (const { partitionKey, rowKey, properties } of sample) {
    const keys = new Set([...(isSent('PartitionKey') ? [partitionKey] : []), ...(isSent('RowKey') ? [rowKey] : [])]);
    const members = [...properties.slice(0, 4096).matchAll(textMember)];
    const values = new Set(members.flatMap(([, name = '', text = '']) => (isSent(name) ? [text] : [])));
    for (const text of new Set([...keys, ...values])) addToGroup(rows, text, { keys, values });
  }
  return rows;
}

/**
 * Whether an entity of the answer refers to the entity that is read. The entity of the answer must contain both keys of
 * the read entity, or must have a property whose value is the RowKey of the read entity. Such a property is enough,
 * because programs often know a constant PartitionKey. If the two entities share only their RowKey, this is not enough,
 * because many partitions have the same RowKeys.
 */
function isFrom(rows: ReadonlyMap<string, readonly Row[]>, { partitionKey = '', rowKey = '' }: Observation): boolean {
  if (rowKey === '') return rows.has(partitionKey);
  const named = rows.get(rowKey) ?? [];
  return named.some(({ keys, values }) => values.has(rowKey) || keys.has(partitionKey) || values.has(partitionKey));
}

import { defineRule, Tally } from '../rule.ts';
import { scanEvidence } from '../scans.ts';
import { modificationPage } from '../sources.ts';
import { arrivedWithin, type Enumeration, entityName, groupBy, type ObservedQuery, type Write } from '../window.ts';

/** The most changes examined after one scan. */
const changesMax = 1_000;

export const scanToModify = defineRule<'scan-to-modify'>({
  id: 'scan-to-modify',
  severity: 'warning',
  title: 'a scan finds the entities that are then written',
  why: 'A write needs only the keys of the entity. A scan that finds the keys costs more than the writes themselves.',
  advice: 'Choose keys that the writer knows, or keep an entity that lists the keys of a group of entities.',
  pattern: 'Index entities pattern',
  source: modificationPage('Optimize the performance of insert, update, and delete operations'),
  occasion: ({ queries, written }) => queries.length > 0 && written.length > 0,
  judge({ enumerations, written }, { entities, visited, withinMs }) {
    const tally = new Tally();
    const changes = written.filter(({ operation }) => operation !== 'InsertEntity');
    const byClient = groupBy(changes, ({ by }) => by.client);
    for (const scan of enumerations) {
      const { plan } = scan.first.traits;
      if (scan.visited < visited || !plan.kind.endsWith('scan') || !plan.residual) continue;
      const { client } = scan.first.by;
      // Counts only the writes that the client sends before its next query of the table. Later writes may concern
      // entities that the next query found.
      const next = enumerations.find(({ first }) => first.by.client === client && isLater(first, scan));
      const endsBefore = next?.first.by.sequence ?? Number.POSITIVE_INFINITY;
      const own = byClient.get(client) ?? [];
      const modified = modifiedAfter(scan, { changes: own, withinMs, endsBefore });
      if (modified < entities) continue;
      const cost = { visited: scan.visited, roundTrips: scan.pages, transactions: scan.pages };
      tally.add({ by: scan.first.by, times: 1, cost, evidence: () => ({ ...scanEvidence(scan), modified }) });
    }
    return tally.candidates;
  },
});

const isLater = (query: ObservedQuery, { first, last }: Enumeration): boolean =>
  query.table === first.table && query.by.sequence > last.by.sequence;

interface Changes {
  readonly changes: readonly Write[];
  readonly withinMs: number;
  /** Sequence number of the client's next query of the table. */
  readonly endsBefore: number;
}

function modifiedAfter({ first, last }: Enumeration, { changes, withinMs, endsBefore }: Changes): number {
  const { table } = first;
  const found = [...first.traits.sample, ...(last === first ? [] : last.traits.sample)];
  const names = new Set(found.map(({ partitionKey, rowKey }) => entityName(table, partitionKey, rowKey)));
  const span = { fromMs: first.by.endMs, toMs: last.by.endMs + withinMs, max: changesMax };
  const modified = arrivedWithin(changes, ({ by }) => by, span).filter(
    ({ by, table: of, partitionKey, rowKey }) =>
      by.sequence < endsBefore && names.has(entityName(of, partitionKey, rowKey)),
  );
  return new Set(modified.map(({ rowKey, partitionKey }) => `${partitionKey}\0${rowKey}`)).size;
}

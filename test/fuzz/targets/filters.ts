import fc from 'fast-check';
import { expect } from 'vitest';
import { readEntityText } from '../../../src/data/entity-text.ts';
import type { EntityRecord } from '../../../src/model/entity.ts';
import { encodeProperties } from '../../../src/model/properties.ts';
import { matchesEntity } from '../../../src/query/match.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { renderFilter } from '../../../src/query/render-filter.ts';
import { anyFilter } from '../../unit/query/filters.ts';
import { bytesOf, damaged, documentOf } from '../damage.ts';
import { outcomeOf, service } from '../emulator.ts';
import { type Outcome, readOrRefuse, target } from '../target.ts';

const table = 'filtered';
/** The longest filter that fits into an address. */
const charsMax = 4_000;

const names = ['PartitionKey', 'RowKey', 'Timestamp', 'A', 'B', 'C', 'null', 'true', 'false', 'NaN', 'INF', '_x'];
const operators = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'not', 'add', 'substringof', 'startswith', 'mod'];
const literals = [
  ...["'a'", "''", "'it''s'", "'\u00e9\u4e2d'", '1', '-1', '1L', '9223372036854775808L', '1.5', '1e999', '-0.0', '0x1'],
  ...["datetime'2024-05-01T10:00:00Z'", "datetime'x'", "guid'a455c695-df98-5678-aaaa-81d3367e5a34'", "X'00ff'", "X'0'"],
  ...["binary'ff'", '2147483648', "'", '"', '('.repeat(60), 'not '.repeat(40), 'A or '.repeat(30)],
];
const tokens = [...names, ...operators, ...literals, '(', ')', ',', '/', '$', '@', '+', '%27', '--', '/*'];

const sound = anyFilter.map((filter) => documentOf(renderFilter(filter)));
const inputs = fc.oneof(
  { weight: 1, arbitrary: sound },
  { weight: 2, arbitrary: damaged(sound, tokens) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...tokens), { maxLength: 12 }).map((all) => documentOf(all.join(' '))),
  },
);

const entities = [
  { A: 1, B: 'a', C: true },
  { A: -1, B: "it's", C: false },
  { A: 1.5, B: '' },
  { 'A@odata.type': 'Edm.Int64', A: '9223372036854775807', B: '\u00e9\u4e2d' },
  { 'A@odata.type': 'Edm.Guid', A: 'a455c695-df98-5678-aaaa-81d3367e5a34' },
  { 'A@odata.type': 'Edm.DateTime', A: '2024-05-01T10:00:00Z', 'B@odata.type': 'Edm.Binary', B: 'AP8=' },
  { 'A@odata.type': 'Edm.Double', A: 'NaN', B: 'null' },
  {},
];

/** The entities of the table, as the store returns them. */
let stored: Promise<readonly EntityRecord[]> | undefined;

async function fillTable(): Promise<readonly EntityRecord[]> {
  await service.createTable(table);
  for (const [at, entity] of entities.entries()) {
    await service.insert(table, { PartitionKey: ['', 'a', 'p'][at % 3], RowKey: String(at), ...entity });
  }
  const { body } = await service.get(`/${table}()`);
  const { value } = JSON.parse(body) as { value: Readonly<Record<string, unknown>>[] };
  return value.map((entity) => {
    const { row } = readEntityText(JSON.stringify(entity));
    const properties = new Map([...row].filter(([name]) => !['PartitionKey', 'RowKey', 'Timestamp'].includes(name)));
    return {
      partitionKey: String(entity['PartitionKey']),
      rowKey: String(entity['RowKey']),
      timestamp: String(entity['Timestamp']),
      properties: encodeProperties(properties),
    };
  });
}

const { readFilter } = createFilterReader();

/**
 * Checks that the parser and a query both accept a filter, or both refuse it. If the filter is accepted, the parser
 * must read the canonical text of the filter as the same filter. The query must return exactly the entities that the
 * filter selects.
 */
async function check(document: string): Promise<Outcome> {
  const text = bytesOf(document).toString('utf8');
  const filter = readOrRefuse(() => readFilter(text), { statuses: [400, 501] });
  if (filter) expect(readFilter(renderFilter(filter))).toEqual(filter);
  const encoded = encodeURIComponent(text);
  if (encoded.length > charsMax) return filter ? 'accepted' : 'refused';
  stored ??= fillTable();
  const records = await stored;
  const answer = await service.get(`/${table}()?$filter=${encoded}`);
  const outcome = outcomeOf(answer);
  if (outcome === 'refused') {
    expect(filter).toBeUndefined();
    return outcome;
  }
  const { value } = JSON.parse(answer.body) as { value: { RowKey: string }[] };
  const selected = records.filter((record) => filter === undefined || matchesEntity(filter, record));
  expect(value.map(({ RowKey }) => RowKey)).toEqual(selected.map(({ rowKey }) => rowKey));
  return outcome;
}

export const filters = target({ name: 'filters', share: 10, inputs, check });

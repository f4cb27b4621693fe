import { keyShape } from '../../advisor/show-request.ts';
import type { EdmValue } from '../../model/edm.ts';
import { accountNamed } from '../control-route.ts';
import { sampleTable, type TableSample } from '../data/sample-table.ts';
import { unknownTable } from '../observe/unknown-table.ts';
import { entityObject } from './read-tools.ts';
import type { ToolContext } from './tool-context.ts';

const bounds = { entitiesMax: 1_000, charsMax: 4 * 1_048_576, readMax: 100_000 };
const columnsMax = 100;
const partitionsMax = 10;
const shapesMax = 10;
const examplesMax = 3;

type Row = TableSample['entities'][number];

/** What a table holds, judging by a sample of its entities. Throws ControlError. */
export async function describeTable(
  { account: given, table }: { readonly account?: string; readonly table: string },
  { tools, pause }: ToolContext,
): Promise<object> {
  const account = accountNamed(given, await tools.accountNames());
  const place = { account, table };
  if (!(await tools.store.exists(account))) throw unknownTable('tableMissing', place);
  const sample = await sampleTable(tools.store, place, { ...bounds, schedule: tools.schedule });
  if (typeof sample === 'string') throw unknownTable(sample, place);
  await pause();
  const { entities, total } = sample;
  return {
    account,
    table,
    counted: total,
    isCountedInFull: total < bounds.readMax,
    sampled: entities.length,
    keyPattern: tools.advisor?.keyPattern(account, table) ?? null,
    partitions: partitionsOf(entities),
    partitionKey: keyOf(entities, 'PartitionKey'),
    rowKey: keyOf(entities, 'RowKey'),
    properties: propertiesOf(entities),
    examples: entities.slice(0, examplesMax).map(entityObject),
  };
}

function keyOf(rows: readonly Row[], name: string): object {
  const texts = rows.map((row) => textOf(row.get(name)));
  const shapes = counted(texts.map(keyShape));
  const lengths = texts.map(({ length }) => length);
  return {
    distinctInSample: new Set(texts).size,
    shortest: lengths.length > 0 ? Math.min(...lengths) : null,
    longest: lengths.length > 0 ? Math.max(...lengths) : null,
    shapes: shapes.slice(0, shapesMax).map(([shape, count]) => ({ shape, entities: count })),
    shapesLeftOut: Math.max(0, shapes.length - shapesMax),
  };
}

function partitionsOf(rows: readonly Row[]): object {
  const partitions = counted(rows.map((row) => textOf(row.get('PartitionKey'))));
  return {
    inSample: partitions.length,
    largest: partitions.slice(0, partitionsMax).map(([partitionKey, entities]) => ({
      partitionKey,
      shareOfSample: Math.round((entities / rows.length) * 1_000) / 1_000,
    })),
  };
}

interface Column {
  readonly types: Map<string, number>;
  readonly values: Set<string>;
  entities: number;
}

function propertiesOf(rows: readonly Row[]): readonly object[] {
  const columns = new Map<string, Column>();
  for (const row of rows) for (const [name, value] of row) if (!isSystem(name)) addValue(columns, name, value);
  const found = [...columns].sort(([, a], [, b]) => b.entities - a.entities);
  const shown = found.slice(0, columnsMax).map(([name, { types, values, entities }]) => ({
    name,
    types: [...types.keys()],
    inEntities: entities,
    distinctInSample: values.size,
  }));
  return found.length > columnsMax ? [...shown, { leftOut: found.length - columnsMax }] : shown;
}

function addValue(columns: Map<string, Column>, name: string, value: EdmValue): void {
  const column = columns.get(name) ?? { types: new Map(), values: new Set(), entities: 0 };
  columns.set(name, column);
  column.entities += 1;
  column.types.set(value.type, (column.types.get(value.type) ?? 0) + 1);
  column.values.add(textOf(value).slice(0, 256));
}

const isSystem = (name: string): boolean => name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp';

function textOf(value: EdmValue | undefined): string {
  if (value === undefined) return '';
  return value.type === 'Edm.Binary' ? Buffer.from(value.value).toString('base64') : String(value.value);
}

/** Each text with its number, the most frequent first. */
function counted(texts: readonly string[]): [text: string, count: number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

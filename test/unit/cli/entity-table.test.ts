import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/cli/columns.ts';
import { columnNames, layOut, renderEntityLines, renderHeader, renderRow } from '../../../src/cli/entity-table.ts';
import type { EntityRow } from '../../../src/data/entity-text.ts';
import { properties, units } from '../../support/arbitrary-values.ts';

const row = (members: Readonly<Record<string, string | number>>): EntityRow =>
  new Map(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'number' ? { type: 'Edm.Int32', value } : { type: 'Edm.String', value },
    ]),
  );

function table(rows: readonly EntityRow[], columnsMax: number): string[] {
  const layout = layOut(columnNames(rows), rows, columnsMax);
  return [renderHeader(layout), ...rows.map((one) => renderRow(one, layout))].join('').split('\n').slice(0, -1);
}

describe('a table of entities', () => {
  it('has keys first and the Timestamp last, aligns numbers right, and shows empty texts as quotation marks', () => {
    const rows = [
      row({ Timestamp: '2024', age: 5, RowKey: 'r', PartitionKey: 'p' }),
      row({ PartitionKey: '', RowKey: 's', age: 120, zip: 'x' }),
    ];
    expect(table(rows, 80)).toEqual([
      'PartitionKey  RowKey  age  zip  Timestamp',
      '------------  ------  ---  ---  ---------',
      'p             r         5       2024',
      "''            s       120  x",
    ]);
  });

  it('cuts the widest columns in the middle first', () => {
    const rows = [row({ PartitionKey: 'short', a: 'b'.repeat(30), c: `${'d'.repeat(40)}e` })];
    const [, , line = ''] = table(rows, 50);
    expect(line).toBe('short         bbbbbbbb…bbbbbbbb  dddddddd…ddddddde');
    expect(line).toHaveLength(50);
  });

  it('hides the last columns if there is no room, and says which', () => {
    const long = 'x'.repeat(20);
    const rows = [row({ PartitionKey: long, RowKey: long, a: long, b: long, Timestamp: long })];
    const { columns, hidden } = layOut(columnNames(rows), rows, 45);
    expect(columns.map(({ name }) => name)).toEqual(['PartitionKey', 'RowKey', 'a']);
    expect(hidden).toEqual(['b', 'Timestamp']);
  });

  it('is never wider than the terminal and prints nothing that a terminal interprets, for any entities', () => {
    const anyRow = fc.tuple(units, properties).map(([key, own]): EntityRow => {
      return new Map([['PartitionKey', { type: 'Edm.String', value: key }], ...own]);
    });
    fc.assert(
      fc.property(
        fc.array(anyRow, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 12, max: 120 }),
        (rows, columnsMax) => {
          const one = rows[0] ?? new Map();
          for (const line of [
            ...table(rows, columnsMax),
            ...renderEntityLines(one, Math.max(60, columnsMax)).split('\n'),
          ]) {
            expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
          }
          for (const line of table(rows, columnsMax)) expect(columnsOf(line)).toBeLessThanOrEqual(columnsMax);
        },
      ),
    );
  });

  it('of one entity has a line for each property, with its type', () => {
    expect(renderEntityLines(row({ PartitionKey: 'p', n: 5, long: 'ab'.repeat(50) }), 50)).toBe(
      [
        'PartitionKey  String    p',
        'n             Int32     5',
        'long          String    ababababababa…abababababab',
        '',
      ].join('\n'),
    );
  });
});

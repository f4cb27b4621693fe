import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { type Column, joinColumns, uniformTypeOf } from '../../../src/query/column.ts';
import type { ComparisonOperator, Filter } from '../../../src/query/filter.ts';
import { matchColumns, propertiesOf } from '../../../src/query/match.ts';
import { filterRemark } from '../../../src/query/plan-advice.ts';
import { findNeverTrue, TypesMet } from '../../../src/query/types-met.ts';
import { hardValues, SeededRandom } from '../storage/seeded-tables.ts';
import { columnsOf } from './columns-of.ts';
import { comparison, int, not, one, or, text } from './filters.ts';

const operators: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** The columns of entities that have only the property A. */
const columnsWith = (filter: Filter, values: readonly (EdmValue | undefined)[]): ReadonlyMap<string, Column> =>
  columnsOf(
    propertiesOf(filter),
    values.map((value) => (name: string) => (name === 'A' ? value : undefined)),
  );

function typesMet(filter: Filter, ...blocks: (EdmValue | undefined)[][]): TypesMet {
  const met = new TypesMet(filter);
  for (const values of blocks) met.add(columnsWith(filter, values));
  return met;
}

const remark = (filter: Filter, ...blocks: (EdmValue | undefined)[][]): string =>
  filterRemark(filter, { visited: blocks.flat().length, typesMet: typesMet(filter, ...blocks) }) ?? 'none';

describe('A comparison that is reported as never true', () => {
  it('selects no entity, whatever the values, the literal and the operator', () => {
    const random = new SeededRandom(20);
    const candidates = [...hardValues, undefined];
    let found = 0;
    for (let count = 0; count < 20_000; count++) {
      const values = [random.pick(candidates), random.pick(candidates)];
      const filter = comparison('A', random.pick(operators), random.pick(hardValues));
      const isCalled = findNeverTrue(filter, typesMet(filter, values)) !== undefined;
      if (!isCalled) continue;
      found += 1;
      if (matchColumns(filter, columnsWith(filter, values), 2).includes(1))
        expect.fail(`${filter.operator} ${filter.value.value}: ${values.map((value) => value?.value)}`);
    }
    expect(found).toBeGreaterThan(1_000);
  });

  it.each<[string, Filter, (EdmValue | undefined)[][], string]>([
    [
      'with the type that all have',
      comparison('A', 'gt', text('2')),
      [[int(1), int(2)], [int(3)]],
      "A is Edm.Int32 in all 3 visited entities; '2' is a string, so the comparison is never true",
    ],
    [
      'with all types that some have',
      comparison('A', 'eq', text('2')),
      [[int(1), { type: 'Edm.Boolean', value: true }]],
      "A is Edm.Boolean or Edm.Int32 in all 2 visited entities; '2' is a string, so the comparison is never true",
    ],
    [
      'where some lack the property',
      comparison('A', 'ge', text('2')),
      [[int(1), undefined]],
      "A is Edm.Int32 in all of the 2 visited entities that have it; '2' is a string, so the comparison is never true",
    ],
    [
      'where one was visited',
      comparison('A', 'eq', { type: 'Edm.Int64', value: 2n }),
      [[int(2)]],
      'A is Edm.Int32 in the visited entity; 2L is an Int64, so the comparison is never true',
    ],
    [
      'within other conditions',
      or(one('B'), not(comparison('A', 'eq', text('2')))),
      [[int(1), int(2)]],
      "A is Edm.Int32 in all 2 visited entities; '2' is a string, so the comparison is never true",
    ],
    [
      'with nothing that a terminal interprets, and not at length',
      comparison('A', 'eq', text(`\u001b[31m\u202e${'x'.repeat(200)}`)),
      [[int(1)]],
      `A is Edm.Int32 in the visited entity; '\\u001b[31m\\u202e${'x'.repeat(25)}… 144 characters left out …${'x'.repeat(31)}' is a string, so the comparison is never true`,
    ],
  ])('is reported %s', (_, filter, blocks, expected) => {
    expect(remark(filter, ...blocks)).toBe(expected);
  });

  it.each<[string, Filter, (EdmValue | undefined)[][]]>([
    ['a literal that is widened to the type', comparison('A', 'gt', int(2)), [[{ type: 'Edm.Double', value: 1 }]]],
    ['one entity of the type of the literal', comparison('A', 'gt', text('2')), [[int(1)], [text('1')]]],
    ['an operator that holds for a lesser type', comparison('A', 'ne', text('2')), [[int(1)]]],
    ['a property that no entity has', comparison('A', 'eq', text('2')), [[undefined]]],
    ['no entity', comparison('A', 'eq', text('2')), [[]]],
  ])('is not reported %s', (_, filter, blocks) => {
    expect(remark(filter, ...blocks)).toBe('none');
  });
});

describe('The types of a column', () => {
  it('are those of its cells, even after a join with another column, which may have no cells', () => {
    const columnOf = (...values: (EdmValue | undefined)[]): Column => columnsWith(one('A'), values).get('A') as Column;
    const [ints, texts, empty] = [columnOf(int(1), int(2)), columnOf(text('a')), columnOf()];
    const uniform = [ints, texts, empty, columnOf(undefined), columnOf(int(1), undefined)].map(uniformTypeOf);
    expect(uniform).toEqual([3, 1, 0, 0, 0]);
    expect(uniformTypeOf(joinColumns(joinColumns(empty, ints), empty))).toBe(3);
    expect(uniformTypeOf(joinColumns(ints, texts))).toBe(0);
    const filter = comparison('A', 'lt', int(2));
    const joined = new Map([['A', joinColumns(joinColumns(empty, ints), texts)]]);
    expect([...matchColumns(filter, joined, 3)]).toEqual([1, 0, 1]);
  });
});

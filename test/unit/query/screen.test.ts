import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { type Column, joinColumns } from '../../../src/query/column.ts';
import type { ComparisonOperator, Filter } from '../../../src/query/filter.ts';
import { matchColumns, propertiesOf } from '../../../src/query/match.ts';
import { screenOf } from '../../../src/query/screen.ts';
import { entitiesFrom, FilterSource, hardValues, SeededRandom, valuesOf } from '../storage/seeded-tables.ts';
import { columnsOf } from './columns-of.ts';
import { comparison, int, not, one, or } from './filters.ts';

const operators: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

const columnOf = (values: readonly (EdmValue | undefined)[]): ReadonlyMap<string, Column> =>
  columnsOf(
    ['A'],
    values.map((value) => () => value),
  );

const maySelect = (filter: Filter, values: readonly (EdmValue | undefined)[]): boolean =>
  screenOf(filter)(columnOf(values));

const ints = (...values: number[]): EdmValue[] => values.map(int);

describe('Screening by the bounds of columns', () => {
  it('never leaves out an entity that the filter selects, whatever the values, the literal and the operator', () => {
    const random = new SeededRandom(20);
    const values = [...hardValues, undefined];
    for (let count = 0; count < 20_000; count++) {
      const [first, second, literal] = [random.pick(values), random.pick(values), random.pick(hardValues)];
      const filter = comparison('A', random.pick(operators), literal);
      const columns = columnOf([first, second]);
      if (!matchColumns(filter, columns, 2).includes(1)) continue;
      const joined = joinColumns(columnOf([first]).get('A')!, columnOf([second]).get('A')!);
      for (const each of [columns, new Map([['A', joined]])]) {
        if (!screenOf(filter)(each))
          expect.fail(`${filter.operator} ${literal.value}: ${first?.value}, ${second?.value}`);
      }
    }
  });

  it('never leaves out an entity that a generated filter selects', () => {
    const property = fc.property(fc.noShrink(fc.integer()), (seed) => {
      const random = new SeededRandom(seed);
      const entities = entitiesFrom(random, 4);
      const source = new FilterSource(random, entities, [0n]);
      for (let count = 0; count < 30; count++) {
        const filter = source.next();
        const reads = entities.map((entity) => valuesOf(entity));
        const columns = columnsOf(propertiesOf(filter), reads);
        const isSelected = matchColumns(filter, columns, reads.length).includes(1);
        if (isSelected) expect(screenOf(filter)(columns), JSON.stringify(filter, String)).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 100, endOnFailure: true });
  });

  it.each<[ComparisonOperator, boolean[]]>([
    ['eq', [false, true, true, true, false]],
    ['ne', [true, true, true, true, true]],
    ['lt', [false, false, true, true, true]],
    ['le', [false, true, true, true, true]],
    ['gt', [true, true, true, false, false]],
    ['ge', [true, true, true, true, false]],
  ])('decides %s by the least and the greatest value', (operator, expected) => {
    const decided = [1, 2, 4, 6, 7].map((literal) => maySelect(comparison('A', operator, int(literal)), ints(2, 6)));
    expect(decided).toEqual(expected);
  });

  it('decides texts and times, and what no entity can be', () => {
    const text = (value: string): EdmValue => ({ type: 'Edm.String', value });
    const time = (value: bigint): EdmValue => ({ type: 'Edm.DateTime', value });
    expect(maySelect(comparison('A', 'eq', text('c')), [text('a'), text('b')])).toBe(false);
    expect(maySelect(comparison('A', 'ge', time(1n << 40n)), [time(1n), time(2n)])).toBe(false);
    expect(maySelect(comparison('A', 'eq', text('5')), ints(5))).toBe(false);
    expect(maySelect(comparison('A', 'gt', int(5)), [{ type: 'Edm.Boolean', value: true }])).toBe(false);
    expect(maySelect({ kind: 'property', name: 'A' }, [{ type: 'Edm.Boolean', value: false }])).toBe(false);
    expect(maySelect(one('B'), ints(1))).toBe(false);
  });

  it('decides a column that was joined with those of stretches without entities', () => {
    const [column, empty] = [columnOf(ints(2, 6)).get('A')!, columnOf([]).get('A')!];
    const joined = joinColumns(joinColumns(empty, column), empty);
    expect(joined).toMatchObject({ uniformType: column.uniformType, bounds: { least: 2, most: 6 } });
    expect(screenOf(comparison('A', 'eq', int(9)))(new Map([['A', joined]]))).toBe(false);
  });

  it('says nothing of a `not`, of types that are mixed and of NaN', () => {
    expect(maySelect(not(comparison('A', 'ge', int(0))), ints(1))).toBe(true);
    expect(maySelect(comparison('A', 'eq', int(9)), [...ints(1), undefined])).toBe(true);
    expect(maySelect(comparison('A', 'ne', int(9)), [{ type: 'Edm.Double', value: Number.NaN }])).toBe(true);
  });

  it('needs all terms of an `and`, and one of an `or`', () => {
    const [low, high] = [comparison('A', 'lt', int(0)), comparison('A', 'gt', int(0))];
    expect(maySelect({ kind: 'and', terms: [low, high] }, ints(1, 2))).toBe(false);
    expect(maySelect(or(low, high), ints(1, 2))).toBe(true);
    expect(maySelect(or(low, one('B')), ints(1, 2))).toBe(false);
  });
});
